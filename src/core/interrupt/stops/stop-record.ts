/**
 * The record of stops, which are the tokens: a stop is marked on the token of what it is aimed at, then announced, and then
 * told to those who listen. From the mark on everything below reads it, so that whatever else stops it comes second.
 *
 * @module
 */
import type { CancelReason } from '../../foundation/reason.ts';
import type { Source } from '../../token/source.ts';
import { Token } from '../../token/token.ts';
import { canChange } from '../../token/tree/ancestors.ts';
import { Cancellation } from '../../token/tree/node.ts';
import { isLive, markKill, tell } from '../../token/tree/propagation.ts';
import { isKilled, mark } from '../../token/tree/state.ts';

/** The two rungs. */
export type StopKind = 'cancel' | 'kill';

/** Marks a stop; returns whether it came first. Whoever has marked one tells it. */
export function markStop({ token }: Source, kind: StopKind, reason: CancelReason): boolean {
  const isFirst = kind === 'kill' ? canChange(token) && !isKilled(token) : isLive(token);
  if (isFirst) (kind === 'kill' ? markKill : mark)(token, new Cancellation(reason));
  return isFirst;
}

/** Tells a stop that is marked to those who listen. */
export function tellStop({ token }: Source, kind: StopKind): void {
  tell(token, kind === 'kill');
}

/** Marks a stop and tells it, with nothing to be announced between. */
export function stopSource(source: Source, kind: StopKind, reason: CancelReason): void {
  if (markStop(source, kind, reason)) tellStop(source, kind);
}

/** A token that is stopped from now on, for what is to come: its place in the order of stops is this one. */
export function stoppedToken(reason: CancelReason): Token {
  const token = new Token(undefined);
  mark(token, new Cancellation(reason));
  return token;
}

/** How far a turn has acted on its stop. */
export interface StopProgress {
  readonly requestedAt: number;
  /** When every listener had been told. */
  acknowledgedAt: number;
  /** Whether those who watch operations have been told. */
  isSaid: boolean;
}
