/**
 * What a stop is aimed at, and the receipt it gives.
 *
 * Invariant: a stop is marked on whatever it is aimed at before anybody hears of it.
 *
 * @module
 */
import type { Clock } from '../../foundation/clock.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import type { Lifetime } from '../agent/lifetime.ts';
import type { StillRunning } from '../ledger/still-running.ts';
import { openCallsOf, workingIn } from '../agent/subagents.ts';
import type { CompactingList } from '../ledger/compacting-list.ts';
import type { Operation } from '../ledger/operation-list.ts';
import type { OpenToolCall, OpenWork } from '../calls/turn-of-calls.ts';
import type { EventHub } from '../events/event-hub.ts';
import type { Source } from '../../token/source.ts';
import type { OperationRow, StopReceipt, StopReport } from '../public-types/stop-report.ts';
import { mergeReports, rowsOf, stopReport } from '../ledger/make-reports.ts';
import type { EarlyCancel } from '../turn/waiting/unstarted-turns.ts';
import { markStop, tellStop, type StopKind } from './stop-record.ts';
import { hearStop, type StoppableTurn } from './stop-turn.ts';

/** An agent, as a stop of it needs it. */
export interface AimedAgent {
  readonly name: string;
  readonly clock: Clock;
  readonly events: EventHub;
  readonly lifetime: Lifetime;
  readonly stillRunning: StillRunning;
  readonly accepted: { cancel(reason: CancelReason, turnId?: number): EarlyCancel | undefined };
  readonly turns: { repeated(turnId?: number): StopReport | undefined };
  readonly earlyReports: WeakMap<CancelReason, EarlyReport>;
  readonly current: AimedTurn | undefined;
  readonly status: { stopped(reason: CancelReason, isOfAll: boolean): void };
  /** The sub-agents that work. */
  readonly working: Iterable<AimedAgent>;
  /** The sub-agents that have background work, or somebody below them has. */
  readonly busyBeside: Iterable<AimedAgent>;
  readonly background: { list(): readonly AimedBackground[] };
  readonly link: AimedLink | undefined;
  /** Says that a stop goes on to a sub-agent. */
  propagated(child: AimedAgent, reason: CancelReason): void;
}

/** How it hangs on its parent, if it does. */
interface AimedLink {
  readonly parent: Pick<AimedAgent, 'propagated'>;
  readonly run: object | undefined;
  readonly isBeside: boolean;
}

/** Its running turn. */
interface AimedTurn extends StoppableTurn {
  readonly id: number;
  readonly open: CompactingList<OpenWork>;
  readonly settled: Promise<StopReport>;
}

/** A piece of its background work. */
interface AimedBackground {
  readonly id: string;
  readonly source: Source;
  readonly operation: Operation;
  readonly whenEnded: Promise<void>;
}

/** The report of a stop that came before its turn, and how many that were given up had ended when it was made. */
interface EarlyReport {
  readonly report: StopReport;
  readonly ends: number;
}

/** One stop, as it was asked for. */
interface Asked {
  readonly kind: StopKind;
  readonly reason: CancelReason;
}

/** What a stop of turns found, and where it was marked. */
interface Found {
  readonly run: AimedTurn | undefined;
  readonly early: EarlyCancel | undefined;
  /** Attached sub-agents that work for no turn of the agent. */
  readonly beside: readonly AimedAgent[];
  /** What waited in them, and in everybody else below whom the stop was aimed at. */
  readonly earlyBelow: ReadonlyMap<AimedAgent, EarlyCancel | undefined>;
  /** The agents whose turn, running or accepted, it came to first. */
  readonly reached: ReadonlySet<AimedAgent>;
}

/** The running turn and every accepted one, or one of them; and the sub-agents that work for no turn of the agent. */
export function stopTurns(agent: AimedAgent, kind: StopKind, reason: CancelReason, turnId?: number): StopReceipt {
  const asked = { kind, reason };
  const found = find(agent, asked, turnId);
  act(agent, asked, found, found.reached.size > 0);
  return receiptOf(agent, asked, found, turnId);
}

