/**
 * Turning a stream's events into one value that is good at every moment, because any moment may be the last. Prior
 * art: `Array.prototype.reduce`, Rust's `FromIterator`.
 *
 * @module
 */
import { isObject, replyEnd, show } from '../../../core/inside.ts';
import type { StreamUsage } from '../usage.ts';

/**
 * Takes events one by one and has a value at any time.
 *
 * @since 0.1.0
 */
export interface StreamFold<E, R> {
  /** Takes in the next event. What it throws fails the stream. */
  add(event: E): void;
  /** Takes in that the stream ended by itself and without an error, where some servers say no other word of an end. */
  end?(): void;
  /** What has come so far; a new object each time, never changed afterwards. */
  readonly value: R;
}

/**
 * A tool call that the stream had begun and not finished. Something to show or to log: never to be run, and never to be
 * sent back.
 *
 * @since 0.1.0
 */
export interface CallFragment {
  /** The provider's id, if it had come. */
  readonly id: string | undefined;
  /** The tool's name, as far as it had come. */
  readonly name: string;
  /** The arguments as far as they had come: the beginning of a JSON text. */
  readonly json: string;
}

/**
 * What one model call has said so far, in a shape that can go back to the provider.
 *
 * The lists of a reply with hundreds of parts are made when they are first read: until then `console.log` shows `[Getter]`.
 *
 * @since 0.1.0
 */
export interface ModelReply<M, C> {
  /**
   * The assistant message, without what a cut left unfinished: no half tool call, no unsigned thinking, no empty text.
   * Its content can be empty; then it must not be sent.
   */
  readonly message: M;
  /** The finished tool calls, in the provider's own shape. A half-streamed call is never among them. */
  readonly calls: readonly C[];
  /** What had come of the calls that did not get that far; empty once the reply is complete, unless a limit cut it. */
  readonly fragments: readonly CallFragment[];
  /** All text, joined. */
  readonly text: string;
  /** The provider's word for why it stopped; `undefined` if it did not say so before the end. */
  readonly stopReason: string | undefined;
  /** Whether the provider said that it had finished, or a server that never does ended its stream. */
  readonly isComplete: boolean;
  /** What the provider said of its failure, where it did: an object as it came, else its words as `{ code, message }`. */
  readonly error?: unknown;
  /** What it cost, or at least. */
  readonly usage: StreamUsage;
}

/** @throws TypeError – not an event: a stream of text, or one that was read twice over, is not the SDK's. */
export function requireEventObject(event: unknown): void {
  if (!isObject(event)) throw new TypeError(`an event of the stream must be an object, got ${show(event)}`);
}

/** What a provider says in an event of its failure. */
export function failureIn(event: object): object | undefined {
  const { error } = event as { readonly error?: unknown };
  if (isObject(error)) return error;
  return (error ?? undefined) === undefined ? undefined : { code: undefined, message: error };
}

/** How a reply ended: what failed is not complete, whatever else was said of its end before or behind that. */
export function endOfReply(
  stopReason: string | undefined,
  hasEnded: boolean,
  error: unknown,
): Pick<ModelReply<unknown, unknown>, 'stopReason' | 'isComplete' | 'error'> {
  const isComplete = hasEnded && error === undefined && replyEnd(stopReason) !== 'failed';
  return { stopReason, isComplete, ...(error !== undefined && { error }) };
}

/** The objects of a list that a server sent: what is no list has none, and what is no object in it is no piece. */
export function piecesIn<T extends object>(list: readonly T[] | null | undefined): readonly T[] {
  if (!Array.isArray(list)) return [];
  const pieces = list as readonly T[];
  // Nearly every list holds nothing else.
  return pieces.every(isObject) ? pieces : pieces.filter(isObject);
}

/** A list that a server sent; anything else stands for an empty one. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** A text that a server sent; `null` stands for none with some. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A piece of arguments; compatible servers may send all of them as an object. */
export function jsonIn(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : textIn(value);
}

/** Arguments as the model streams them; nothing streamed means no arguments. */
export function parseArguments(json: string): { readonly value: unknown } | undefined {
  if (json.trim() === '') return { value: {} };
  try {
    return { value: JSON.parse(json) as unknown };
  } catch {
    return undefined; // cut, by us or by the token limit
  }
}

/** Whether a text is all of the arguments of a call that something may have cut: an object, however little is in it. */
export function isWholeObject(json: string): boolean {
  return json.trimStart().startsWith('{') && parseArguments(json) !== undefined;
}

const visible = /\S/;

/** Whether a piece has more than white space: asked of each piece, never of what has grown. */
export function isVisible(piece: string): boolean {
  return visible.test(piece);
}
