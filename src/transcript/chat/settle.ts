/**
 * Makes a Chat Completions transcript legal: every call answered by a tool message before any other role speaks.
 * One pass to read, one to write; messages that were legal come out as the same objects.
 *
 * @module
 */
import { answerCall } from '../words/answers.ts';
import { field, isSameList, without } from '../reading/fields.ts';
import type { Site } from '../reading/links.ts';
import { settleEntries, type Entry, type EntryRules, type WriteOptions } from '../reading/settle-entries.ts';
import type { DialectResult, SettleOptions } from '../dialects/rules.ts';
import { withIds } from './ids.ts';
import {
  callsOf,
  hasBlankArguments,
  hasContent,
  hasWholeArguments,
  saysSomething,
  typeOf,
  withSpeech,
} from './message.ts';
import type { OpenAIChatMessage } from './message.ts';
import { resultFromAnswer, resultFromTranscript } from './results.ts';
import { readSlots, type Part, type Slot } from './slots.ts';
import { callsInChat } from './speech.ts';

/**
 * Makes a transcript of the Chat Completions API legal.
 *
 * @param callsAt The calls of a message as the caller knows them, if not by this shape.
 */
export function settleOpenAIChat(
  messages: readonly OpenAIChatMessage[],
  options: SettleOptions,
  callsAt?: EntryRules<OpenAIChatMessage>['callsAt'],
): DialectResult<OpenAIChatMessage> {
  return settleEntries(messages, options, {
    giveIds: withIds,
    callsIn: callsInChat,
    callsAt,
    isReply: ({ role }) => role === 'assistant',
    write,
  });
}

function write(entries: readonly Entry<OpenAIChatMessage>[], options: WriteOptions): readonly OpenAIChatMessage[] {
  const { rowOf } = options;
  const slots = readSlots(entries);
  for (const slot of slots) {
    if (slot.parts.length > 0) slot.parts = slot.parts.flatMap((part) => repairCall(slot, part));
  }

  return slots.flatMap((slot) => {
    if (slot.entry.message.role !== 'assistant') return [slot.entry.message];
    const message = reply(slot);
    return message === undefined ? [] : [message, ...answers(slot)];
  });

  /** The call with a type and whole arguments, or nothing if it was cut before it could have run. */
  function repairCall(slot: Slot, { call: given, site }: Part): Part[] {
    const isWhole = hasWholeArguments(given);
    // None are none, unless the stream was cut: then they had not come yet.
    const isBlank = hasBlankArguments(given) && slot.entry.cut === undefined;
    if (!isWhole && !isBlank && site.results.length === 0 && rowOf(site) === undefined) return [];
    const type = typeOf(given);
    const call = field(given, 'type') === type ? given : { ...given, type };
    if (isWhole) return [{ call, site }];
    const body = field(call, 'function') as object;
    return [{ call: { ...call, function: { ...body, arguments: '{}' } }, site }];
  }

  /** What an assistant message says in the end; nothing if it holds nothing. */
  function reply(slot: Slot): OpenAIChatMessage | undefined {
    const { cut } = slot.entry;
    const message = withSpeech(withoutEmptyContent(withCalls(slot)), cut?.isWhole === false);
    if (slot.parts.length > 0) return message;
    if (cut === undefined) return hasContent(message) ? message : undefined;
    if (!saysSomething(message)) return undefined;
    return cut.isWhole ? message : withMark(message, options.words(cut.by.kind, 'cut'));
  }

  /** One tool message per call: in the order of the calls, unless the messages behind it have them all already. */
  function answers(slot: Slot): readonly OpenAIChatMessage[] {
    const calls = slot.parts.map((part) => part.site);
    const isBehind = (at: number): boolean => at > slot.at && at < slot.runEnd;
    const isThere = ({ results }: Site<OpenAIChatMessage>): boolean =>
      results.length === 1 && results.every((one) => isBehind(one.at));
    const ordered = calls.every(isThere) ? [...calls].sort((a, b) => placeOf(a) - placeOf(b)) : calls;
    return ordered.flatMap((site) => {
      const { id, name, results } = site;
      if (results.length > 0) return resultFromTranscript(results);
      if (options.waits === 'all') return [];
      return resultFromAnswer(id, answerCall({ name, row: rowOf(site), cutBy: slot.entry.cut?.by }, options));
    });
  }
}

function placeOf(site: Site<OpenAIChatMessage>): number {
  return site.results[0]?.order ?? 0;
}

/** The message with the calls that stay: the same object if none had to go. */
function withCalls({ entry: { message }, parts }: Slot): OpenAIChatMessage {
  const before = callsOf(message);
  const calls = parts.map((part) => part.call);
  if (calls.length > 0) {
    const isSame = isSameList(before, calls);
    return isSame ? message : ({ ...message, tool_calls: calls } as OpenAIChatMessage);
  }
  return field(message, 'tool_calls') === undefined ? message : without(message, 'tool_calls');
}

/** The message without a list of parts that holds none; one that calls needs no content. */
function withoutEmptyContent(message: OpenAIChatMessage): OpenAIChatMessage {
  if (!Array.isArray(message.content) || message.content.length > 0) return message;
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
