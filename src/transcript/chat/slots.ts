/**
 * Reads a Chat Completions transcript into slots: which calls may stay, and which tool message belongs to which.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import { field } from '../reading/fields.ts';
import { createLinks, type Site } from '../reading/links.ts';
import type { Entry } from '../reading/settle-entries.ts';
import { callsOf, idOf, nameOf, type OpenAIChatMessage, type ToolCall } from './message.ts';

/** A call that stays, with its links. */
export interface Part {
  readonly call: ToolCall;
  readonly site: Site<OpenAIChatMessage>;
}

/** One message on its way to a legal one; tool messages have none, they follow their calls. */
export interface Slot {
  /** The index of its message. */
  readonly at: number;
  readonly entry: Entry<OpenAIChatMessage>;
  parts: readonly Part[];
  /** The index after the tool messages that stand directly behind this message. */
  runEnd: number;
}

/** For the many messages without a call. */
const none: readonly Part[] = [];

/** Takes a transcript apart, front to back, once. */
export function readSlots(entries: readonly Entry<OpenAIChatMessage>[]): readonly Slot[] {
  const links = createLinks<OpenAIChatMessage>();
  const slots: Slot[] = [];
  entries.forEach((entry, at) => {
    const { message } = entry;
    if (message.role === 'tool') {
      links.close(at, field(message, 'tool_call_id'), message);
      const before = slots.at(-1);
      if (before !== undefined) before.runEnd = at + 1;
      return;
    }
    const calls = callsOf(message);
    if (calls.length === 0) {
      slots.push({ at, entry, parts: none, runEnd: at + 1 });
      return;
    }
    const here = new Set<string>();
    const parts: Part[] = [];
    for (const call of calls) {
      const id = idOf(call);
      const name = nameOf(call);
      if (id === undefined || name === undefined || here.has(id)) continue;
      here.add(id);
      parts.push({ call, site: links.open(at, id, name, call) });
    }
    slots.push({ at, entry, parts, runEnd: at + 1 });
  });
  return slots;
}
