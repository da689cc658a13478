/**
 * Makes a transcript of LangChain's legal: every call answered by its tool message, in the order of the calls.
 * One pass to read, one to write; messages that were legal come out as the same objects.
 *
 * @module
 */
import { answerCall } from '../../words/answers.ts';
import { field, recordsIn, textIn } from '../../reading/fields.ts';
import { anyId } from '../../reading/ids.ts';
import { withUniqueIds } from '../../reading/links.ts';
import { settleEntries, type Entry, type Settled, type WriteOptions } from '../../reading/settle-entries.ts';
import type { DialectResult, SettleOptions } from '../rules.ts';
import { named, withIds } from './ids.ts';
import { saysSomething, withText } from './content.ts';
import { read, speakerOf, type LangChainMessage } from './message.ts';
import { endsInThinking, withCalls, withLegalContent } from './reply.ts';
import { resultFromAnswer, resultFromTranscript } from './results.ts';
import { readSlots, type Part, type Slot } from './slots.ts';
import { callsInLangChain } from './speech.ts';

/** Makes a transcript of LangChain's legal. */
export function settleLangChain(
  messages: readonly LangChainMessage[],
  options: SettleOptions,
): DialectResult<LangChainMessage> {
  return settleEntries(messages, options, {
    giveIds: withIds,
    callsIn: callsInLangChain,
    isReply: (message) => speakerOf(message) === 'ai',
    write,
  });
}

function write(
  entries: readonly Entry<LangChainMessage>[],
  options: WriteOptions,
): readonly Settled<LangChainMessage>[] {
  const { note, rowOf } = options;
  const slots = readSlots(entries, note);
  for (const slot of slots) slot.parts = slot.parts.filter((part) => mayStay(slot, part));

  const out: Settled<LangChainMessage>[] = [];
  for (const slot of slots) {
    if (!slot.isReply) {
      out.push({ message: slot.entry.message, from: slot.at });
      continue;
    }
    const message = reply(slot);
    if (message === undefined) continue;
    for (const one of [message, ...answers(slot)]) out.push({ message: one, from: slot.at });
  }
  // Some providers want ids that are unique in the conversation; the one in use may number its calls in each reply.
  return options.ids === 'keep' ? out : withUniqueIds(out, named, note, anyId.longest, chunkIds);

  /** Whether a call is one: not if it was cut before it could have run. */
  function mayStay(slot: Slot, { call, site }: Part): boolean {
    if (call.args !== undefined) return true;
    const hasOutcome = site.results.length > 0 || rowOf(site) !== undefined;
    if (hasOutcome) {
      note(slot.at, 'call-arguments', `emptied the arguments of ${site.name} (${site.id}): they were cut off`);
    } else if (call.place !== 'invalid') {
      note(slot.at, 'call-arguments', `removed the call ${site.name} (${site.id}): its arguments were cut off`);
    }
    return hasOutcome;
  }

  /** What a reply says in the end; nothing if it holds nothing. */
  function reply(slot: Slot): LangChainMessage | undefined {
    const { entry, at, parts } = slot;
    const place = { at, note, isCut: entry.cut !== undefined };
    const calls = parts.map((part) => part.call);
    const message = withLegalContent(withCalls(entry.message, calls, place), calls, place);
    const { cut } = entry;
    const mark = (): string => options.words(cut?.by.kind ?? 'unknown', 'cut');
    if (calls.length === 0 && !saysSomething(message)) {
      note(at, 'message-not-empty', 'removed a message that holds nothing');
      return undefined;
    }
    if (calls.length > 0 || cut?.isWhole === true) return message;
    if (cut === undefined && !endsInThinking(message)) return message;
    note(at, 'thinking-not-last', 'said after the reasoning that the reply was cut');
    return withText(message, mark());
  }

  /** One tool message per call, in the order of the calls. */
  function answers(slot: Slot): readonly LangChainMessage[] {
    const calls = slot.parts.map((part) => part.site);
    const isBehind = (one: { readonly at: number }): boolean => one.at > slot.at && one.at < slot.runEnd;
    const places = calls.map((site) => site.results[0]?.order ?? -1);
    const areThere = calls.every(({ results }) => results.length > 0 && results.every(isBehind));
    if (areThere && places.some((place, i) => i > 0 && place < (places[i - 1] as number))) {
      note(slot.at, 'results-in-order', 'put the results into the order of the calls');
    }
    return calls.map((site) => {
      const { id, name, results } = site;
      if (results.length > 0) {
        if (!results.every(isBehind)) {
          note(slot.at, 'result-in-place', `moved the result of ${name} (${id}) directly after its call`);
        }
        return resultFromTranscript(id, results, note);
      }
      const answer = answerCall({ name, row: rowOf(site), cutBy: slot.entry.cut?.by }, options);
      note(slot.at, 'call-answered', `answered ${name} (${id}): ${answer.status}`);
      return resultFromAnswer(site, answer);
    });
  }
}

/** A piece of a stream may name a call that the message does not have. */
function chunkIds(message: LangChainMessage): string[] {
  return recordsIn(read(message, 'tool_call_chunks')).flatMap((chunk) => textIn(field(chunk, 'id')) ?? []);
}
