/**
 * Makes a transcript of messages for a model legal: every call answered by tool messages directly behind it.
 * One pass to read, one to write; messages that were legal come out as the same objects.
 *
 * @module
 */
import { answerCall, type UnansweredCall } from '../../../words/answers.ts';
import { settleEntries, type Entry, type WriteOptions } from '../../../reading/settle-entries.ts';
import type { Cause, Cut, DialectResult, SettleOptions } from '../../rules.ts';
import { field, isSameList, isThere } from '../../../reading/fields.ts';
import { anyId } from '../../../reading/ids.ts';
import { createIdBook } from '../../../reading/id-book.ts';
import { withDecision } from '../decision.ts';
import { isReasoning, withoutOption, type AISDKMessage, type AISDKPart } from '../message.ts';
import { aiSDKHosted } from './model-hosted.ts';
import { named, withIds } from './model-ids.ts';
import { callerOf, callIdOf, isServerCall, partsOf, textPart, wholeInput } from './model-message.ts';
import { denial, hasOutput, resultFromAnswer, resultFromTranscript } from './model-results.ts';
import { readSlots, type Call, type Part, type Slot } from './model-slots.ts';
import { callsInModelMessages } from './model-calls.ts';

/** Makes a transcript of messages for a model legal. */
export function settleModelMessages(
  messages: readonly AISDKMessage[],
  options: SettleOptions,
): DialectResult<AISDKMessage> {
  const said = messages.filter(({ role, content }) => role === 'assistant' || role === 'tool' || isThere(content));
  return settleEntries(aiSDKHosted.settle(said, options.isOver || options.cut !== undefined), options, {
    giveIds: withIds,
    callsIn: callsInModelMessages,
    isReply: ({ role }) => role === 'assistant',
    write,
  });
}