/** Marks a stop wherever it is aimed at; a stop of everything gives the others, too. */
function find(
  agent: AimedAgent,
  { kind, reason }: Asked,
  turnId: number | undefined,
  others?: readonly AimedAgent[],
): Found {
  const { current } = agent;
  const early = agent.accepted.cancel(reason, turnId);
  const run = turnId === undefined || current?.id === turnId ? current : undefined;
  // A late stop of a turn that has ended says nothing to the agent.
  if (turnId === undefined || early !== undefined || run !== undefined)
    agent.status.stopped(reason, others !== undefined);
  const beside = turnId === undefined ? besideIn(agent) : [];
  const below = others ?? beside;
  const earlyBelow = new Map(below.map((child) => [child, child.accepted.cancel(reason)]));
  const reached = new Set<AimedAgent>();
  if (early?.isFirst === true) reached.add(agent);
  for (const [child, waiting] of earlyBelow) if (waiting?.isFirst === true) reached.add(child);
  for (const each of [...(run === undefined ? [] : [agent]), ...below])
    if (each.current !== undefined && markStop(each.current.stops, kind, reason)) reached.add(each);
  return { run, early, beside, earlyBelow, reached };
}

/** Announces a stop, unless the running turn does, and acts on it. */
function act(agent: AimedAgent, { kind, reason }: Asked, { run, beside, reached }: Found, isNew: boolean): void {
  if (run !== undefined) hearStop(run);
  // What waits behind the running turn or works beside it has nobody else to say it.
  if (isNew) agent.events.announce(kind, reason);
  for (const child of beside) {
    if (reached.has(child)) child.link?.parent.propagated(child, reason);
    if (child.current !== undefined) hearStop(child.current);
  }
}

/** The attached sub-agents that work although no turn waits for them, here and below. */
function besideIn(agent: AimedAgent): readonly AimedAgent[] {
  return [...agent.working].filter(({ link }) => link?.isBeside).flatMap((child) => [child, ...besideIn(child)]);
}

function receiptOf(agent: AimedAgent, { reason }: Asked, found: Found, turnId: number | undefined): StopReceipt {
  const { run, early, beside, earlyBelow } = found;
  if (run === undefined && early === undefined && beside.length === 0) return nothingToStop(agent, turnId);
  const others = beside.flatMap((child) => {
    const waiting = earlyBelow.get(child);
    if (child.current !== undefined) return [child.current.settled];
    return waiting === undefined ? [] : [Promise.resolve(earlyReport(child, waiting))];
  });
  const report = () => (early === undefined ? stillRunningReport(agent, reason) : earlyReport(agent, early));
  const settled = run?.settled ?? Promise.resolve(report());
  return { accepted: true, turnId: run?.id ?? early?.turnId, settled: merged(agent, settled, others) };
}

/** The report of a stop that came before its turn: a repeat is answered with the same, as long as that is the truth. */
export function earlyReport(
  agent: AimedAgent,
  { reason, turnId }: { readonly reason: CancelReason; readonly turnId: number | undefined },
): StopReport {
  const { earlyReports, stillRunning } = agent;
  const last = earlyReports.get(reason);
  if (last?.ends === stillRunning.ends && namesAll(agent, last.report)) return last.report;
  const report = { ...stillRunningReport(agent, reason), turnId };
  earlyReports.set(reason, { report, ends: stillRunning.ends });
  return report;
}

/** Whether a report names what still runs: background work may have been given up since. */
function namesAll(agent: AimedAgent, { abandoned }: StopReport): boolean {
  return agent.stillRunning.list().every(({ name }) => abandoned.includes(name));
}

function merged(
  agent: AimedAgent,
  own: Promise<StopReport>,
  others: readonly Promise<StopReport>[],
): Promise<StopReport> {
  if (others.length === 0) return own;
  return Promise.all([own, ...others]).then(([base, ...rest]) => mergeReports(base, rest, agent.clock.now()));
}

