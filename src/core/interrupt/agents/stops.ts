/**
 * What a stop is aimed at, and the receipt it gives.
 *
 * @module
 */
import type { CancelReason } from '../../foundation/reason.ts';
import type { Agent } from '../agent.ts';
import type { BackgroundEntry } from './background.ts';
import { mergeReports, rowsOf, stopReport } from '../turn/make-reports.ts';
import type { StopReceipt, StopReport } from '../public-types/stop-report.ts';
import { busyIn, openCallOf, type Aimed } from './subagents.ts';

/** The two rungs. */
export type StopKind = 'cancel' | 'kill';

/** The running turn and every accepted one, or one of them; and the sub-agents that work for no turn of the agent. */
export function stopTurns(agent: Agent, kind: StopKind, reason: CancelReason, turnId?: number): StopReceipt {
  return stopAimed(agent, kind, reason, turnId).receipt;
}

function stopAimed(
  agent: Agent,
  kind: StopKind,
  reason: CancelReason,
  turnId: number | undefined,
): { readonly receipt: StopReceipt; readonly isSaid: boolean } {
  const early = agent.accepted.cancel(reason, turnId);
  const run = agent.current;
  const aimed = run !== undefined && (turnId === undefined || run.id === turnId) ? run : undefined;
  const beside = turnId === undefined ? agent.workingBeside : [];
  for (const child of beside) child.willEndBy(reason);
  // The running turn says it itself; what waits behind it or works beside it has nobody else to say it.
  let isSaid = aimed !== undefined && agent.stop(aimed, kind, reason);
  if (!isSaid && (early?.isFirst === true || beside.some((child) => child.isNews(kind)))) {
    agent.announce(kind, early?.isFirst === true ? early.reason : reason);
    isSaid = true;
  }
  const receipts = beside.map((child) => child.stopFromAbove(kind, reason));
  if (aimed !== undefined) {
    const own = { accepted: true, turnId: aimed.id, settled: aimed.settled };
    return { receipt: merged(agent, own, receipts), isSaid };
  }
  if (early === undefined && receipts.length === 0) return { receipt: nothingToStop(agent, turnId), isSaid };
  const report = early === undefined ? stillRunningReport(agent, reason) : reportOf(agent, early);
  const own = { accepted: true, turnId: early?.turnId, settled: Promise.resolve(report) };
  return { receipt: merged(agent, own, receipts), isSaid };
}

/** The report of a stop that came before its turn, so that a repeat is answered with the same. */
function reportOf(
  agent: Agent,
  { reason, turnId }: { readonly reason: CancelReason; readonly turnId: number },
): StopReport {
  let report = agent.earlyReports.get(reason);
  if (report === undefined) {
    report = { ...stillRunningReport(agent, reason), turnId };
    agent.earlyReports.set(reason, report);
  }
  return report;
}

function merged(agent: Agent, own: StopReceipt, others: readonly StopReceipt[]): StopReceipt {
  if (others.length === 0) return own;
  const settled = Promise.all([own.settled, ...others.map((each) => each.settled)]).then(([base, ...rest]) =>
    mergeReports(base, rest, agent.clock.now()),
  );
  return { ...own, settled };
}

