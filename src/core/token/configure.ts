/**
 * What the maker of a token says of it, checked and applied.
 * On the token floor above `limits.ts`; bad input is refused here, before anything is armed.
 *
 * @module
 */
import { optionalText, requireFunction, requireMs, show, wrongType } from '../foundation/check.ts';
import type { Clock } from '../foundation/clock.ts';
import { clockOf, setEnvironment } from './environment.ts';
import type { ChildOptions } from './handles.ts';
import { limit } from './limits.ts';
import { STACK, extraOf, type Node } from './node.ts';

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
  if (deadlineAt < at) limit(token, deadlineAt, Math.max(0, Math.round(deadlineAt - now)));
  else limit(token, at, timeoutMs);
}

function requireInstant(value: unknown): void {
  if (typeof value !== 'number') throw wrongType('deadlineAt', 'epoch milliseconds', value);
  if (!(value > -Infinity)) throw new RangeError(`deadlineAt must be an instant, got ${String(value)}`);
}

function requireClock(value: unknown): void {
  const clock = value as Partial<Clock> | null;
  if (typeof clock?.now !== 'function' || typeof clock.setTimer !== 'function') {
    throw new TypeError(`clock must have now() and setTimer(), got ${show(value)}`);
  }
}
