/**
 * What the model reads of a value that came after the stop of its call: the value, and the note of the ledger. A text is told in words,
 * as is any other data; what has parts gets one more. The row has the value itself.
 *
 * @module
 */
import { isObject } from '../../core/foundation/check.ts';
import type { CancelReason } from '../../core/foundation/reason.ts';
import { fieldsOf } from '../../core/interrupt/calls/call-identity.ts';
import { isPlain, plainCopy } from '../shapes.ts';
import type { ToldOutcome, WordsOf } from '../told-words.ts';

/** The outcome of a call that completed after its stop. */
export type Late = Extract<ToldOutcome, { readonly status: 'completed' }> & { readonly afterStop: true };

/** What is told, and how a caller that takes no text is told of words. */
export interface Telling {
  readonly dialect: WordsOf;
  readonly toResult?: ((text: string) => unknown) | undefined;
  /** Whether a list of two is a content and an artifact, as LangChain has them. */
  readonly isPair?: boolean | undefined;
}

/** Whether nothing in what a call gave says that it came after the stop of its call. */
export function isLate(outcome: ToldOutcome): outcome is Late {
  return outcome.status === 'completed' && outcome.afterStop === true;
}

/** The note alone. */
export function noteOf(outcome: Late, { texts }: WordsOf, reason?: CancelReason): string {
  return texts.outcome({ ...outcome, call: {}, value: undefined }, reason);
}

/** A text with the note behind it. */
export function noted(text: string, note: string): string {
  return text === '' ? note : `${text}\n${note}`;
}

/**
 * The value as its caller is told of it.
 *
 * @param reason Why the turn ended, if it has.
 */
export function lateValue(outcome: Late, { dialect, toResult, isPair }: Telling, reason?: CancelReason): unknown {
  const { value } = outcome;
  const note = noteOf(outcome, dialect, reason);
  const words = (own: unknown): string => dialect.texts.outcome({ ...outcome, call: {}, value: own }, reason);
  const pair = isPair === true || isTwo(toResult?.(note));
  if (pair && isTwo(value)) return [withNote(value[0], note) ?? words(value[0]), value[1]];
  const own = withNote(value, note);
  if (own !== undefined) return own;
  const said = dialect.texts.outcome(outcome, reason);
  return toResult === undefined ? said : toResult(said);
}

function isTwo(value: unknown): value is readonly [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}

/** What has parts, with one more; `undefined` for what has none. */
function withNote(value: unknown, note: string): unknown {
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

/** The note as a part; of the class of the texts beside it, if they have one. */
function partOf(beside: readonly unknown[], note: string): object {
  const like = beside.find((each): each is object => isObject(each) && !isPlain(each) && 'text' in each);
  return like === undefined ? { type: 'text', text: note } : plainCopy(like, new Map([['text', note]]));
}
