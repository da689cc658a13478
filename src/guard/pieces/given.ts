/**
 * What a tool returns to be read: how that is begun piece by piece, and what is known of its end where it is read in another way.
 *
 * Prior art: `finished` of Node, which knows the end of a stream whoever reads it.
 *
 * @module
 */
import { isObject, isThenable } from '../../core/foundation/check.ts';
import { fieldsOf } from '../../core/interrupt/calls/call-identity.ts';

/** Reads piece by piece. */
export type PieceReader = AsyncIterator<unknown, unknown, unknown>;

/** What was returned, as the call sees it. */
export interface Given {
  /** Begins to read it. */
  open(): PieceReader;
  /** Ends it, whoever reads it; settles when it has ended. What has no such way ends where its reader leaves it. */
  readonly cut?: (reason: unknown) => PromiseLike<unknown>;
  /** Tells of its end, with what it failed with if it did; the result takes the listener away. */
  readonly watch?: (ended: (failure?: unknown) => void) => () => void;
  /** Whether something that cannot be seen reads it. */
  readonly isTaken?: () => boolean;
}

/** A stream of Node, as far as it is used here. */
export interface NodeStream extends AsyncIterable<unknown> {
  readonly destroyed: boolean;
  readonly closed?: boolean;
  readonly readableEnded?: boolean;
  readonly readableFlowing: boolean | null;
  readonly errored?: unknown;
  /** The request that a response came by. */
  readonly req?: unknown;
  destroy(error?: unknown): unknown;
  listenerCount(event: 'error'): number;
  once(event: 'close' | 'end', listener: () => void): unknown;
  off(event: 'close' | 'end', listener: () => void): unknown;
}

/** Whether it is read, and not waited for: what can be waited for is its value, as of a process that can be both. */
export function isRead(value: unknown): value is AsyncIterable<unknown, unknown, unknown> {
  return isObject(value) && !isThenable(value) && (hasMethod(value, Symbol.asyncIterator) || isWebStream(value));
}

/** Whether it is a stream of the web, and can be used as one by the platform itself. */
export function isWebStream(value: object): value is ReadableStream<unknown> {
  return typeof ReadableStream === 'function' && value instanceof ReadableStream;
}

/** Whether it is a stream of Node, of whatever package. */
export function isNodeStream(value: object): value is NodeStream {
  return ['pipe', 'once', 'off', 'destroy'].every((name) => hasMethod(value, name)) && 'readableFlowing' in value;
}

/** Whether a value is what the language calls so. */
export function isTagged(value: object, name: string): boolean {
  return Object.prototype.toString.call(value) === `[object ${name}]`;
}

function hasMethod(value: object, name: PropertyKey): boolean {
  return typeof (value as Record<PropertyKey, unknown>)[name] === 'function';
}

/** What a call knows of it. */
export function givenOf(value: AsyncIterable<unknown, unknown, unknown>): Given {
  if (isWebStream(value)) return webGiven(value);
  if (isNodeStream(value)) return nodeGiven(value);
  return { open: () => value[Symbol.asyncIterator]() };
}

/** By a reader, whose cancel does not wait for a read. */
function webGiven(stream: ReadableStream<unknown>): Given {
  let reader: ReadableStreamDefaultReader<unknown> | undefined;
  const cut = (reason: unknown): Promise<void> => (reader ?? stream).cancel(reason);
  return {
    cut,
    open: () => {
      const own = stream.getReader();
      reader = own;
      return {
        next: () => own.read(),
        return: async (value) => {
          await cut(value);
          return { done: true, value };
        },
      };
    },
  };
}

/** Whether somebody listens for an error of it. */
function hearsErrors(emitter: unknown): boolean {
  return (fieldsOf(emitter) as Partial<NodeStream>).listenerCount?.('error') !== 0;
}

/** Whether a helper of Node's own, such as `take`, has read enough: it leaves by an error that says of no cause. */
function hasBeenLeft({ errored }: NodeStream): boolean {
  const { code, cause } = fieldsOf(errored);
  return code === 'ABORT_ERR' && cause === undefined;
}

function nodeGiven(stream: NodeStream): Given {
  return {
    open: () => stream[Symbol.asyncIterator](),
    cut: async (reason) => {
      if (stream.closed === true) return;
      await new Promise<void>((resolve) => {
        stream.once('close', resolve);
        // An error of ours would end the process where nobody listens for it. That of a response goes on to its request.
        const isHeard = [stream, stream.req].every((each) => each === undefined || hearsErrors(each));
        stream.destroy(isHeard ? reason : undefined);
      });
    },
    watch: (ended) => {
      const close = (): void => {
        ended(hasBeenLeft(stream) ? undefined : (stream.errored ?? undefined));
      };
      const end = (): void => {
        ended();
      };
      if (stream.destroyed || stream.readableEnded === true) close();
      stream.once('close', close);
      stream.once('end', end);
      return () => {
        stream.off('close', close);
        stream.off('end', end);
      };
    },
    isTaken: () => stream.readableFlowing !== null,
  };
}
