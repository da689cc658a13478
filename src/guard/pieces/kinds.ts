/**
 * What a tool may return to be read, told from what is waited for.
 *
 * @module
 */
import { isObject, isThenable } from '../../core/foundation/check.ts';

/** Reads piece by piece. */
export type PieceReader = AsyncIterator<unknown, unknown, unknown>;

/** What is read by `for await`. */
export type Iterated = AsyncIterable<unknown, unknown, unknown>;

/** A stream of Node, as far as it is used here. */
export interface NodeStream {
  readonly destroyed: boolean;
  readonly errored?: unknown;
  /** The request that a response came by. */
  readonly req?: unknown;
  destroy(error?: unknown): unknown;
  emit(event: string | symbol, ...args: unknown[]): unknown;
  once(event: string | symbol, listener: (error?: unknown) => void): unknown;
  off(event: string | symbol, listener: (error?: unknown) => void): unknown;
}

/** Whether it is iterated, and not waited for: what can be waited for is its value, as of a process that can be both. */
export function isIterated(value: unknown): value is Iterated {
  return isObject(value) && !isThenable(value) && hasMethod(value, Symbol.asyncIterator);
}

/** Whether it is a stream of the web, and can be used as one by the platform itself. */
export function isWebStream(value: unknown): value is ReadableStream<unknown> {
  return typeof ReadableStream === 'function' && value instanceof ReadableStream;
}

/** Whether it is a stream of Node, of whatever package. */
export function isNodeStream(value: unknown): value is NodeStream {
  if (!isObject(value) || isThenable(value)) return false;
  const isOne = ['pipe', 'once', 'off', 'destroy'].every((name) => hasMethod(value, name));
  return isOne && ['_readableState', '_writableState', 'writableFinished'].some((name) => name in value);
}

/** Whether a value is what the language calls so. */
export function isTagged(value: object, name: string): boolean {
  return Object.prototype.toString.call(value) === `[object ${name}]`;
}

function hasMethod(value: object, name: PropertyKey): boolean {
  return typeof (value as Record<PropertyKey, unknown>)[name] === 'function';
}
