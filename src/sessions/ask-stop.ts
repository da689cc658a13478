/**
 * Asks a bus for a stop, and follows it as far as somebody wants to know.
 *
 * Invariants: never more than the bus knows; never rejects for what the bus does; no longer than there is time.
 *
 * @module
 */
import { requireMs, requireOneOf, requireOptions, requireWhole, type OptionNames } from '../core/foundation/check.ts';
import type { Clock } from '../core/foundation/clock.ts';
import { fieldOf } from '../core/foundation/reason-of-stop.ts';
import type { GroupReceipt, RemoteReceipt, SessionCancelOptions } from './remote-receipt.ts';
import type { GroupProgress, StopBus, StopOutcome, StopProgress, StopRequest, StopStatus } from './stop-bus.ts';
import { Portions } from '../core/combinators/portions.ts';
import { waitAtMost } from '../core/combinators/wait-at-most.ts';

/** How far to wait, and for how many milliseconds. */
export interface AskStopOptions {
  readonly wait: 'requested' | 'observed' | 'settled';
  readonly timeoutMs: number;
}

/** The same, with the instant at which that is over. */
interface Limits extends AskStopOptions {
  readonly endsAt: number;
}

/** How far a stop comes, in this order. */
const steps: readonly StopStatus[] = ['pending', 'requested', 'observed', 'settled'];

export const askNames: OptionNames<SessionCancelOptions> = { turnId: 1, wait: 1, level: 1, epoch: 1, timeoutMs: 1 };

/**
 * Refuses options in the place of the reason: what they say would be lost.
 *
 * @throws TypeError – an option's name, and nothing of a reason.
 */
export function refuseOptions(reason: unknown, known: Readonly<Record<string, 1>>): void {
  if (fieldOf(reason, 'kind') !== undefined || fieldOf(reason, 'message') !== undefined) return;
  const name = Object.keys(known).find((option) => fieldOf(reason, option) !== undefined);
  if (name !== undefined)
    throw new TypeError(`reason.${name} is an option: write the options after the reason, which may be undefined`);
}

/** Refuses options that make no sense, and says how far to wait. */
export function readAskOptions(options: SessionCancelOptions): SessionCancelOptions & AskStopOptions {
  requireOptions(options, askNames);
  const { turnId, wait = 'requested', timeoutMs = 10_000, level, epoch } = options;
  requireOneOf('wait', wait, ['requested', 'observed', 'settled']);
  requireMs('timeoutMs', timeoutMs, 'infinity-allowed');
  // Text out of a form would be no turn here, and every turn on a bus.
  if (turnId !== undefined) requireWhole('turnId', turnId, 1);
  if (epoch !== undefined) requireWhole('epoch', epoch, 0);
  if (level !== undefined) requireOneOf('level', level, ['cancel', 'kill']);
  if (level === 'kill' && turnId !== undefined)
    throw new TypeError("a kill is of everything: leave turnId out, or say level: 'cancel'");
  return { turnId, level, epoch, wait, timeoutMs };
}

/** How far the stop came. */
export function askStop(
  bus: StopBus,
  clock: Clock,
  request: StopRequest,
  options: AskStopOptions,
): Promise<RemoteReceipt> {
  const limits = { ...options, endsAt: clock.now() + options.timeoutMs };
  return follow(clock, request, () => bus.request(request), limits);
}

/** How far the stops came of everybody in a group. */
export async function askGroup(
  bus: StopBus,
  clock: Clock,
  { group, ...request }: Pick<StopRequest, 'reason' | 'level'> & { readonly group: string },
  options: AskStopOptions,
): Promise<GroupReceipt> {
  if (bus.requestGroup === undefined) throw new TypeError('the bus keeps no groups');
  const limits = { ...options, endsAt: clock.now() + options.timeoutMs };
  let asked: GroupProgress | undefined;
  try {
    asked = await waitAtMost(clock, options.timeoutMs, bus.requestGroup(group, request));
  } catch {
    // Nobody can say whom the group has.
  }
  const { isComplete = false, stops = [] } = asked ?? {};
  const portions = new Portions(clock);
  const receipts: Promise<RemoteReceipt>[] = [];
  for (const { sessionId, progress } of stops)
    portions.add(() => void receipts.push(follow(clock, { sessionId, ...request }, () => progress, limits)));
  await portions.passed();
  return { group, isComplete, receipts: await Promise.all(receipts) };
}

/** The receipt of a stop of which no more is known. */
export function receiptOf({ sessionId, reason }: StopRequest, status: StopStatus, timedOut = false): RemoteReceipt {
  return { sessionId, reason, timedOut, status };
}

async function follow(
  clock: Clock,
  request: StopRequest,
  ask: () => Promise<StopProgress>,
  { wait, endsAt }: Limits,
): Promise<RemoteReceipt> {
  let asked: StopProgress | undefined;
  try {
    asked = await waitAtMost(clock, Math.max(0, endsAt - clock.now()), ask());
  } catch {
    return receiptOf(request, 'unconfirmed');
  }
  if (asked === undefined) return receiptOf(request, 'unconfirmed', true);
  const { status, report } = await outcomeOf(clock, asked, wait, endsAt);
  const reached = steps.indexOf(status);
  return {
    sessionId: request.sessionId,
    // Another stop of the same work may have come first, which only the work knows.
    reason: report?.reason ?? asked.reason ?? request.reason,
    status,
    timedOut: reached >= 0 && reached < steps.indexOf(wait) && wait !== 'requested',
    ...(asked.epoch !== undefined && { epoch: asked.epoch }),
    ...(status === 'settled' && report !== undefined && { report }),
  };
}

async function outcomeOf(
  clock: Clock,
  asked: StopProgress,
  wait: AskStopOptions['wait'],
  endsAt: number,
): Promise<StopOutcome> {
  if (wait === 'requested' || asked.until === undefined) return { status: asked.status };
  const left = Math.max(0, endsAt - clock.now());
  try {
    return (await waitAtMost(clock, left, asked.until(wait, left))) ?? { status: asked.status };
  } catch {
    return { status: asked.status };
  }
}
