/**
 * What a stop is aimed at, and the receipt it gives.
 * In the interrupt room below the controller, which it sees through a port.
 *
 * @module
 */
import { wrongType } from '../foundation/check.ts';
import type { Clock } from '../foundation/clock.ts';
import type { CancelReason } from '../foundation/reason.ts';
import type { AcceptedTurns } from './accepted.ts';
import { stopReport, type StopReport } from './report.ts';
import type { CancelTarget, StopReceipt } from './turn-report.ts';
import type { TurnRun } from './turn-run.ts';
import type { OpenCall } from './turn-state.ts';

/** The two rungs. */
export type StopKind = 'cancel' | 'kill';

/** What the aim needs of a controller. */
export interface StopDesk {
  readonly name: string;
  readonly clock: Clock;
  readonly accepted: AcceptedTurns;
  readonly current: TurnRun | undefined;
  readonly lastReport: StopReport | undefined;
  /** The reports of stops that came before their turn, so that a repeat is answered with the same. */
  readonly earlyReports: WeakMap<CancelReason, StopReport>;
  /** Whether the running turn did not know yet. */
  stop(run: TurnRun, kind: StopKind, reason: CancelReason): boolean;
  /** Whether anything hangs on the agent's life: a detached turn, or a listener. */
  readonly isWatched: boolean;
  /** Says that somebody wants a stop, where no running turn says it. */
  announce(kind: StopKind, reason: CancelReason): void;
  /** Ends the agent's life; resolves with the reports of the detached turns that it reached. */
  endLife(reason: CancelReason): { readonly won: boolean; readonly reports: Promise<readonly StopReport[]> };
  findCall(callId: string): { readonly call: OpenCall; readonly turnId: number } | undefined;
}

/** Stops what the target says. */
export function stopTarget(desk: StopDesk, reason: CancelReason, target: CancelTarget | undefined): StopReceipt {
  if (target === undefined) return stopTurns(desk, 'cancel', reason);
  if (target === 'all') return stopAll(desk, reason);
  const { turnId, callId } = (target as unknown) === null ? {} : (target as { turnId?: unknown; callId?: unknown });
  if (typeof turnId === 'number') return stopTurns(desk, 'cancel', reason, turnId);
  if (typeof callId === 'string') return stopCall(desk, reason, callId);
  throw wrongType('target', "{ turnId: number }, { callId: string } or 'all'", turnId ?? callId ?? target);
}

/** The running turn and every accepted one, or one of them. */
export function stopTurns(desk: StopDesk, kind: StopKind, reason: CancelReason, turnId?: number): StopReceipt {
  const early = desk.accepted.cancel(reason, turnId);
  const run = desk.current;
  if (run !== undefined && (turnId === undefined || run.id === turnId)) {
    const isNews = desk.stop(run, kind, reason);
    // The running turn knew already; one that waits behind it did not.
    if (!isNews && early?.isFirst === true) desk.announce(kind, early.reason);
    return { accepted: true, turnId: run.id, settled: run.settled };
  }
  if (early === undefined) return nothingToStop(desk, turnId);
  if (early.isFirst) desk.announce(kind, early.reason);
  let report = desk.earlyReports.get(early.reason);
  if (report === undefined) {
    report = stopReport({ requestedAt: desk.clock.now(), reason: early.reason, turnId: early.turnId });
    desk.earlyReports.set(early.reason, report);
  }
  return { accepted: true, turnId: early.turnId, settled: Promise.resolve(report) };
}

/** The turns, and everything that was started beside them. */
function stopAll(desk: StopDesk, reason: CancelReason): StopReceipt {
  const requestedAt = desk.clock.now();
  const { isWatched } = desk;
  const receipt = stopTurns(desk, 'cancel', reason);
  if (!receipt.accepted && isWatched) desk.announce('cancel', reason);
  const { won, reports } = desk.endLife(reason);
  const settled = Promise.all([receipt.settled, reports]).then(([own, detached]) => {
    const base = receipt.accepted || !isWatched ? own : stopReport({ requestedAt, reason });
    return detached.length === 0 ? base : merge(base, detached, desk.clock.now());
  });
  return { accepted: receipt.accepted || (won && isWatched), turnId: receipt.turnId, settled };
}

function merge(base: StopReport, others: readonly StopReport[], now: number): StopReport {
  const all = [base, ...others];
  const operations = all.flatMap((each) => each.operations);
  const callbackErrors = all.flatMap((each) => each.callbackErrors);
  return stopReport({ ...base, operations, callbackErrors, undelivered: all.flatMap((each) => each.undelivered) }, now);
}

/** One call, and nothing beside it; one that has not started never will. */
function stopCall(desk: StopDesk, reason: CancelReason, callId: string): StopReceipt {
  const found = desk.findCall(callId);
  if (found === undefined) return nothingToStop(desk);
  const { call, turnId } = found;
  const requestedAt = desk.clock.now();
  if (!call.source.isCancelled) desk.announce('cancel', reason);
  const accepted = call.source.cancel(reason);
  const acknowledgedMs = desk.clock.now() - requestedAt;
  const settled = call.whenDone().then((outcome): StopReport => {
    const now = desk.clock.now();
    const row = { kind: 'tool', name: call.name, agent: desk.name, outcome, ms: now - requestedAt };
    return stopReport({ reason, turnId, requestedAt, acknowledgedMs, operations: [row] }, now);
  });
  return { accepted, turnId, settled };
}

/** A repeat after the end is answered with the same report as the stop itself. */
function nothingToStop(desk: StopDesk, turnId?: number): StopReceipt {
  const last = desk.lastReport;
  const fits = last !== undefined && (turnId === undefined || last.turnId === turnId);
  return {
    accepted: false,
    turnId: undefined,
    settled: Promise.resolve(fits ? last : stopReport({ requestedAt: desk.clock.now() })),
  };
}
