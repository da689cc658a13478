/**
 * What a loop needs of Gemini's contents besides settling: a reply as a content, its calls, and their responses.
 *
 * @module
 */
import type { TranscriptCall } from '../../dialect.ts';
import { field, isRecord, recordsIn, textIn } from '../../reading/fields.ts';
import { isHalfCall, refusedCall, type CallPlace } from '../../reading/ends/half-call.ts';
import { valueText } from '../../words/values.ts';
import type { AnsweredCall } from '../rules.ts';
import {
  callOf,
  isContinued,
  isEmptyPart,
  isModel,
  nameOf,
  partsOf,
  wholeArguments,
  type GeminiContent,
} from './content.ts';
import { geminiName, withNames } from './ids.ts';
import { resultFromAnswer } from './results.ts';

/** A reply as a content, with everything that it thought; none for one that says nothing. */
export function replyInGemini(value: unknown): readonly GeminiContent[] | undefined {
  if (typeof value === 'string') return value === '' ? [] : [{ role: 'model', parts: [{ text: value }] }];
  if (!isRecord(value)) return undefined;
  const [candidate] = recordsIn(field(value, 'candidates'));
  const carried = candidate === undefined ? field(value, 'message') : field(candidate, 'content');
  const content = (isRecord(carried) ? carried : value) as GeminiContent;
  // What was blocked holds no content; in a candidate it is the model's, also where the API does not say so.
  if (candidate === undefined && !isModel(content))
    return 'candidates' in value || 'promptFeedback' in value ? [] : undefined;
  const calls = new Set<string>();
  const parts = partsOf(content).filter((part) => !isEmptyPart(part) && !isCopy(part, calls));
  return parts.length === 0 ? [] : withNames([{ role: 'model', parts }], 'normalise', true);
}

/** Whether a part is a call that came before: without an id it is another one. */
function isCopy(part: object, calls: Set<string>): boolean {
  const call = callOf(part);
  const id = call && textIn(field(call, 'id'));
  if (call === undefined || id === undefined) return false;
  const key = JSON.stringify([id, nameOf(call), valueText(field(call, 'args'))]);
  return calls.size === calls.add(key).size;
}

/** The calls of replies. The API gives many of them no id: those get one that says where they stand. */
export function callsInGemini(messages: readonly GeminiContent[]): readonly TranscriptCall[] {
  return messages.flatMap(callsOfOne);
}

function callsOfOne(content: GeminiContent): readonly TranscriptCall[] {
  if (!isModel(content)) return [];
  const calls = partsOf(content).flatMap((part) => callOf(part) ?? []);
  return calls.flatMap((raw, i) => {
    const name = nameOf(raw);
    const input = wholeArguments(raw) ?? field(raw, 'args');
    return name === undefined ? [] : [{ id: textIn(field(raw, 'id')) ?? `${name}#${String(i + 1)}`, name, input, raw }];
  });
}

/** A prompt that was blocked has no reply. */
export function failureInGemini(value: object): unknown {
  const feedback = field(value, 'promptFeedback');
  return isRecord(feedback) && field(feedback, 'blockReason') ? feedback : undefined;
}

/** How a reply ended; one whose last call goes on has more to come. */
export function endedInGemini(value: object): unknown {
  const [candidate = {}] = recordsIn(field(value, 'candidates'));
  const last = replyInGemini(value)?.flatMap(partsOf).at(-1);
  const isGoingOn = last !== undefined && isContinued(callOf(last) ?? {});
  return field(candidate, 'finishReason') ?? (isGoingOn && 'in_progress');
}

/** A call that the API refuses may stand in no part. */
export function unreadInGemini(value: object): readonly object[] {
  const [candidate = {}] = recordsIn(field(value, 'candidates'));
  const word = field(candidate, 'finishReason') ?? field(value, 'stopReason');
  const said = field(candidate, 'finishMessage') ?? field(value, 'finishMessage');
  return refusedCall(word, said, callsInGemini(replyInGemini(value) ?? []).length > 0);
}

/** Whether a call is not whole: some of its arguments are still to come, also where the reply has ended. */
export function isHalfInGemini(call: TranscriptCall, place: CallPlace<GeminiContent>): boolean {
  return isContinued(call.raw) || isHalfCall(call, place);
}

/** All responses in one content; the id is the API's own, or none. */
export function resultsForGemini(answered: readonly AnsweredCall[]): readonly GeminiContent[] {
  const parts = answered.map(({ outcome, answer }) => {
    const { call } = outcome as { readonly call?: unknown };
    const raw = isRecord(call) ? (field(call, 'raw') ?? call) : undefined;
    const own = isRecord(raw) && nameOf(raw) !== undefined ? raw : { id: outcome.id, name: outcome.name };
    return resultFromAnswer({ ...own, name: geminiName(nameOf(own) as string) }, answer);
  });
  return [{ role: 'user', parts }];
}
