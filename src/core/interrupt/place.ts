/**
 * Finds the turn that a token or a signal works for.
 * In the interrupt room below the ledger, which tells what is made; guards and adapters ask. Only tokens of this copy of
 * the package are known: one of another copy is a stranger's, and is treated as one.
 *
 * @module
 */
import type { CancellationToken, TokenLike } from '../token/handles.ts';
import { tokenOf } from '../token/link.ts';
import { parentsOf, type Node } from '../token/node.ts';
import { CancellationTokenSource } from '../token/token.ts';
import type { ToolContext } from './handles.ts';
import { CallOwner, Owner } from './owner.ts';
import type { TurnState } from './turn-state.ts';

/** The nearest turn or open call upwards, of several parents the first that knows; `undefined` for a stranger's token. */
export function placeOf(token: Node): TurnState | 'call' | undefined {
  const owner = nearest(token);
  return owner instanceof CallOwner ? 'call' : (owner as TurnState | undefined);
}

/** What the nearest call upwards was given, unless a turn of a sub-agent is nearer. */
export function contextOf(token: Node): ToolContext | undefined {
  const owner = nearest(token);
  return owner instanceof CallOwner ? owner.context : undefined;
}

/** A token of the turn's and of somebody else's, who may live longer: nothing of it is left on them after the turn. */
export function tokenUnder(turn: TokenLike, theirs: TokenLike): CancellationToken {
  const source = new CancellationTokenSource({ parent: [turn, theirs] });
  const place = placeOf(tokenOf(turn));
  if (typeof place === 'object') place.guests.push(source);
  return source.token;
}

/** Whether somebody listens to a token, or below it. */
export function isWatched(token: Node): boolean {
  return (token.extra?.watch ?? 0) > 0;
}

function nearest(token: Node): Owner | undefined {
  const pending: Node[] = [token];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const owner = node.extra?.owner;
    if (owner instanceof Owner) return owner;
    pending.push(...[...parentsOf(node)].reverse());
  }
  return undefined;
}
