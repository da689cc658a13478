/**
 * The shape of Gemini's contents, as far as the rules need it, and how to read a reply from one.
 * Structural: the SDK's `Content` fits, and so does JSON from a file.
 *
 * @module
 */
import { requireText } from '../../../core/foundation/check.ts';
import { field, isRecord, parseRecord, recordsIn, textIn } from '../../reading/fields.ts';
import { askedFor } from '../../reading/recorded-call.ts';
import type { ReplyReader } from '../../reading/partials.ts';
import { requireRecord, requireRecords } from '../../reading/require-messages.ts';

/**
 * A turn of the Gemini API; `Content` of `@google/genai` is one.
 *
 * @since 0.1.0
 */
export interface GeminiContent {
  /** `model`, or whoever else speaks: one without a role is the user's. */
  readonly role?: string | undefined;
  readonly parts?: readonly object[] | undefined;
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

/** The arguments of a call, none where it says none; `undefined` if some are still to come, or they are no object. */
export function wholeArguments(call: object): object | undefined {
  if (field(call, 'willContinue') === true || Array.isArray(field(call, 'partialArgs'))) return undefined;
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

/** One thing that a reply says: a stretch of text, or a call. */
type Unit = { readonly text: string } | { readonly call: object };

/** What a reply says, in order, without what it thought; texts that follow each other are one. */
function unitsOf(parts: readonly object[]): readonly Unit[] {
  const units: Unit[] = [];
  for (const part of parts) {
    const call = callOf(part);
    const text = saidIn(part);
    const last = units.at(-1);
    if (call !== undefined) units.push({ call });
    else if (text !== undefined && last !== undefined && 'text' in last)
      units[units.length - 1] = { text: last.text + text };
    else if (text !== undefined) units.push({ text });
  }
  return units.filter((unit) => 'call' in unit || unit.text.trim() !== '');
}

/**
 * What the first piece of a reply can be in this content: a text from any of its parts to any other, or a call. Of a
 * content with many pieces nobody tells them all.
 */
function keysOf(content: GeminiContent, isReply = false): readonly string[] | undefined {
  const keyOfCall = (call: object): string => `call ${String(keyOf(call))}`;
  if (isReply) {
    return unitsOf(partsOf(content))
      .slice(0, 1)
      .map((unit) => ('call' in unit ? keyOfCall(unit.call) : unit.text.trimEnd()));
  }
  const keys: string[] = [];
  const parts = partsOf(content);
  if (parts.length > MOST_PIECES) return undefined;
  parts.forEach((part, from) => {
    const call = callOf(part);
    if (call !== undefined) keys.push(keyOfCall(call));
    let text = '';
    for (let at = from; parts[at] !== undefined && callOf(parts[at] as object) === undefined; at += 1) {
      text += saidIn(parts[at] as object) ?? '';
      keys.push(text.trimEnd());
    }
  });
  return keys;
}

const MOST_PIECES = 8;

/** Whether a reply stands in a content from one of its parts on, perhaps between others: turns are merged. */
function standsIn(content: GeminiContent, reply: GeminiContent): boolean {
  const said = partsOf(content).filter((part) => callOf(part) !== undefined || saidIn(part) !== undefined);
  const units = unitsOf(partsOf(reply));
  return said.some((_, from) => {
    const rest = matchUnits(said, units, from);
    // A call behind it belongs to another reply, which began with the same words.
    return rest !== undefined && (rest === said.length || callOf(said[rest] as object) === undefined);
  });
}

/** Where the units end that begin at `from`, if they all follow each other there. */
function matchUnits(said: readonly object[], units: readonly Unit[], from: number): number | undefined {
  let at = from;
  for (const unit of units) {
    if ('call' in unit) {
      while (said[at] !== undefined && saidIn(said[at] as object)?.trim() === '') at += 1;
      const call = said[at] === undefined ? undefined : callOf(said[at] as object);
      if (call === undefined || !isSameCall(call, unit.call) || !isCallable(call)) return undefined;
      at += 1;
      continue;
    }
    let text = '';
    do {
      const next = said[at] === undefined ? undefined : saidIn(said[at] as object);
      if (next === undefined || !unit.text.startsWith((text + next).trimEnd())) return undefined;
      text += next;
      at += 1;
    } while (text.trimEnd() !== unit.text.trimEnd());
  }
  return at;
}

/** Ids come again in every round, and are often left out. */
function isSameCall(one: object, other: object): boolean {
  return (
    keyOf(one) === keyOf(other) &&
    nameOf(one) === nameOf(other) &&
    askedFor(field(one, 'args')) === askedFor(field(other, 'args'))
  );
}

/** How `withPartials` reads this dialect. */
export const geminiReplies: ReplyReader<GeminiContent> = {
  parts(content) {
    if (!isModel(content)) return undefined;
    const calls = partsOf(content).flatMap((part) => callOf(part) ?? []);
    const named = calls.filter((call) => nameOf(call) !== undefined);
    return {
      prose: partsOf(content)
        .map((part) => saidIn(part) ?? '')
        .join('')
        .trimEnd(),
      calls: named.flatMap((call) => keyOf(call) ?? []),
      wholeCalls: named.filter(wholeArguments).map((call) => ({
        id: keyOf(call) as string,
        name: nameOf(call) as string,
        input: field(call, 'args'),
      })),
      seals: [],
    };
  },
  holds: standsIn,
  keys: keysOf,
  isPrompt: (content) => !isModel(content) && partsOf(content).some((part) => responseOf(part) === undefined),
  // The API's own word for a call whose signature nobody has: newer models want one on each.
  fromCall: ({ id, name, input }) => ({
    role: 'model',
    parts: [{ functionCall: { id, name, args: input }, thoughtSignature: 'skip_thought_signature_validator' }],
  }),
  unwrap(value) {
    const [candidate] = recordsIn(field(value, 'candidates'));
    return candidate === undefined ? undefined : field(candidate, 'content');
  },
  fromPartial(value) {
    if (typeof value === 'string') return { role: 'model', parts: value === '' ? [] : [{ text: value }] };
    if (!isRecord(value) || field(value, 'role') !== 'model' || !Array.isArray(field(value, 'parts'))) return undefined;
    const parts = recordsIn(field(value, 'parts'));
    const isKept = (part: object): boolean => {
      const call = callOf(part);
      if (call !== undefined) return isCallable(call);
      // What it thought goes with the reply; half a thought explains nothing.
      return responseOf(part) === undefined && field(part, 'thought') !== true && !isEmptyPart(part);
    };
    return { role: 'model', parts: parts.filter(isKept) };
  },
};