/** The turns, and everything that was started beside them. */
export function stopAll(agent: AimedAgent, kind: StopKind, reason: CancelReason): StopReceipt {
  const asked = { kind, reason };
  const requestedAt = agent.clock.now();
  const { isWatched } = agent.lifetime;
  const background = backgroundIn(agent);
  const working = [...agent.working].map((child) => ({ child, below: workingIn(child) }));
  const all = working.flatMap(({ below }) => below);
  const runs = all.flatMap(({ current }) => current ?? []);
  // By name, and first: one of a detached agent further down hangs on another lifetime, or on one that was stopped
  // before, and a kill that it heard of by its token alone would keep the reason of that stop. What waits in line there
  // would hear of nothing: it begins on the lifetime of then.
  const found = find(agent, asked, undefined, all);
  // Before anybody hears of it: a listener of the stop may start something, which is not part of it.
  const ending = agent.lifetime.take();
  const isBusyBeside = isWatched || background.length > 0 || found.reached.size > 0;
  // What belongs to a detached agent further down hangs on another lifetime, or on one that was stopped before.
  const beside = background.filter(({ source }) => markStop(source, kind, reason));
  const isFirst = markStop(ending, kind, reason);
  act(agent, asked, found, found.reached.size > 0 || beside.length > 0 || (isFirst && isWatched));
  const { current } = agent;
  for (const { child, below } of working) {
    // Of what is part of the turn, or works beside it attached, it was said.
    const isSaid = (current !== undefined && child.link?.run === current) || found.beside.includes(child);
    if (!isSaid && below.some((each) => found.reached.has(each))) agent.propagated(child, reason);
  }
  for (const run of runs) hearStop(run);
  if (isFirst) tellStop(ending, kind);
  for (const { source } of beside) tellStop(source, kind);
  ending.release();
  const receipt = receiptOf(agent, asked, found, undefined);
  const detached = runs.filter(({ stop }) => stop !== undefined).map(({ settled }) => settled);
  const ended = background.map(({ whenEnded }) => whenEnded);
  const settled = Promise.all([receipt.settled, Promise.all(detached), Promise.all(ended)]).then(([own, reports]) => {
    const now = agent.clock.now();
    // A turn that was stopped names what was given up earlier itself.
    const left = receipt.accepted || !isBusyBeside ? [] : agent.stillRunning.list();
    const leftBeside = agent.stillRunning.listBeside();
    const beside = new Set([...background.map(({ operation }) => operation), ...left, ...leftBeside]);
    const operations = rowsOf(beside, requestedAt, now);
    const base = receipt.accepted || !isBusyBeside ? own : stopReport({ requestedAt, reason });
    const others = operations.length === 0 ? [] : [stopReport({ requestedAt, operations }, now)];
    return mergeReports(base, [...others, ...reports], now);
  });
  return { accepted: receipt.accepted || isBusyBeside, turnId: receipt.turnId, settled };
}

/** The background work of an agent and of all that were started below it. */
function backgroundIn(agent: AimedAgent): readonly AimedBackground[] {
  return [...agent.busyBeside].flatMap(backgroundIn).concat(agent.background.list());
}

/** What goes by one id, and nothing beside it; what has not started never will. */
export function stopCall(agent: AimedAgent, callId: string, reason: CancelReason): StopReceipt {
  const found = openCallsOf(agent, callId);
  if (found === undefined) return stopBackground(agent, callId, reason) ?? nothingToStop(agent);
  const { calls, run, agent: owner } = found;
  const requestedAt = agent.clock.now();
  const reached = calls.filter(({ source }) => markStop(source, 'cancel', reason));
  const accepted = reached.length > 0;
  if (accepted) agent.events.announce('cancel', reason);
  for (const { source } of reached) tellStop(source, 'cancel');
  const acknowledgedMs = agent.clock.now() - requestedAt;
  const rowOf = async (call: OpenToolCall): Promise<OperationRow> => {
    const outcome = await call.whenDone();
    const ms = agent.clock.now() - requestedAt;
    return { kind: call.rowKind, name: call.name, agent: owner.name, outcome, ms };
  };
  const settled = Promise.all(calls.map(rowOf)).then((operations) =>
    stopReport({ reason, turnId: run.id, requestedAt, acknowledgedMs, operations }, agent.clock.now()),
  );
  return { accepted, turnId: run.id, settled };
}

/** A call that was sent to the background keeps its id there. */
function stopBackground(agent: AimedAgent, callId: string, reason: CancelReason): StopReceipt | undefined {
  const entry = backgroundIn(agent).find(({ id }) => id === callId);
  if (entry === undefined) return undefined;
  const requestedAt = agent.clock.now();
  const accepted = markStop(entry.source, 'cancel', reason);
  if (accepted) {
    agent.events.announce('cancel', reason);
    tellStop(entry.source, 'cancel');
  }
  const settled = entry.whenEnded.then(() => {
    const now = agent.clock.now();
    return stopReport({ reason, requestedAt, operations: rowsOf([entry.operation], requestedAt, now) }, now);
  });
  return { accepted, turnId: undefined, settled };
}

/** A repeat after the end is answered with the same report as the stop itself; otherwise with what still runs. */
function nothingToStop(agent: AimedAgent, turnId?: number): StopReceipt {
  const last = agent.turns.repeated(turnId);
  const report = last !== undefined && namesAll(agent, last) ? last : stillRunningReport(agent);
  return { accepted: false, turnId: undefined, settled: Promise.resolve(report) };
}

function stillRunningReport(agent: AimedAgent, reason?: CancelReason): StopReport {
  const requestedAt = agent.clock.now();
  return stopReport({ requestedAt, reason, operations: rowsOf(agent.stillRunning.list(), requestedAt, requestedAt) });
}
