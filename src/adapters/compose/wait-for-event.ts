/**
 * One event, unless somebody says stop first. Prior art: abort-controller-x `waitForEvent`, RxJS `fromEvent`, Node's
 * `events.once`.
 *
 * @module
 */
import { waitForEvent as waitUnder } from 'abort-controller-x';

import {
  callSafely,
  type OptionNames,
  requireOptions,
  show,
  type Token,
  type TokenLike,
  tokenOf,
} from '../../core/inside.ts';
import { type EmitterLike, type Method, requirePair } from '../internal/stream/event-target.ts';
import { runUnder } from './relay.ts';

/**
 * Options of {@link waitForEvent}.
 *
 * @since 0.1.0
 */
export interface WaitForEventOptions {
  /** The event's name. */
  readonly event: string | symbol;
  /** Milliseconds to wait at most. */
  readonly timeoutMs?: number | undefined;
  /** For an `EventTarget`: listen on the way down. */
  readonly capture?: boolean | undefined;
  /** For an `EventTarget`: promise not to prevent the default. */
  readonly passive?: boolean | undefined;
}

/**
 * The target as the library sees it. Its listener is removed inside an abort or an emit, where a throw would go to
 * whoever cancelled or emitted: it is reported like any callback's.
 */
function guarded(token: Token, target: unknown): EmitterLike {
  const [add, remove] = requirePair('target', target);
  const methods = target as Record<string, Method>;
  return {
    [add]: (...args: unknown[]) => methods[add]?.(...args),
    [remove]: (...args: unknown[]) => callSafely(token, () => methods[remove]?.(...args)),
  } as unknown as EmitterLike;
}

const optionNames: OptionNames<WaitForEventOptions> = { event: 1, timeoutMs: 1, capture: 1, passive: 1 };

function optionsOf(event: string | symbol | WaitForEventOptions): WaitForEventOptions {
  if (typeof event === 'string' || typeof event === 'symbol') return { event };
  const name: unknown = (event as WaitForEventOptions | null | undefined)?.event;
  if (typeof name === 'string' || typeof name === 'symbol') {
    requireOptions(event, optionNames);
    return event;
  }
  throw new TypeError(`event must be a string or a symbol, got ${show(name)}`);
}

/**
 * Waits for one event. An emitter that fails says so by another event: race it against a wait for `'error'`.
 *
 * @checkpoint always, before and while it waits; nothing is listened to if the token is cancelled
 * @fairness An event that came before the cancel, also in the same tick, beats it.
 * @cleanup The listener is gone when the promise settles; what its removal throws is reported like a callback's error.
 * @param token Whose stop.
 * @param target An `EventTarget`, a Node `EventEmitter`, or alike.
 * @param event Its name, or options with a name.
 * @returns The event; of an emitter that passes several arguments, their array.
 * @throws CancelledError – as a rejection. DeadlineExceededError – as a rejection: `timeoutMs` passed. TypeError,
 * RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { EventEmitter } from 'node:events'
 * import { waitForEvent } from 'desist/compose'
 *
 * const server = new EventEmitter()
 * setImmediate(() => server.emit('listening', 8080))
 * await waitForEvent<number>(null, server, { event: 'listening', timeoutMs: 5000 }) // => 8080
 * ```
 * @source abort-controller-x `waitForEvent`
 * @since 0.1.0
 */
export async function waitForEvent<T = unknown>(
  token: TokenLike | null | undefined,
  target: EmitterLike,
  event: string | symbol | WaitForEventOptions,
): Promise<T> {
  const { event: name, timeoutMs, ...listening } = optionsOf(event);
  const safe = guarded(tokenOf(token), target);
  return runUnder<T>(
    token,
    (signal) => waitUnder<T>(signal, safe as Parameters<typeof waitUnder<T>>[1], name, listening as object),
    { timeoutMs, name: `event ${String(name)}` },
  );
}
