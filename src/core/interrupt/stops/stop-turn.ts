/**
 * A stop on its way through an agent: the record of its turn says what came first, and here the agent acts on it – it
 * announces the stop, gives messages back and cancels the tokens, in the order of `machine.ts`.
 *
 * Invariants: a stop that came first is acted on first, also where a later one is asked for before anybody has heard of
 * it; each listener hears of one stop once.
 *
 * @module
 */
import type { CancelReason } from '../../foundation/reason.ts';
import type { Source } from '../../token/source.ts';
import type { TurnRun } from '../turn/turn-run.ts';
import type { StopKind, StopRecord } from './stop-record.ts';

/** Cancels or kills a source; returns whether that was news to it. */
export function stopSource(source: Source, kind: StopKind, reason: CancelReason): boolean {
  return kind === 'kill' ? source.kill(reason) : source.cancel(reason);
}

/** Stops one turn, and what is part of it; nothing that waits and nothing beside it. */
export function stopTurn(run: TurnRun, reason: CancelReason): void {
  noteEarlier(run);
  run.noteStop(reason);
  hearStop(run);
}

/**
 * Writes down what only tokens know of by now, here and in the turns above: it came before whatever is asked for next.
 * Nobody hears of it yet.
 */
export function noteEarlier(run: TurnRun): void {
  if (run.above !== undefined) noteEarlier(run.above);
  const told = run.toldByTokens;
  if (told !== undefined) run.noteStop(told, run.token.isKilled ? killOf(run) : undefined);
}

/** Acts on what is written down, from the top, so that a stop is announced by the agent that it was meant for. */
export function hearStop(run: TurnRun): void {
  noteEarlier(run);
  if (run.above !== undefined) hearStop(run.above);
  actOnStop(run);
}

/** Which kill it was: a token that was cancelled before keeps the reason of that. */
function killOf({ above, agent, token }: TurnRun): CancelReason | undefined {
  return above?.stop?.killedBy ?? agent.outermost.killedFromOutside ?? token.reason;
}

/** Brings an agent to where the record of its turn says. */
function actOnStop(run: TurnRun): void {
  const { stop } = run;
  if (stop?.askedFor === undefined || run.isOver) return;
  if (stop.killedBy !== stop.askedFor) enter(run, stop, 'cancel', stop.askedFor);
  // Who heard of the cancel may have killed.
  if (stop.killedBy !== undefined) enter(run, stop, 'kill', stop.killedBy);
}

/** Runs the machine's effects of a cancel or a kill; says it first, so that a person sees it at once. */
function enter(run: TurnRun, stop: StopRecord, kind: StopKind, reason: CancelReason): void {
  const { agent } = run;
  const effects = agent.status.apply(kind);
  if (effects.length === 0) return;
  const { askedFor = reason } = stop;
  agent.status.note('cancel', askedFor, stop.requestedAt);
  agent.events.announce(kind, reason);
  for (const part of agent.partsOf(run)) agent.propagated(part.agent, askedFor);
  run.sayStopping();
  for (const effect of effects) {
    if (effect === 'return-queued') agent.messages.giveBack(run);
    if (effect === 'cancel-turn') run.source.cancel(stop.reason);
    if (effect === 'kill-turn') run.source.kill(stop.reason);
  }
  stop.acknowledgedAt = agent.clock.now();
}
