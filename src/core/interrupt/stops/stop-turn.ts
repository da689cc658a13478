/**
 * A stop on its way through an agent: the record of its turn says what came first, and here the agent acts on it – it
 * announces the stop, gives messages back and cancels the tokens, in the order of `machine.ts`.
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
import type { AgentStatus } from '../agent/agent-status.ts';
import type { Token } from '../../token/token.ts';
import type { StopKind, StopRecord } from './stop-record.ts';

/** A turn, as a stop needs it. */
export interface StoppableTurn {
  readonly above: StoppableTurn | undefined;
  readonly agent: StoppableAgent;
  readonly token: Token;
  readonly source: Source;
  readonly stop: StopRecord | undefined;
  readonly toldByTokens: CancelReason | undefined;
  readonly isOver: boolean;
  noteStop(reason: CancelReason, killedBy?: CancelReason): boolean;
  /** Gives back the messages that wait in it. */
  giveBackMessages(): void;
  sayStopping(): void;
}

/** The agent of such a turn. */
interface StoppableAgent {
  readonly clock: Clock;
  readonly status: AgentStatus;
  readonly events: EventHub;
  readonly outermost: { readonly killedFromOutside: CancelReason | undefined };
  /** Says of the parts of a turn that a stop goes on to them. */
  stopGoesOn(run: StoppableTurn, reason: CancelReason): void;
}

/** Cancels or kills a source; returns whether it had not been before. */
export function stopSource(source: Source, kind: StopKind, reason: CancelReason): boolean {
  return kind === 'kill' ? source.kill(reason) : source.cancel(reason);
}

/** Stops one turn, and what is part of it; nothing that waits and nothing beside it. */
export function stopTurn(run: StoppableTurn, reason: CancelReason): void {
  noteEarlier(run);
  run.noteStop(reason);
  hearStop(run);
}

/**
 * Writes down what only tokens know of by now, here and in the turns above: it came before whatever is asked for next.
 * Nobody hears of it yet.
 */
export function noteEarlier(run: StoppableTurn): void {
  if (run.above !== undefined) noteEarlier(run.above);
  const told = run.toldByTokens;
  if (told !== undefined) run.noteStop(told, run.token.isKilled ? killOf(run) : undefined);
}

/** Acts on what is written down, from the top, so that a stop is announced by the agent that it was meant for. */
export function hearStop(run: StoppableTurn): void {
  noteEarlier(run);
  if (run.above !== undefined) hearStop(run.above);
  actOnStop(run);
}

/** Which kill it was: a token that was cancelled before keeps the reason of that. */
function killOf({ above, agent, token }: StoppableTurn): CancelReason | undefined {
  return above?.stop?.killedBy ?? agent.outermost.killedFromOutside ?? token.reason;
}

/** Brings an agent to where the record of its turn says. */
function actOnStop(run: StoppableTurn): void {
  const { stop } = run;
  if (stop?.askedFor === undefined || run.isOver) return;
  if (stop.killedBy !== stop.askedFor) enter(run, stop, 'cancel', stop.askedFor);
  // Who heard of the cancel may have killed.
  if (stop.killedBy !== undefined) enter(run, stop, 'kill', stop.killedBy);
}

/** Runs the machine's effects of a cancel or a kill; says it first, so that a person sees it at once. */
function enter(run: StoppableTurn, stop: StopRecord, kind: StopKind, reason: CancelReason): void {
  const { agent } = run;
  const effects = agent.status.apply(kind);
  if (effects.length === 0) return;
  const { askedFor = reason } = stop;
  agent.status.note('cancel', askedFor, stop.requestedAt);
  agent.events.announce(kind, reason);
  agent.stopGoesOn(run, askedFor);
  run.sayStopping();
  for (const effect of effects) {
    if (effect === 'return-queued') run.giveBackMessages();
    if (effect === 'cancel-turn') run.source.cancel(stop.reason);
    if (effect === 'kill-turn') run.source.kill(stop.reason);
  }
  stop.acknowledgedAt = agent.clock.now();
}
