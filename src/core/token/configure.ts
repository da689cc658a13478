/**
 * What the maker of a token says of it, checked and applied.
 * On the token floor above `limits.ts`; bad input is refused here, before anything is armed.
 *
 * @module
 */
import { requireFunction, requireMs, show } from '../foundation/check.ts';
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
  if (name !== undefined) {
    if (typeof name !== 'string') throw new TypeError(`name must be a string, got ${show(name)}`);
    extraOf(token).name = name;
  }
  if (captureStack === true) token.flags |= STACK;
  if (timeoutMs === undefined && deadlineAt === undefined) return;
  const span = timeoutMs === undefined ? Infinity : requireMs('timeoutMs', timeoutMs, 'infinity-allowed');
  const until = deadlineAt === undefined ? Infinity : requireInstant(deadlineAt);
  if (span === Infinity && until === Infinity) return;
  const now = clockOf(token).now();
  const at = Math.min(now + span, until);
  limit(token, at, at < now + span ? Math.max(0, Math.round(at - now)) : span, now);
}

function requireInstant(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError(`deadlineAt must be epoch milliseconds, got ${show(value)}`);
  if (Number.isNaN(value) || value === -Infinity)
    throw new RangeError(`deadlineAt must be an instant, got ${String(value)}`);
  return value;
}

function requireClock(value: unknown): void {
  const clock = value as Partial<Clock> | null;
  if (typeof clock?.now !== 'function' || typeof clock.setTimer !== 'function') {
    throw new TypeError(`clock must have now() and setTimer(), got ${show(value)}`);
  }
}
