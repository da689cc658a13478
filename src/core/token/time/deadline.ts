/**
 * The two alarms of a token: its deadline, and the end of the grace after its cancel.
 *
 * @module
 */
import { createCancelledError } from '../../foundation/errors.ts';
import { reasonOfStop } from '../../foundation/reason-of-stop.ts';
import type { CancelReasonLike } from '../../foundation/reason.ts';
import { clearAlarm, nextOrder, setAlarm, type Alarm } from './alarm-heap.ts';
import { cancelIfOverdue } from './overdue.ts';
import { clockOf, reportCallbackError } from '../tree/environment.ts';
import { canChange } from '../tree/ancestors.ts';
import { Cancellation, STACK, extraOf, rareOf, type Node } from '../tree/node.ts';
import { cancelNode, isLive, killNode } from '../tree/propagation.ts';
import { isKilled } from '../tree/state.ts';

/** What to say when a limit has passed: the caller's reason, or the length of the limit. */
type Limit = CancelReasonLike | number;

/** Rings when the limit of a token has passed, or the grace after its cancel. */
class TokenAlarm implements Alarm {
  // A fractional instant, so that the field is a double from the start. See `Cancellation`.
  static readonly pinned: TokenAlarm = /* @__PURE__ */ new TokenAlarm(0.5, {} as Node, 0);
  // Declared, not defined: see `Source`.
  declare readonly at: number;
  declare index: number;
  declare readonly order: number;
  declare readonly token: Node;
  /** Nothing to say: a grace, whose kill keeps the reason of the cancel. */
  declare readonly what: Limit | undefined;

  constructor(at: number, token: Node, what: Limit | undefined) {
    this.at = at;
    this.index = -1;
    this.order = nextOrder();
    this.token = token;
    this.what = what;
  }

  ring(): void {
    const { token, what } = this;
    if (what !== undefined) {
      const init = typeof what === 'number' ? { message: `Not finished within ${String(what)} ms` } : what;
      if (isLive(token)) cancelNode(token, cancellationOf(token, init, 'deadline'));
      return;
    }
    if (token.extra?.rare?.grace === this) token.extra.rare.grace = undefined;
    if (token.cancellation !== undefined && !isKilled(token)) killNode(token, token.cancellation);
  }
}

/** The record of one cancel of this node, stamped with its clock and name. */
export function cancellationOf(
  token: Node,
  init: CancelReasonLike | undefined,
  kind: 'unknown' | 'deadline',
): Cancellation {
  const defaults = { kind, source: token.extra?.name, at: clockOf(token).now() };
  const reason = reasonOfStop(init, defaults, (error) => {
    reportCallbackError(token, error);
  });
  // A stack says who asked, so it is captured here and not where the error is first needed.
  const error = (token.flags & STACK) !== 0 ? createCancelledError(reason, { captureStack: true }) : undefined;
  return new Cancellation(reason, error);
}

/**
 * Cancels a token at an instant, instead of whatever own limit it had; now, if the instant has come.
 *
 * @param now The clock's now, if the caller has read it.
 */
export function limit(token: Node, at: number, what: Limit, now?: number): void {
  const clock = clockOf(token);
  const extra = extraOf(token);
  const old = extra.deadline;
  if (old !== undefined) clearAlarm(clock, old);
  if (at === Infinity || !isLive(token)) {
    extra.deadline = undefined;
    return;
  }
  const alarm = new TokenAlarm(at, token, what);
  extra.deadline = alarm;
  if (at > (now ?? clock.now())) setAlarm(clock, alarm);
  // The limits above that have passed came first, or the token would claim as its own what was theirs.
  else if (!cancelIfOverdue(token)) alarm.ring();
}

/** The earliest grace counts: a second cancel can hurry a stop, not delay it. */
export function armGrace(token: Node, graceMs: number): void {
  if (!canChange(token) || isKilled(token)) return;
  const clock = clockOf(token);
  const at = clock.now() + graceMs;
  const rare = rareOf(token);
  if (rare.grace !== undefined) {
    if (rare.grace.at <= at) return;
    clearAlarm(clock, rare.grace);
  }
  rare.grace = new TokenAlarm(at, token, undefined);
  setAlarm(clock, rare.grace);
}
