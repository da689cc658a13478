/**
 * How long a stream of Node lasts, whoever reads or writes it, and in whatever way: it says so itself.
 *
 * Invariants: the stream stays the tool's own object; to listen starts no flow, and an error that nobody else hears stays one.
 *
 * Prior art: `finished` of Node, which hears errors in the place of others.
 *
 * @module
 */
import { fieldsOf } from '../../core/interrupt/calls/call-identity.ts';
import type { CancellationToken } from '../../core/token/cancellation-token.ts';
import type { NodeStream } from './kinds.ts';

interface NodeHost {
  readonly process?: { getBuiltinModule?(id: string): { readonly errorMonitor?: symbol } | undefined };
}

/** Told of an end, with what it failed with if it did. */
type Told = (failure?: unknown) => void;

/** The event of an error that does not count as hearing it. Not an import: guards run where there is no Node. */
function errorMonitor(): symbol {
  return (globalThis as NodeHost).process?.getBuiltinModule?.('node:events')?.errorMonitor ?? Symbol('none');
}

/**
 * Whether Node has ended it for a reader that leaves, by an error that says neither of a cause nor of a reason; that of a response says
 * that its request was given up.
 */
function isLeaving({ req }: NodeStream, error: unknown): boolean {
  const { code, cause, reason } = fieldsOf(error);
  if (code === 'ECONNRESET') return fieldsOf(req)['aborted'] === true;
  return code === 'ABORT_ERR' && cause === undefined && reason === undefined;
}

/** Puts a method in the place of a stream's own; the result takes it away. */
function replace(stream: object, name: string, value: (...args: unknown[]) => unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(stream, name);
  Object.defineProperty(stream, name, { value, configurable: true, writable: true });
  return () => {
    if (fieldsOf(stream)[name] !== value) return;
    if (before === undefined) Reflect.deleteProperty(stream, name);
    else Object.defineProperty(stream, name, before);
  };
}

/**
 * Destroys the stream because of a stop. Whoever listens hears why. Where nobody does, or one that listens passes it on to where nobody
 * does, as `pipe` and `readline` do, Node would throw it, and end the process; so it does also for the request of a response.
 */
function stopWith(stream: NodeStream, reason: unknown): void {
  for (const each of [stream, stream.req]) {
    const { emit } = fieldsOf(each);
    if (typeof emit !== 'function') continue;
    const undo = replace(each as object, 'emit', (...args) => {
      // It is told once, before the close if there is one.
      if (args[0] === 'error' || args[0] === 'close') undo();
      try {
        return Reflect.apply(emit, each, args);
      } catch (error) {
        if (error !== reason) throw error;
        return false;
      }
    });
  }
  stream.destroy(reason);
}

/** Hears when the stream has been destroyed, where no event would tell of it; the result takes the ear away. */
function onDestroyed(stream: NodeStream, told: Told): () => void {
  const destroy = fieldsOf(stream)['_destroy'] as Told;
  return replace(stream, '_destroy', (error, done) => {
    const both: Told = (failure) => {
      (done as Told)(failure);
      told(failure);
    };
    Reflect.apply(destroy, stream, [error, both]);
  });
}

/** What a stream says of itself: the state of each side, and whether one of them tells of its close. */
function stateOf(stream: NodeStream) {
  const { _readableState, _writableState, writableFinished } = fieldsOf(stream);
  const readable = fieldsOf(_readableState);
  const writable = fieldsOf(_writableState);
  // Of one that is made for writing alone its only side counts.
  const isRead = _readableState !== undefined && readable['readable'] !== false;
  const hasEnded = isRead ? readable['endEmitted'] : (writableFinished ?? writable['finished']);
  const hasStates = _readableState !== undefined || _writableState !== undefined;
  const isSilent = hasStates && readable['emitClose'] !== true && writable['emitClose'] !== true;
  return { ending: isRead ? 'end' : 'finish', isOver: stream.destroyed || hasEnded === true, isSilent };
}

/** Settles when the stream has ended, failed or was left; a stop destroys it. Its chunks are no value of the call. */
export function lifeOf(stream: NodeStream, token: CancellationToken): Promise<void> {
  return new Promise((resolve, reject) => {
    const undo: (() => void)[] = [];
    const settle = (failure?: unknown): void => {
      for (const each of undo) each();
      if (failure === undefined) resolve();
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the stream's own error, whatever it is
      else reject(failure);
    };
    const over: Told = (failure) => {
      if (failure !== undefined && failure !== null && !isLeaving(stream, failure)) settle(failure);
      // Who leaves because of a stop has not read the rest.
      else settle(token.isCancelled ? token.signal.reason : undefined);
    };
    const { ending, isOver, isSilent } = stateOf(stream);
    if (isOver) {
      over(stream.errored);
      return;
    }
    const on = (event: string | symbol, told: Told): void => {
      stream.once(event, told);
      undo.push(() => stream.off(event, told));
    };
    on(ending, () => {
      settle();
    });
    on(errorMonitor(), over);
    on('close', () => {
      over(stream.errored);
    });
    if (isSilent) undo.push(onDestroyed(stream, over));
    const stop = token.onCancelled(() => {
      stopWith(stream, token.signal.reason);
    });
    undo.push(() => stop.unregister());
  });
}
