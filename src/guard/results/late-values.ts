/**
 * What the model reads of a value that came after the stop of its call: the value, and the note of the ledger. A text is told in words,
 * as is any other data; what has parts gets one more. The row has the value itself.
 *
 * @module
 */
import { isObject } from '../../core/foundation/check.ts';
import type { CancelReason } from '../../core/foundation/reason.ts';
import { fieldsOf } from '../../core/interrupt/calls/call-identity.ts';
import { plainCopy } from '../shapes.ts';
import type { ToldOutcome, WordsOf } from '../told-words.ts';
import { strandsText } from './strands-results.ts';

/** The outcome of a call that completed. */
export type Completed = Extract<ToldOutcome, { readonly status: 'completed' }>;

/** What is told, and how a caller that takes no text is told of words. */
export interface Telling {
  readonly dialect: WordsOf;
  readonly toResult?: ((text: string) => unknown) | undefined;
  /** Whether a list of two is a content and an artifact, as LangChain has them. */
  readonly isPair?: boolean | undefined;
}

/** The note alone. */
export function noteOf(outcome: Completed, { texts }: WordsOf, reason?: CancelReason): string {
  return texts.outcome({ ...outcome, call: {}, value: undefined }, reason);
}

/** A text with the note behind it. */
export function noted(text: string, note: string): string {
  return text === '' ? note : `${text}\n${note}`;
}

/**
 * The value as its caller is told of it: itself, unless it came after the stop of its call.
 *
 * @param reason Why the turn ended, if it has.
 */
export function toldValue(outcome: Completed, { dialect, toResult, isPair }: Telling, reason?: CancelReason): unknown {
  const { value, afterStop } = outcome;
  if (afterStop !== true) return value;
  const note = noteOf(outcome, dialect, reason);
  const words = (own: unknown): string => dialect.texts.outcome({ ...outcome, call: {}, value: own }, reason);
  const pair = isPair === true || isTwo(toResult?.(note));
  if (pair && isTwo(value)) return [withNote(value[0], note) ?? words(value[0]), value[1]];
  const own = withNote(value, note);
  if (own !== undefined) return own;
  const said = dialect.texts.outcome(outcome, reason);
  return toResult === undefined ? said : toResult(said);
}

/** The same for a program that works with the value: a text or parts have the note, and anything else is itself. */
export function ofItsKind(outcome: Completed, dialect: WordsOf): unknown {
  const { value } = outcome;
  const told = toldValue(outcome, { dialect });
  return typeof told === typeof value ? told : value;
}

function isTwo(value: unknown): value is readonly [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}

/** What has parts, with one more; `undefined` for what has none. */
export function withNote(value: unknown, note: string): unknown {
  if (isPart(value) && forms.has(value.type)) return [value, partOf([value], note)];
  if (isParts(value)) return [...value, partOf(value, note)];
  if (!isObject(value)) return undefined;
  if (fieldsOf(value)['lg_name'] === 'Command') return withUpdate(value, note);
  const content = contentWith(fieldsOf(value)['content'], note);
  return content === undefined ? undefined : plainCopy(value, new Map([['content', content]]));
}

function contentWith(content: unknown, note: string): unknown {
  if (typeof content === 'string') return noted(content, note);
  if (!Array.isArray(content)) return undefined;
  const parts = content as readonly unknown[];
  return parts.length === 0 || isParts(parts) ? [...parts, partOf(parts, note)] : undefined;
}

/** What a command of LangGraph writes: the message in it is what the model reads. */
function withUpdate(command: object, note: string): object {
  const { update } = fieldsOf(command);
  const told = (messages: unknown): unknown =>
    Array.isArray(messages)
      ? messages.map((one: unknown) => withNote(one, note) ?? one)
      : (withNote(messages, note) ?? messages);
  const entry = ([key, value]: readonly [unknown, unknown]): [unknown, unknown] => [
    key,
    key === 'messages' ? told(value) : value,
  ];
  const made = Array.isArray(update)
    ? (update as readonly (readonly [unknown, unknown])[]).map(entry)
    : Object.fromEntries(Object.entries(fieldsOf(update)).map(entry) as [string, unknown][]);
  return plainCopy(command, new Map([['update', made]]));
}

interface Part {
  readonly type: string;
  readonly text?: unknown;
}

/** Parts that a tool may return alone. */
const forms: ReadonlySet<string> = new Set(['text', 'image', 'file']);

function isPart(value: unknown): value is Part {
  return typeof fieldsOf(value)['type'] === 'string';
}

function isParts(value: unknown): value is readonly Part[] {
  return Array.isArray(value) && value.length > 0 && (value as readonly unknown[]).every(isPart);
}

/** The note as a part, as those beside it are. */
function partOf(beside: readonly unknown[], note: string): object {
  return beside.some((each) => isPart(each) && each.type.endsWith('Block'))
    ? strandsText(note)
    : { type: 'text', text: note };
}
