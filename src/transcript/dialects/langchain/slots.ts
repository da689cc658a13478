/**
 * Reads a transcript of LangChain's into slots: which calls there are, and which tool message belongs to which.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import { createLinks, type Site } from '../../reading/links.ts';
import type { Entry } from '../../reading/settle-entries.ts';
import { callsOf, type LangChainCall } from './calls.ts';
import { read, speakerOf, type LangChainMessage } from './message.ts';

/** A call that may stay, with its links. */
export interface Part {
  readonly call: LangChainCall;
  readonly site: Site<LangChainMessage>;
}

/** One message on its way to a legal one; tool messages have none, they follow their calls. */
export interface Slot {
  readonly entry: Entry<LangChainMessage>;
  readonly isReply: boolean;
  parts: Part[];
}

/** Takes a transcript apart, front to back, once. */
export function readSlots(entries: readonly Entry<LangChainMessage>[]): Slot[] {
  const links = createLinks<LangChainMessage>();
  const slots: Slot[] = [];
  entries.forEach((entry, at) => {
    const { message } = entry;
    const speaker = speakerOf(message);
    if (speaker === 'tool') {
      links.close(at, read(message, 'tool_call_id'), message);
      return;
    }
    const here = new Set<string>();
    const parts = (speaker === 'ai' ? callsOf(message) : []).flatMap((call): Part[] => {
      const { id, name } = call;
      if (id === undefined || name === undefined || here.has(id)) return [];
      here.add(id);
      return [{ call, site: links.open(at, id, name, call.entry) }];
    });
    slots.push({ entry, isReply: speaker === 'ai', parts });
  });
  return slots;
}
