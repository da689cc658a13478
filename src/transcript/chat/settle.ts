/**
 * Makes a Chat Completions transcript legal: every call answered by a tool message before any other role speaks.
 * One pass to read, one to write; messages that were legal come out as the same objects.
 *
 * @module
 */
import { answerCall } from '../words/answers.ts';
import { field, isSameList } from '../reading/fields.ts';
import type { Site } from '../reading/links.ts';
import type { Entry, Settled } from '../reading/partials.ts';
import { noteOfEntries, type DialectResult, type TurnRecord } from '../dialects/rules.ts';
import { rowsBy, rowsOf, settleNamed } from '../reading/settle-entries.ts';
import { chatId, withIds } from './ids.ts';
import { callsOf, hasBlankArguments, hasContent, hasWholeArguments, openAIChatReplies, typeOf } from './message.ts';
import type { OpenAIChatMessage } from './message.ts';
import { resultFromAnswer, resultFromTranscript } from './results.ts';
import { readSlots, type Part, type Slot } from './slots.ts';

/** Makes a transcript of the Chat Completions API legal. */
export function settleOpenAIChat(
  messages: readonly OpenAIChatMessage[],
  turn: TurnRecord,
): DialectResult<OpenAIChatMessage> {
  return settleNamed(messages, turn, openAIChatReplies, rowsBy(chatId), withIds, write);
}

function write(entries: readonly Entry<OpenAIChatMessage>[], turn: TurnRecord): readonly Settled<OpenAIChatMessage>[] {
  const note = noteOfEntries(entries, turn.note);
  const { slots, sites } = readSlots(entries, note);
  const { rows, batched, recorded } = rowsOf(sites, entries, turn);
  for (const slot of slots) {
    if (slot.parts.length > 0) slot.parts = slot.parts.flatMap((part) => repairCall(slot, part));
  }
  const lastBatchAt = slots.filter((slot) => slot.parts.length > 0).at(-1)?.at;

  const out: Settled<OpenAIChatMessage>[] = [];
  for (const slot of slots) {
    if (slot.entry.message.role !== 'assistant') {
      out.push({ message: slot.entry.message, from: slot.at });
      continue;
    }
    const message = reply(slot);
    if (message === undefined) continue;
    out.push({ message, from: slot.at });
    if (slot.parts.length > 0) for (const one of answers(slot)) out.push({ message: one, from: slot.at });
  }
  return out;

  /** The call with a type and whole arguments, or nothing if it was cut before it could have run. */
  function repairCall(slot: Slot, { call: given, site }: Part): Part[] {
    const isWhole = hasWholeArguments(given);
    // None are none, unless the stream was cut: then they had not come yet.
    const isBlank = hasBlankArguments(given) && slot.entry.cutBy === undefined;
    if (!isWhole && !isBlank && site.results.length === 0 && !recorded.has(site)) {
      slot.note(slot.at, 'call-arguments', `removed the call ${site.name} (${site.id}): its arguments were cut off`);
      return [];
    }
    const type = typeOf(given);
    if (field(given, 'type') !== type)
      slot.note(slot.at, 'call-type', `said that ${site.name} (${site.id}) is a ${type}`);
    const call = field(given, 'type') === type ? given : { ...given, type };
    if (isWhole) return [{ call, site }];
    const why = isBlank ? 'there were none' : 'they were cut off';
    slot.note(slot.at, 'call-arguments', `emptied the arguments of ${site.name} (${site.id}): ${why}`);
    const body = field(call, 'function') as object;
    return [{ call: { ...call, function: { ...body, arguments: '{}' } }, site }];
  }

  /** What an assistant message says in the end; nothing if it holds nothing. */
  function reply(slot: Slot): OpenAIChatMessage | undefined {
    const message = withoutEmptyContent(slot, withCalls(slot));
    const { added, cutBy, isWhole } = slot.entry;
    if (added === undefined) {
      if (slot.parts.length > 0 || hasContent(message)) return message;
      slot.note(slot.at, 'message-not-empty', 'removed a message that holds nothing');
      return undefined;
    }
    const isBlank = openAIChatReplies.parts(message)?.prose === '';
    if (slot.parts.length === 0 && isBlank) return undefined;
    note(slot.at, 'partial-kept', `added what model call ${String(added)} had said when it was cut`);
    return slot.parts.length > 0 || isWhole === true
      ? message
      : withMark(message, turn.words(cutBy?.kind ?? 'unknown', 'cut'));
  }

  /** One tool message per call: in the order of the calls, unless the messages behind it have them all already. */
  function answers(slot: Slot): readonly OpenAIChatMessage[] {
    const calls = slot.parts.map((part) => part.site);
    const isBehind = (at: number): boolean => at > slot.at && at < slot.runEnd;
    const isThere = ({ results }: Site<OpenAIChatMessage>): boolean =>
      results.length === 1 && results.every((one) => isBehind(one.at));
    const ordered = calls.every(isThere) ? [...calls].sort((a, b) => placeOf(a) - placeOf(b)) : calls;
    const batchHasRows = calls.some((site) => batched.has(site));
    return ordered.map((site) => {
      const { id, name, results } = site;
      if (results.length > 0) {
        if (!results.every((one) => isBehind(one.at))) {
          note(slot.at, 'result-in-place', `moved the result of ${name} (${id}) directly after its call`);
        }
        return resultFromTranscript(id, results, note);
      }
      const { cutBy } = slot.entry;
      const answer = answerCall(
        { name, row: rows.get(site), cutBy, batchHasRows, inLastBatch: slot.at === lastBatchAt },
        turn,
      );
      note(slot.at, 'call-answered', `answered ${name} (${id}): ${answer.status}`);
      return resultFromAnswer(id, answer);
    });
  }
}

function placeOf(site: Site<OpenAIChatMessage>): number {
  return site.results[0]?.order ?? 0;
}

/** The message with the calls that stay: the same object if none had to go. */
function withCalls(slot: Slot): OpenAIChatMessage {
  const { message } = slot.entry;
  const before = callsOf(message);
  const calls = slot.parts.map((part) => part.call);
  if (calls.length > 0) {
    const isSame = isSameList(before, calls);
    return isSame ? message : ({ ...message, tool_calls: calls } as OpenAIChatMessage);
  }
  if (field(message, 'tool_calls') === undefined) return message;
  if (before.length === 0) slot.note(slot.at, 'calls-not-empty', 'removed a list of calls that holds none');
  const { tool_calls: _gone, ...rest } = message as OpenAIChatMessage & { readonly tool_calls?: unknown };
  return rest;
}

/** The message without a list of parts that holds none; one that calls needs no content. */
function withoutEmptyContent(slot: Slot, message: OpenAIChatMessage): OpenAIChatMessage {
  if (!Array.isArray(message.content) || message.content.length > 0) return message;
  slot.note(slot.at, 'content-not-empty', 'removed a list of parts that holds none');
  return { ...message, content: null };
}

/** Says below the text that it was cut. */
function withMark(message: OpenAIChatMessage, mark: string): OpenAIChatMessage {
  const { content } = message;
  if (Array.isArray(content)) {
    return { ...message, content: [...(content as readonly object[]), { type: 'text', text: mark }] };
  }
  const text = typeof content === 'string' ? content.trimEnd() : '';
  return { ...message, content: text === '' ? mark : `${text}\n\n${mark}` };
}