/** The turns, and everything that was started beside them. */
export function stopAll(agent: Agent, kind: StopKind, reason: CancelReason): StopReceipt {
  const requestedAt = agent.clock.now();
  const { isWatched } = agent.lifetime;
  const background = backgroundIn(agent);
  const runs = [...agent.working].flatMap(busyIn);
  const isBusyBeside = isWatched || background.length > 0 || runs.some((run) => run.agent.isNews(kind));
  for (const run of runs) run.willEndBy(reason);
  // First of all: a listener of the stop may start something, which is not part of it.
  const ending = agent.lifetime.take();
  const { receipt, isSaid } = stopAimed(agent, kind, reason, undefined);
  if (!isSaid && isBusyBeside) agent.announce(kind, reason);
  const { won, reports } = agent.endLifetime(ending, kind, reason, runs);
  let hasReached = won;
  // What belongs to a detached agent further down hangs on another lifetime, or on one that was stopped before.
  for (const { source } of background)
    hasReached = (kind === 'kill' ? source.kill(reason) : source.cancel(reason)) || hasReached;
  const ended = Promise.all(background.map(({ whenEnded }) => whenEnded));
  const settled = Promise.all([receipt.settled, reports, ended]).then(([own, detached]) => {
    const now = agent.clock.now();
    // A turn that was stopped names what was given up earlier itself.
    const left = receipt.accepted || !isBusyBeside ? [] : agent.stillRunning.list();
    const named = new Set(runs.flatMap((run) => run.agent.stillRunning.list()));
    const leftBeside = agent.stillRunning.listBeside().filter((operation) => !named.has(operation));
    const beside = new Set([...background.map(({ operation }) => operation), ...left, ...leftBeside]);
    const operations = rowsOf([...beside], requestedAt, now);
    const base = receipt.accepted || !isBusyBeside ? own : stopReport({ requestedAt, reason });
    const others = operations.length === 0 ? [] : [stopReport({ requestedAt, operations }, now)];
    return mergeReports(base, [...others, ...detached], now);
  });
  return { accepted: receipt.accepted || (hasReached && isBusyBeside), turnId: receipt.turnId, settled };
}

/** The background work of an agent and of all that were started below it. */
function backgroundIn(agent: Agent): readonly BackgroundEntry[] {
  return [...agent.busyBeside].flatMap(backgroundIn).concat(agent.background.list());
}

/** One call, and nothing beside it; one that has not started never will. */
export function stopCall(agent: Agent, callId: string, reason: CancelReason): StopReceipt {
  const found: Aimed | undefined = openCallOf(agent, callId);
  if (found === undefined) return stopBackground(agent, callId, reason) ?? nothingToStop(agent);
  const { call, run } = found;
  const requestedAt = agent.clock.now();
  // A stop of its turn that is being announced came first.
  const first = run.stopReason;
  if (first === undefined && !call.source.isCancelled) agent.announce('cancel', reason);
  const accepted = call.source.cancel(first ?? reason);
  const acknowledgedMs = agent.clock.now() - requestedAt;
  const settled = call.whenDone().then((outcome): StopReport => {
    const now = agent.clock.now();
    const row = { kind: 'tool', name: call.name, agent: run.agent.name, outcome, ms: now - requestedAt };
    return stopReport({ reason, turnId: run.id, requestedAt, acknowledgedMs, operations: [row] }, now);
  });
  return { accepted, turnId: run.id, settled };
}

/** A call that was sent to the background keeps its id there. */
function stopBackground(agent: Agent, callId: string, reason: CancelReason): StopReceipt | undefined {
  const entry = agent.background.list().find(({ id }) => id === callId);
  if (entry === undefined) return undefined;
  const requestedAt = agent.clock.now();
  if (!entry.source.isCancelled) agent.announce('cancel', reason);
  const accepted = entry.source.cancel(reason);
  const settled = entry.whenEnded.then(() => {
    const now = agent.clock.now();
    return stopReport({ reason, requestedAt, operations: rowsOf([entry.operation], requestedAt, now) }, now);
  });
  return { accepted, turnId: undefined, settled };
}

/** A repeat after the end is answered with the same report as the stop itself; otherwise with what still runs. */
function nothingToStop(agent: Agent, turnId?: number): StopReceipt {
  const { lastReport } = agent;
  const isTheirs = lastReport !== undefined && (turnId === undefined || lastReport.turnId === turnId);
  // Background work may have been given up since.
  const isRepeat = isTheirs && agent.stillRunning.list().every(({ name }) => lastReport.abandoned.includes(name));
  const report = isRepeat ? lastReport : stillRunningReport(agent);
  return { accepted: false, turnId: undefined, settled: Promise.resolve(report) };
}

function stillRunningReport(agent: Agent, reason?: CancelReason): StopReport {
  const requestedAt = agent.clock.now();
  return stopReport({ requestedAt, reason, operations: rowsOf(agent.stillRunning.list(), requestedAt, requestedAt) });
}
