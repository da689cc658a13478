/**
 * What a token was made for, written on the token itself: a turn, or a tool call. Guards and adapters ask it of the
 * signal that a framework hands to a tool. An owner is known by its version and not by its class, so that a second copy
 * of the package finds the turns of the first.
 *
 * @module
 */
import { isObject, wrongType } from '../../foundation/check.ts';
import type { AnyTurn } from '../messages/loop-recorder.ts';
import { tokenOf } from '../../token/bridge/linked-tokens.ts';
import type { CancellationToken } from '../../token/cancellation-token.ts';
import type { TokenLike } from '../../token/cancellation-token.ts';
import { CancellationTokenSource } from '../../token/cancellation-token-source.ts';
import type { Node } from '../../token/tree/node.ts';
import { findOwner } from '../../token/tree/owner.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import type { ToolCall } from '../calls/tool-call.ts';
import type { ToolContext } from '../public-types/tool-context.ts';
import { OWNER_VERSION } from './token-owner.ts';
import type { TurnRun } from './turn-run.ts';

/** A turn owns its token and those of its model calls; a tool call owns its own, and is nearer. */
export type TokenOwner = TurnRun | ToolCall<unknown, unknown>;

function isOwner(value: object): value is TokenOwner {
  return (value as Partial<TokenOwner>).ownerVersion === OWNER_VERSION;
}

/** The nearest turn or open call upwards, of several parents the first that has one; nothing for a stranger's token. */
export function ownerOf(token: Node): TokenOwner | undefined {
  return findOwner(token, isOwner);
}

/** The turn that a token works for, if no call of it is nearer. */
export function turnOf(token: Node): TurnRun | undefined {
  const owner = ownerOf(token);
  return owner?.owns === 'turn' ? owner : undefined;
}

/** What the nearest call upwards was given, unless a turn of a sub-agent is nearer. */
export function contextOf(token: Node): ToolContext | undefined {
  const owner = ownerOf(token);
  return owner?.owns === 'call' ? owner.context : undefined;
}

/**
 * Refuses what is no turn of an agent or of a conversation: a token or a source in its place would be obeyed, and have no ledger.
 *
 * @throws TypeError – not a turn.
 */
export function requireTurn(turn: unknown): asserts turn is AnyTurn {
  const model: unknown = isObject(turn) ? (turn as { model?: unknown }).model : undefined;
  if (typeof model !== 'function') throw wrongType('turn', 'a turn of runTurn()', turn);
}

/** A token of the turn's and of somebody else's, who may live longer: nothing of it is left on them after the turn. */
export function tokenUnder(turn: TokenLike, theirs: TokenLike): CancellationToken {
  const source = new CancellationTokenSource({ parent: [turn, theirs] });
  turnOf(tokenOf(turn))?.addGuest(source);
  return source.token;
}

/**
 * Adds words to the partials of a turn that nobody took and a person may have read: of a model call that had ended when
 * the turn was stopped, or, with a reason, of one that somebody else stopped.
 */
export function keepWords(turn: TokenLike, value: unknown, why?: CancelReason): void {
  const run = turnOf(tokenOf(turn));
  if (run === undefined || run.isOver) return;
  const reason = why ?? run.token.reason;
  if (reason !== undefined) run.partials.push({ modelCall: run.modelCalls, value, reason });
}

/** The calls of a turn that run, in the order in which they began. */
export function runningCalls(turn: TurnRun): readonly ToolCall<unknown, unknown>[] {
  return turn.open.list().filter((work) => work.kind === 'tool' && !work.isOver) as ToolCall<unknown, unknown>[];
}

/** The id of a tool call of the turn that runs: what begins now may be part of it. */
export function runningTool(turn: TokenLike): string | undefined {
  const run = turnOf(tokenOf(turn));
  return run === undefined ? undefined : runningCalls(run).at(-1)?.id;
}

/** Whether a tool of the turn runs. */
export function runsTools(turn: TokenLike): boolean {
  return runningTool(turn) !== undefined;
}
