/**
 * Reads a transcript of LangChain's into slots: which calls there are, and which tool message belongs to which.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import { createLinks, type Site } from '../../reading/links.ts';
import type { Entry } from '../../reading/settle-entries.ts';
import type { Note } from '../rules.ts';
import { callsOf, type LangChainCall } from './calls.ts';
import { read, speakerOf, type LangChainMessage } from './message.ts';

/** A call that may stay, with its links. */
export interface Part {
  readonly call: LangChainCall;
  readonly site: Site<LangChainMessage>;
}

/** One message on its way to a legal one; tool messages have none, they follow their calls. */
export interface Slot {
  /** The index of its message. */
  readonly at: number;
  readonly entry: Entry<LangChainMessage>;
  readonly isReply: boolean;
  parts: Part[];
  /** The index after the tool messages that stand directly behind this message. */
  runEnd: number;
}

/** Takes a transcript apart, front to back, once. */
export function readSlots(entries: readonly Entry<LangChainMessage>[], note: Note): Slot[] {
  const links = createLinks<LangChainMessage>();
  const slots: Slot[] = [];
  entries.forEach((entry, at) => {
    const { message } = entry;
    const speaker = speakerOf(message);
    if (speaker === 'tool') {
      const id = read(message, 'tool_call_id');
      if (links.close(at, id, message) === undefined) {
        note(at, 'result-has-call', `removed a result whose call is not in the transcript: ${String(id)}`);
      }
      const before = slots.at(-1);
      if (before !== undefined) before.runEnd = at + 1;
      return;
    }
    const here = new Set<string>();
    const parts = (speaker === 'ai' ? callsOf(message) : []).flatMap((call): Part[] => {
      const { id, name } = call;
      if (id === undefined || name === undefined) {
        note(at, 'call-id', 'removed a call without an id or a name');
        return [];
      }
      if (here.has(id)) {
        note(at, 'call-id', `removed the second copy of a call: ${id}`);
        return [];
      }
      here.add(id);
      return [{ call, site: links.open(at, id, name, call.entry) }];
    });
    slots.push({ at, entry, isReply: speaker === 'ai', parts, runEnd: at + 1 });
  });
  return slots;
}
