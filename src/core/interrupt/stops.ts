/**
 * What a cancel is aimed at, and the receipt it gives.
 * In the interrupt room below the controller, which it sees through a port.
 *
 * @module
 */
import { show } from '../foundation/check.ts';
import type { Clock } from '../foundation/clock.ts';
import type { CancelReason } from '../foundation/reason.ts';
import type { AcceptedTurns } from './accepted.ts';
import type { CancelTarget, StopReceipt } from './turn-report.ts';
import type { StopReport } from './report.ts';
import type { TurnRun } from './turn-run.ts';
import type { RunningCall } from './turn-state.ts';

/** What the aim needs of a controller. */
export interface StopDesk {
  readonly name: string;
  readonly clock: Clock;
  readonly accepted: AcceptedTurns;
  readonly current: TurnRun | undefined;
  readonly lastReport: StopReport | undefined;
  stop(run: TurnRun, reason: CancelReason): void;
  /** Ends the agent's life and begins a new one; resolves when its detached work has ended. */
  endLife(reason: CancelReason): { readonly won: boolean; readonly ended: Promise<unknown> };
  findCall(callId: string): { readonly call: RunningCall; readonly turnId: number } | undefined;
}

/** Stops what the target says. */
export function stopTarget(desk: StopDesk, reason: CancelReason, target: CancelTarget | undefined): StopReceipt {
  if (target === undefined) return stopTurns(desk, reason);
  if (target === 'all') return stopAll(desk, reason);
  if (typeof (target as unknown) === 'object' && (target as unknown) !== null) {
    if ('turnId' in target) return stopTurns(desk, reason, target.turnId);
    if ('callId' in target) return stopCall(desk, reason, target.callId);
  }
  throw new TypeError(`target must be { turnId }, { callId } or 'all', got ${show(target)}`);
}

/** The running turn and every accepted one, or one of them. */
function stopTurns(desk: StopDesk, reason: CancelReason, turnId?: number): StopReceipt {
  const waiting = desk.accepted.cancel(reason, turnId);
  const run = desk.current;
  if (run !== undefined && (turnId === undefined || run.state.id === turnId)) {
    desk.stop(run, reason);
    return { accepted: true, turnId: run.state.id, settled: run.settled };
  }
  if (waiting === undefined) return nothingToStop(desk);
  const report = { ...emptyReport(desk.clock.now()), reason, turnId: waiting };
  return { accepted: true, turnId: waiting, settled: Promise.resolve(report) };
}

function stopAll(desk: StopDesk, reason: CancelReason): StopReceipt {
  const receipt = stopTurns(desk, reason);
  const { won, ended } = desk.endLife(reason);
  return {
    accepted: receipt.accepted || won,
    turnId: receipt.turnId,
    settled: ended.then(() => receipt.settled),
  };
}

/** One call, and nothing beside it. */
function stopCall(desk: StopDesk, reason: CancelReason, callId: string): StopReceipt {
  const found = desk.findCall(callId);
  if (found === undefined) return nothingToStop(desk);
  const { call, turnId } = found;
  const requestedAt = desk.clock.now();
  const accepted = call.source.cancel(reason);
  const acknowledgedMs = desk.clock.now() - requestedAt;
  const settled = call.done.then((outcome): StopReport => {
    const ms = desk.clock.now() - requestedAt;
    return {
      ...emptyReport(requestedAt),
      reason,
      turnId,
      acknowledgedMs,
      settledMs: ms,
      operations: [{ kind: 'tool', name: call.name, agent: desk.name, outcome, ms }],
      abandoned: outcome === 'abandoned' ? [call.name] : [],
    };
  });
  return { accepted, turnId, settled };
}

/** A repeat after the end is answered with the same report as the stop itself. */
export function nothingToStop(desk: StopDesk): StopReceipt {
  const report = desk.lastReport ?? emptyReport(desk.clock.now());
  return { accepted: false, turnId: undefined, settled: Promise.resolve(report) };
}

function emptyReport(at: number): StopReport {
  return {
    reason: undefined,
    turnId: undefined,
    requestedAt: at,
    acknowledgedMs: 0,
    settledMs: 0,
    operations: [],
    abandoned: [],
    callbackErrors: [],
    undelivered: [],
  };
}
