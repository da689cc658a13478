/**
 * The two alarms of a token: its deadline, and the end of the grace after its cancel.
 * On the token floor between `deadline.ts`, which rings them, and the source that sets them.
 *
 * @module
 */
import { createCancelledError } from '../foundation/errors.ts';
import { pin } from '../foundation/pin.ts';
import { createReason, type CancelReasonInit } from '../foundation/reason.ts';
import { Alarm, clearAlarm, setAlarm } from './deadline.ts';
import { clockOf } from './environment.ts';
import { canChange } from './lookup.ts';
import { Cancellation, STACK, Node, extraOf, rareOf } from './node.ts';
import { cancelNode, isLive, killNode } from './propagation.ts';
import { isKilled } from './pull.ts';

/** What to say when a limit has passed: the caller's reason, or the length of the limit. */
type Limit = CancelReasonInit | string | number;

/** Rings when the limit of a token has passed, or the grace after its cancel. */
class TokenAlarm extends Alarm {
  declare readonly token: Node;
  /** Nothing to say: a grace, whose kill keeps the reason of the cancel. */
  declare readonly what: Limit | undefined;

  constructor(at: number, token: Node, what: Limit | undefined) {
    super(at);
    this.token = token;
    this.what = what;
  }

  override ring(): void {
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
  init: CancelReasonInit | string | undefined,
  kind: 'unknown' | 'deadline',
): Cancellation {
  const reason = createReason(init, { kind, source: token.extra?.name, at: clockOf(token).now() });
  // A stack says who asked, so it is captured here and not where the error is first needed.
  const error = (token.flags & STACK) !== 0 ? createCancelledError(reason, { captureStack: true }) : undefined;
  return new Cancellation(reason, error);
}

/** Cancels a token at an instant, instead of whatever own limit it had. */
export function limit(token: Node, at: number, what: Limit): void {
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
  setAlarm(clock, alarm);
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

// A fractional instant, so that the field is a double from the start.
pin(new TokenAlarm(0.5, new Node(undefined), 0));
