/**
 * The shape of Gemini's contents, as far as the rules need it, and how to read a reply from one.
 * Structural: the SDK's `Content` fits, and so does JSON from a file.
 *
 * @module
 */
import { addJoined, type Joins } from '../../reading/join-messages.ts';
import { requireText } from '../../../core/foundation/check.ts';
import { field, isRecord, parseRecord, recordsIn, textIn } from '../../reading/fields.ts';
import { foreignBut, requireRecord, requireRecords } from '../../reading/require-messages.ts';
import type { TurnReader } from '../rules.ts';

/**
 * A turn of the Gemini API; `Content` of `@google/genai` is one.
 *
 * @since 0.1.0
 */
export interface GeminiContent {
  /** `model`, or whoever else speaks: one without a role is the user's. */
  readonly role?: string | undefined;
  readonly parts?: readonly object[] | undefined;
  /** Never: messages of other providers have it, which would be accepted for want of parts. */
  readonly content?: undefined;
}

/** Whether the model says it. */
export function isModel(content: GeminiContent): boolean {
  return content.role === 'model';
}

/** Its parts, if it has any. */
export function partsOf(content: GeminiContent): readonly object[] {
  return recordsIn(content.parts);
}

/** The call that a part holds. */
export function callOf(part: object): object | undefined {
  const call = field(part, 'functionCall');
  return isRecord(call) ? call : undefined;
}

/** The response that a part holds. */
export function responseOf(part: object): object | undefined {
  const response = field(part, 'functionResponse');
  return isRecord(response) ? response : undefined;
}

/** The name of a call or a response. */
export function nameOf(call: object): string | undefined {
  return textIn(field(call, 'name'));
}

/** What a call is known by: its id, or its name where the API gives none. */
export function keyOf(call: object): string | undefined {
  return textIn(field(call, 'id')) ?? nameOf(call);
}

/** Whether some arguments of a call are still to come, or came in parts. */
export function isContinued(call: object): boolean {
  return field(call, 'willContinue') === true || Array.isArray(field(call, 'partialArgs'));
}

/** The arguments of a call, none where it says none; `undefined` if some are still to come, or they are no object. */
export function wholeArguments(call: object): object | undefined {
  if (isContinued(call)) return undefined;
  const args = field(call, 'args') ?? {};
  return typeof args === 'string' ? parseRecord(args) : isRecord(args) ? args : undefined;
}

/** Whether a call can go back as it is. */
function isCallable(call: object): boolean {
  return nameOf(call) !== undefined && wholeArguments(call) !== undefined;
}

/** What qualifies a part without being anything by itself; a signature is kept wherever it rides. */
const qualifiers = new Set(['thought', 'partMetadata', 'videoMetadata', 'mediaResolution']);

/** Whether a part holds nothing at all: the API wants data in each. */
export function isEmptyPart(part: object): boolean {
  return Object.entries(part).every(([name, value]) => value === undefined || value === '' || qualifiers.has(name));
}

/** A text that the model said rather than thought. */
export function saidIn(part: object): string | undefined {
  const text = field(part, 'text');
  return typeof text === 'string' && field(part, 'thought') !== true ? text : undefined;
}

/** Refuses what is not a content: an object whose parts, where there are any, are objects. */
export function requireContent(name: string, content: unknown): void {
  const { role, parts } = requireRecord(name, content);
  if (role !== undefined) requireText(`${name}.role`, role);
  if (parts !== undefined) requireRecords(`${name}.parts`, parts);
}

/** What a message of another dialect says it all in: a content has parts, and these have no types. */
export function foreignIn(message: Readonly<Record<string, unknown>>): string | undefined {
  const { parts, content, type } = message;
  if (recordsIn(parts).some((part) => field(part, 'type') !== undefined)) return 'parts that have a type';
  const form = foreignBut(['parts'], message);
  return form ?? (parts !== undefined ? undefined : content ? 'content' : type ? 'a type' : undefined);
}

/** A text as a content of the user. */
export function askText(text: string): GeminiContent {
  return { role: 'user', parts: [{ text }] };
}

/** Who speaks here, and how the model says something. */
export const geminiTurns: TurnReader<GeminiContent> = {
  isPrompt: (content) =>
    !isModel(content) &&
    !instructions.has(content.role) &&
    partsOf(content).some((part) => responseOf(part) === undefined),
  isReply: isModel,
  say: (text) => ({ role: 'model', parts: text === '' ? [] : [{ text }] }),
};

const instructions = new Set<unknown>(['system', 'developer']);

/** What of a cut reply can go back: no call that cannot be made again, and no thought, for half a thought explains nothing. */
export function withoutThoughts(content: GeminiContent): GeminiContent {
  const isKept = (part: object): boolean => {
    const call = callOf(part);
    if (call !== undefined) return isCallable(call);
    return responseOf(part) === undefined && field(part, 'thought') !== true && !isEmptyPart(part);
  };
  const parts = partsOf(content).filter(isKept);
  const says = parts.some((part) => saidIn(part)?.trim() !== '');
  return { role: 'model', parts: says ? parts : [] };
}

/** What stands before a call that would begin the conversation. */
const OPENING = '[The beginning of this conversation is not shown.]';

/** A turn with calls takes in what the model said directly before it; all others stay as they are. */
export const joins: Joins<GeminiContent> = {
  isOne: (before, content) => isModel(before) && calls(content),
  opening: (content) => (calls(content) ? { role: 'user', parts: [{ text: OPENING }] } : undefined),
  add: addJoined,
  join(run) {
    const parts = partsOf(run.at(-1) as GeminiContent);
    return { ...run[0], parts: [...run.slice(0, -1).flatMap(partsOf), ...separator(parts), ...parts] };
  },
};

function calls(content: GeminiContent): boolean {
  return isModel(content) && partsOf(content).some((part) => callOf(part) !== undefined);
}

/** What keeps a reply that begins with a call apart from the reply before it in one turn: the call is not that one's. */
function separator(parts: readonly object[]): readonly object[] {
  const first = parts.find((part) => callOf(part) !== undefined || saidIn(part) !== undefined);
  return first === undefined || callOf(first) === undefined ? [] : [{ text: '\n' }];
}
