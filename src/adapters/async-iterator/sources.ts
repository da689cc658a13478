/**
 * Everything that can be read item by item, in one shape: how it is opened, and how it is closed if it never was.
 *
 * Prior art: `for await`'s own conversion of iterables, `it-stream-types`, Node's `Readable.from`.
 *
 * @module
 */
import { show } from '../../core/inside.ts';
import { isEmitter, type EmitterLike } from '../internal/stream/event-target.ts';
import type { SourceIterator } from '../internal/stream/source-end.ts';
import { EventReader, type EventIterableOptions } from './event-source.ts';

/**
 * What can be read under a token: whatever `for await` takes, an iterator by itself, and a web stream also where it
 * cannot be iterated. Node streams are async iterables; emitters need the name of an event.
 *
 * @since 0.1.0
 */
export type IterableSource<T> =
  | AsyncIterable<T>
  | Iterable<T | PromiseLike<T>>
  | AsyncIterator<T, unknown>
  | Iterator<T, unknown>
  | ReadableStreamLike<T>;

/**
 * The part of a WHATWG `ReadableStream` that reading needs.
 *
 * @since 0.1.0
 */
export interface ReadableStreamLike<T> {
  /** Locks the stream to one reader. */
  getReader(): {
    /** The next chunk. */
    read(): Promise<{ readonly done: boolean; readonly value?: T | undefined }>;
    /** Closes the stream: nobody wants the rest. */
    cancel(reason?: unknown): Promise<unknown>;
    /** Unlocks the stream. */
    releaseLock(): void;
  };
  /** The same for a stream that nobody reads. */
  cancel(reason?: unknown): Promise<unknown>;
}

/** A source that is not necessarily open yet. */
export interface OpenableSource<T> {
  readonly open: () => SourceIterator<T>;
  /** Closes what there is of it, instead of `open`. */
  readonly discard: () => unknown;
}

/** A Node stream, as far as closing it goes. */
interface NodeStream {
  readonly closed?: boolean | undefined;
  destroy(): unknown;
  once(event: string, listener: () => void): unknown;
}

type Shape = Partial<Record<PropertyKey, unknown>>;

function has(value: Shape, ...names: readonly PropertyKey[]): boolean {
  return names.every((name) => typeof value[name] === 'function');
}

/**
 * Recognises a source.
 *
 * @throws TypeError – nothing that can be read, or an emitter without the name of an event.
 */
export function sourceOf(source: unknown, events: Partial<EventIterableOptions>): OpenableSource<unknown> {
  const { event } = events;
  if (event !== undefined) return fromEvents(source, { ...events, event });
  if (typeof source === 'object' && source !== null) {
    const shape = source as Shape;
    if (has(shape, 'getReader', 'cancel')) return fromWebStream(source as ReadableStreamLike<unknown>);
    if (has(shape, Symbol.asyncIterator, 'destroy', 'once')) return fromNodeStream(source as never);
    if (has(shape, Symbol.asyncIterator)) return fromIterable(source as AsyncIterable<unknown>);
    if (has(shape, Symbol.iterator)) return fromSync(source as Iterable<unknown>);
    if (has(shape, 'next')) return fromIterator(source as AsyncIterator<unknown>);
    if (isEmitter(source)) throw new TypeError(`an emitter needs the name of an event, got ${show(event)}`);
  }
  throw new TypeError(`source must be an iterable, an iterator or a stream, got ${show(source)}`);
}

function fromIterator(iterator: AsyncIterator<unknown, unknown>): OpenableSource<unknown> {
  return { open: () => iterator, discard: () => iterator.return?.() };
}

function fromIterable(iterable: AsyncIterable<unknown> & { return?: () => unknown }): OpenableSource<unknown> {
  return {
    open: () => iterable[Symbol.asyncIterator]() as SourceIterator<unknown>,
    // An iterable that is an iterator too, as a generator is, exists already; any other begins when it is opened.
    discard: () => iterable.return?.(),
  };
}

/** As `for await` has it: items that are promises are awaited, and one that rejects closes the iterator. */
function fromSync(iterable: Iterable<unknown>): OpenableSource<unknown> {
  return {
    open: () => {
      const iterator = iterable[Symbol.iterator]();
      return {
        next: async () => {
          const { done, value } = iterator.next() as IteratorResult<unknown, unknown>;
          try {
            return { done: done === true, value: await value };
          } catch (error) {
            if (done !== true) iterator.return?.();
            throw error;
          }
        },
        return: async () => {
          iterator.return?.();
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
    discard: () => undefined,
  };
}

function fromWebStream(stream: ReadableStreamLike<unknown>): OpenableSource<unknown> {
  return {
    open: () => {
      const reader = stream.getReader();
      return {
        next: async () => {
          const { done, value } = await reader.read();
          if (done) reader.releaseLock();
          return { done, value };
        },
        return: async () => {
          await reader.cancel();
          reader.releaseLock();
          return { done: true, value: undefined };
        },
      };
    },
    discard: () => stream.cancel(),
  };
}

/** Its own iterator is a generator: while it waits for a chunk, `return()` would wait with it. */
function fromNodeStream(stream: AsyncIterable<unknown> & NodeStream): OpenableSource<unknown> {
  const discard = (): Promise<void> => destroyed(stream);
  return {
    open: () => {
      const iterator = stream[Symbol.asyncIterator]();
      return {
        next: () => iterator.next(),
        return: async () => {
          await discard();
          return { done: true, value: undefined };
        },
      };
    },
    discard,
  };
}

async function destroyed(stream: NodeStream): Promise<void> {
  if (stream.closed === true) return;
  let failure: unknown;
  await new Promise<void>((resolve) => {
    // Whoever reads no longer would not hear it, and an `error` that nobody hears ends the process.
    (stream as { once(event: string, listener: (error?: unknown) => void): unknown }).once('error', (error) => {
      failure = error;
    });
    stream.once('close', resolve);
    stream.destroy();
    // Old streams say nothing when they close.
    if (stream.closed === undefined) resolve();
  });
  if (failure !== undefined) throw failure as Error;
}

function fromEvents(source: unknown, options: EventIterableOptions): OpenableSource<unknown> {
  const reader = new EventReader(source as EmitterLike, options);
  return { open: () => reader, discard: () => reader.return() };
}