function write(entries: readonly Entry<AISDKMessage>[], options: WriteOptions): readonly AISDKMessage[] {
  const { rowOf } = options;
  const slots = readSlots(entries, options.begun);
  const lastAt = slots.at(-1)?.at;
  const servers = new Set<string>();
  for (const slot of slots) {
    if (slot.parts.length === 0) continue;
    slot.parts = withoutLastThoughts(slot, withoutLostQuestions(slot.parts.flatMap(repairCall)));
    for (const { call } of slot.parts) if (call?.isServer === true) servers.add(call.site.id);
  }
  for (const slot of slots) {
    if (slot.parts.some(isClientCall)) slot.parts = slot.parts.map(withoutLostCaller);
  }

  const out = slots.flatMap((slot) => {
    const { message } = slot.entry;
    if (message.role !== 'assistant') return [message];
    return slot.parts.length === 0 ? [] : [rebuild(message, reply(slot)), ...answers(slot)];
  });
  // Some providers want ids that are unique in the conversation; the one in use may number its calls in each reply.
  if (options.ids === 'keep') return out;
  const book = createIdBook(anyId, options.ids, new Set(out.flatMap(partsOf).filter(isServerCall).map(callIdOf)));
  return out.map((message) => named(message, book));

  /** The call with whole arguments, or nothing if it was cut before it could have run. */
  function repairCall(part: Part): Part[] {
    const { call } = part;
    if (call === undefined) return [part];
    const input = wholeInput(part.part);
    if (input !== undefined && input === field(part.part, 'input')) return [part];
    const hasOutcome = call.site.results.length > 0 || call.isAnswered;
    if (input === undefined && !hasOutcome && (call.isServer || rowOf(call.site) === undefined)) return [];
    const whole: AISDKPart & Readonly<Record<string, unknown>> = { ...part.part, input: input ?? {} };
    return [{ ...part, part: whole }];
  }

  /** Without what was asked about calls that are gone. */
  function withoutLostQuestions(parts: readonly Part[]): readonly Part[] {
    const calls = new Set(parts.map(({ call }) => call));
    return parts.filter(({ part, about }) => part.type !== 'tool-approval-request' || calls.has(about));
  }

  /** A call that a tool of the provider made no longer says so where that is gone: it may have run all the same. */
  function withoutLostCaller(part: Part): Part {
    const maker = callerOf(part.part);
    if (part.call === undefined || maker === undefined || servers.has(maker) || options.begun?.has(maker) === true)
      return part;
    return { ...part, part: withoutOption(part.part, 'caller') };
  }

  /** What an assistant message says in the end. */
  function reply(slot: Slot): readonly AISDKPart[] {
    const { cut } = slot.entry;
    const own = slot.parts.map(({ part }) => part);
    return cut !== undefined && isMarked(cut, slot.parts) ? [...own, textPart(options.words(cut.by.kind, 'cut'))] : own;
  }

  /** The tool messages behind a reply: those that are there if they are legal, else one that holds everything. */
  function answers(slot: Slot): readonly AISDKMessage[] {
    const { run, at } = slot;
    if (run.length === 0 && slot.parts.every(({ call }) => call === undefined)) return run;
    const calls = slot.parts.flatMap(({ call }) => call ?? []);
    const end = at + run.length;
    const isBehind = (one: { readonly at: number }): boolean => one.at > at && one.at <= end;
    const isOpen = (call: Call): boolean => call.site.results.length === 0 && !call.isServer;
    // The provider waits for a word about what it asks, and runs nothing without one.
    const isUndecided = ({ question, site, isServer, isAnswered }: Call): boolean =>
      isServer && question !== undefined && question.response === undefined && site.results.length === 0 && !isAnswered;
    const isLast = at === lastAt;
    const isLeftOpen = options.waits === 'all' || (options.waits === 'last' && isLast);
    const isAllowed = ({ question, site }: Call): boolean =>
      isLast && !options.isOver && question?.response !== undefined && rowOf(site) === undefined;

    const responses = calls.flatMap((call) => call.question?.response ?? []);
    const results = calls.flatMap((call) => call.site.results);
    // The SDK carries out what the last message decides, unless that has the results.
    const isPlaced = ({ question, site }: Call): boolean =>
      question?.response === undefined || question.response.at <= (site.results[0]?.at ?? question.response.at);
    const isLegal =
      calls.every((call) => !(isOpen(call) || isUndecided(call)) || isLeftOpen || isAllowed(call)) &&
      calls.every((call) => responseOf(call) === call.question?.response?.part) &&
      calls.every((call) => (isOpen(call) && isAllowed(call) ? call.question?.response?.at === end : isPlaced(call))) &&
      calls.every((call) => call.site.results.length <= 1) &&
      results.every((one) => isBehind(one) && hasOutput(one.result)) &&
      responses.every(isBehind) &&
      run.every((message) => partsOf(message).length > 0) &&
      run.flatMap(partsOf).length === results.length + responses.length;
    if (isLegal) return run;

    const content: AISDKPart[] = calls.flatMap((call) => responseOf(call) ?? []);
    for (const call of calls) {
      const { site } = call;
      if (site.results.length > 0) content.push(resultFromTranscript(site));
      else if ((isOpen(call) || isUndecided(call)) && !isLeftOpen && !isAllowed(call)) {
        const answer = answerCall(whatIsKnown(slot, call), { ...options, reason: reason(slot) });
        content.push(isOpen(call) ? resultFromAnswer(site, answer) : denial(call.question?.id, answer));
      }
    }
    if (content.length === 0) return [];
    const whole = run.reduce<object>((fields, message) => ({ ...fields, ...message }), {});
    return [{ ...whole, role: 'tool', content }];
  }

  /** Why a reply and its calls ended early. */
  function reason(slot: Slot): Cause | undefined {
    return slot.entry.cut?.by ?? options.reason;
  }

  /** The row of a call; where there is none, what a person decided about it. */
  function whatIsKnown(slot: Slot, { site, question }: Call): UnansweredCall {
    // The SDK starts tools while the reply still streams: that the reply was cut does not say that a call did not run.
    const known = { name: site.name, row: rowOf(site), cutBy: undefined };
    return withDecision(known, question && (question.response?.part ?? {}), reason(slot));
  }
}

/** Whether a reply says at its end that it was cut; the results of its calls say so as well. */
function isMarked(cut: Cut | undefined, parts: readonly Part[]): boolean {
  return cut?.isWhole === false && !parts.some(isClientCall);
}

/** No reply may end in a thought: what that led to never came. */
function withoutLastThoughts({ entry }: Slot, parts: readonly Part[]): readonly Part[] {
  if (isMarked(entry.cut, parts)) return parts;
  const end = parts.map(({ part }) => isReasoning(part) || part.type === 'tool-approval-request').lastIndexOf(false);
  return parts.filter(({ part }, at) => at <= end || !isReasoning(part));
}

/** What a person decided: the SDK sends on only what says that the provider runs the call. */
function responseOf({ question, isServer }: Call): AISDKPart | undefined {
  const part = question?.response?.part;
  if (part === undefined || !isServer || field(part, 'providerExecuted') === true) return part;
  return { ...part, providerExecuted: true } as AISDKPart;
}

function isClientCall({ call }: Part): boolean {
  return call?.isServer === false;
}

/** The message with this content: the same object if that is what it holds already. */
function rebuild(message: AISDKMessage, parts: readonly AISDKPart[]): AISDKMessage {
  const { content } = message;
  if (typeof content === 'string') {
    const text = parts.length === 1 && parts[0]?.type === 'text' ? (field(parts[0], 'text') as string) : undefined;
    return text === content ? message : { ...message, content: text ?? parts };
  }
  const isSame = isSameList(content, parts);
  return isSame ? message : { ...message, content: parts };
}
