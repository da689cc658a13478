/**
 * What the maker of a token says of it, checked and applied.
 *
 * @module
 */
import { optionalText, requireFunction, requireMs, wrongType, type OptionsOnly } from '../foundation/check.ts';
import { requireClock, type Clock } from '../foundation/clock.ts';
import { clockOf, setEnvironment } from './tree/environment.ts';
import { limit } from './time/deadline.ts';
import { STACK, extraOf, type Node } from './tree/node.ts';

/**
 * Options of `token.child()`.
 *
 * @since 0.1.0
 */
export interface ChildOptions extends OptionsOnly {
  /** Names the scope in reasons and reports. */
  readonly name?: string | undefined;
  /** Cancels with kind `deadline` after so many milliseconds; `Infinity` for none. */
  readonly timeoutMs?: number | undefined;
  /** The same as an instant, epoch ms on the token's clock. With both, the earlier counts. */
  readonly deadlineAt?: number | undefined;
  /** Measures the limits; by default the parent's clock, at the root the computer's. */
  readonly clock?: Clock | undefined;
  /** Gives the error of a cancel of this source a stack trace. Off by default, for it costs more than all the rest. */
  readonly captureStack?: boolean | undefined;
  /**
   * Told of an error that a callback threw. By default the parent's, and at the root `globalThis.reportError` where it
   * exists, else `console.error`.
   */
  readonly onCallbackError?: ((error: unknown) => void) | undefined;
}

/** Applies what the maker of a token said of it. */
export function configure(token: Node, options: ChildOptions): void {
  const { name, timeoutMs, deadlineAt, clock, captureStack, onCallbackError } = options;
  if (clock !== undefined || onCallbackError !== undefined) {
    if (clock !== undefined) requireClock(clock);
    if (onCallbackError !== undefined) requireFunction('onCallbackError', onCallbackError);
    setEnvironment(token, clock, onCallbackError);
  }
  if (name !== undefined) extraOf(token).name = optionalText('name', name);
  if (captureStack === true) token.flags |= STACK;
  if (timeoutMs !== undefined || deadlineAt !== undefined) arm(token, timeoutMs, deadlineAt);
}

/** The nearer of a span from now and an instant. */
function arm(token: Node, timeoutMs = Infinity, deadlineAt = Infinity): void {
  requireMs('timeoutMs', timeoutMs, 'infinity-allowed');
  requireInstant(deadlineAt);
  if (timeoutMs === Infinity && deadlineAt === Infinity) return;
  const now = clockOf(token).now();
  const at = now + timeoutMs;
  if (deadlineAt < at) limit(token, deadlineAt, Math.max(0, Math.round(deadlineAt - now)), now);
  else limit(token, at, timeoutMs, now);
}

function requireInstant(value: unknown): void {
  if (typeof value !== 'number') throw wrongType('deadlineAt', 'epoch milliseconds', value);
  if (!(value > -Infinity)) throw new RangeError(`deadlineAt must be an instant, got ${String(value)}`);
}
