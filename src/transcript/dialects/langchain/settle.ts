/**
 * Makes a transcript of LangChain's legal: every call answered by its tool message, in the order of the calls.
 * One pass to read, one to write; messages that were legal come out as the same objects.
 *
 * @module
 */
import { answerCall } from '../../words/answers.ts';
import { field, isThere, recordsIn } from '../../reading/fields.ts';
import { anyId } from '../../reading/ids.ts';
import { createIdBook } from '../../reading/id-book.ts';
import { settleEntries, type Entry, type WriteOptions } from '../../reading/settle-entries.ts';
import type { DialectResult, SettleOptions } from '../rules.ts';
import { langChainHosted } from './hosted.ts';
import { named, withIds } from './ids.ts';
import { saysSomething, withoutUnkept, withText } from './content.ts';
import { read, speakerOf, type LangChainMessage } from './message.ts';
import { hasItemsOf, withCalls, withLegalContent, withoutLastThoughts } from './reply.ts';
import { resultFromAnswer, resultFromTranscript, withResultsApart } from './results.ts';
import { readSlots, type Part, type Slot } from './slots.ts';
import { callsInLangChain } from './speech.ts';

/** Makes a transcript of LangChain's legal. */
export function settleLangChain(
  messages: readonly LangChainMessage[],
  options: SettleOptions,
): DialectResult<LangChainMessage> {
  const said = messages.filter((message) => !isHeard(message) || isThere(read(message, 'content')));
  const whole = langChainHosted.settle(withResultsApart(said), options.isOver || options.cut !== undefined);
  return settleEntries(whole, options, {
    giveIds: withIds,
    callsIn: callsInLangChain,
    isReply: (message) => speakerOf(message) === 'ai',
    write,
  });
}

function write(entries: readonly Entry<LangChainMessage>[], options: WriteOptions): readonly LangChainMessage[] {
  const { rowOf } = options;
  const slots = readSlots(entries);
  for (const slot of slots) slot.parts = slot.parts.filter(mayStay);

  const out = slots.flatMap((slot) => {
    if (!slot.isReply) return [slot.entry.message];
    const message = reply(slot);
    return message === undefined ? [] : [message, ...answers(slot)];
  });
  // Some providers want ids that are unique in the conversation; the one in use may number its calls in each reply.
  if (options.ids === 'keep') return out;
  const book = createIdBook(anyId, options.ids, new Set(out.flatMap(chunkIds)));
  return out.map((message) => named(message, book));

  /** Whether a call is one: not if it was cut before it could have run. */
  function mayStay({ call, site }: Part): boolean {
    return call.args !== undefined || site.results.length > 0 || rowOf(site) !== undefined;
  }

  /** What a reply says in the end; nothing if it holds nothing. */
  function reply(slot: Slot): LangChainMessage | undefined {
    const { entry, parts } = slot;
    const calls = parts.map((part) => part.call);
    const { cut } = entry;
    const isAnew = cut !== undefined || !hasItemsOf(entry.message, calls);
    const said = isAnew ? withoutUnkept(entry.message) : entry.message;
    const legal = withLegalContent(withCalls(said, calls, cut !== undefined), calls);
    const isMarked = cut?.isWhole === false && calls.length === 0;
    const message = isMarked ? legal : withoutLastThoughts(legal, calls);
    if (calls.length === 0 && !saysSomething(message)) return undefined;
    return isMarked ? withText(message, options.words(cut.by.kind, 'cut')) : message;
  }

  /** One tool message per call, in the order of the calls. */
  function answers(slot: Slot): readonly LangChainMessage[] {
    const isLeftOpen = options.waits === 'all' || (options.waits === 'last' && slot === slots.at(-1));
    return slot.parts.flatMap(({ site }) => {
      const { name, results } = site;
      if (results.length > 0) return resultFromTranscript(results);
      if (isLeftOpen) return [];
      return resultFromAnswer(site, answerCall({ name, row: rowOf(site), cutBy: slot.entry.cut?.by }, options));
    });
  }
}

/** Whether somebody outside says it to the model. */
function isHeard(message: LangChainMessage): boolean {
  return ['human', 'system'].includes(speakerOf(message));
}

/** A piece of a stream may name a call that the message does not have. */
function chunkIds(message: LangChainMessage): unknown[] {
  return recordsIn(read(message, 'tool_call_chunks')).map((chunk) => field(chunk, 'id'));
}
