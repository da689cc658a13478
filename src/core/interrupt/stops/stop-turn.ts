/**
 * A stop on its way through an agent: the token of its turn says what came first, and here the agent acts on it – it
 * announces the stop, gives messages back and tells those below, in the order of `machine.ts`.
 *
 * Invariants: a stop that came first is acted on first, also where a later one is asked for before anybody has heard of
 * it; each listener hears of one stop once.
 *
 * @module
 */
import type { Clock } from '../../foundation/clock.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import type { Source } from '../../token/source.ts';
import type { EventHub } from '../events/event-hub.ts';
import { killReason } from '../../token/tree/kills.ts';
import type { AgentStatus } from '../agent/agent-status.ts';
import { markStop, tellStop, type StopKind, type StopProgress } from './stop-record.ts';

/** A turn, as a stop needs it. */
export interface StoppableTurn {
  readonly above: StoppableTurn | undefined;
  readonly agent: StoppableAgent;
  /** Its token says by what the turn was told to stop first. */
  readonly stops: Source;
  readonly stop: StopProgress | undefined;
  readonly isOver: boolean;
  /** Gives back the messages that wait in it. */
  giveBackMessages(): void;
  sayStopping(): void;
}

/** The agent of such a turn. */
interface StoppableAgent {
  readonly clock: Clock;
  readonly status: AgentStatus;
  readonly events: EventHub;
  /** Says of the parts of a turn that a stop goes on to them. */
  stopGoesOn(run: StoppableTurn, reason: CancelReason): void;
}

/** Stops one turn, and what is part of it; nothing that waits and nothing beside it. */
export function stopTurn(run: StoppableTurn, reason: CancelReason): void {
  markStop(run.stops, 'cancel', reason);
  hearStop(run);
}

/**
 * Brings an agent to where the token of its turn says, from the top, so that a stop is announced by the agent that it was
 * meant for.
 */
export function hearStop(run: StoppableTurn): void {
  if (run.above !== undefined) hearStop(run.above);
  const { reason, token } = run.stops;
  if (reason === undefined || run.isOver) return;
  if (killReason(token) !== reason) enter(run, 'cancel', reason, reason);
  // Who heard of the cancel may have killed.
  const killedBy = killReason(token);
  if (killedBy !== undefined) enter(run, 'kill', reason, killedBy);
}

/** Runs the machine's effects of a cancel or a kill; says it first, so that a person sees it at once. */
function enter(run: StoppableTurn, kind: StopKind, first: CancelReason, reason: CancelReason): void {
  const { agent, stop } = run;
  const effects = agent.status.apply(kind);
  if (stop === undefined || effects.length === 0) return;
  agent.status.note('cancel', first, stop.requestedAt);
  agent.status.stopped(first, false, -run.stops.token.stamp);
  agent.events.announce(kind, reason);
  agent.stopGoesOn(run, first);
  run.sayStopping();
  for (const effect of effects) {
    if (effect === 'return-queued') run.giveBackMessages();
    if (effect === 'cancel-turn' || effect === 'kill-turn') tellStop(run.stops, kind);
  }
  stop.acknowledgedAt = agent.clock.now();
}
