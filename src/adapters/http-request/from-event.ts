/**
 * A source that an event cancels. Prior art: RxJS `takeUntil(fromEvent(…))`.
 *
 * @module
 */
import {
  type CancellationTokenSource,
  type CancelReasonInit,
  createReason,
  type OptionNames,
  requireOptions,
} from '../../core/inside.ts';
import { listenTo, requireEvent, type EmitterLike } from '../internal/stream/event-target.ts';
import { ListeningSource, type OutsideSourceOptions } from './listening-source.ts';

/**
 * Options of {@link fromEvent}.
 *
 * @since 0.1.0
 */
export interface FromEventOptions extends OutsideSourceOptions {
  /**
   * What to cancel with, or a function of what the emitter passes; `undefined` or `false` from it says that this event is
   * no stop, `true` that a person wants it. By default kind `unknown` with the name of the event.
   */
  readonly reason?:
    | CancelReasonInit
    | string
    | ((...args: readonly unknown[]) => CancelReasonInit | string | boolean | null | undefined)
    | undefined;
}

const optionNames: OptionNames<FromEventOptions> = { token: 1, timeoutMs: 1, name: 1, reason: 1 };

/**
 * Makes a source that the first event of this name cancels.
 *
 * @checkpoint never
 * @cleanup The listener goes with the cancel, whoever asked for it, and with `release()`.
 * @param target An `EventTarget`, a Node `EventEmitter`, or alike.
 * @param event Its name.
 * @param options What to cancel with, a parent, a limit in milliseconds.
 * @returns The source; yours to release when the work it stands for has ended.
 * @throws TypeError, RangeError – arguments that make no sense.
 * @example
 * ```ts
 * import { fromEvent } from 'desist/http-request'
 *
 * const button = new EventTarget()
 * const stop = fromEvent(button, 'click', { reason: 'user' })
 * button.dispatchEvent(new Event('click'))
 * stop.reason?.kind // => 'user'
 * ```
 * @source RxJS `takeUntil`
 * @since 0.1.0
 */
export function fromEvent(
  target: EmitterLike,
  event: string | symbol,
  options: FromEventOptions = {},
): CancellationTokenSource {
  const name = String(requireEvent('event', event));
  requireOptions(options, optionNames);
  const { reason = { message: `Event ${name}` } } = options;
  // A reason that makes no sense is refused now, not when nobody is there to catch it.
  if (typeof reason !== 'function') createReason(reason);
  const reasonOf = typeof reason === 'function' ? reason : () => reason;
  const source = new ListeningSource(options);
  source.listen(() =>
    listenTo('target', target, event, (...args) => {
      source.cancelWith(reasonOf, ...args);
    }),
  );
  return source;
}
