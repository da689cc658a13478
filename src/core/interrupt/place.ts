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
import type { TurnState } from './turn-state.ts';

/** A turn's own tokens: its scope, and those of its model calls, which outlive their link to it. */
const turns = new WeakMap<Node, TurnState>();
const calls = new WeakSet<Node>();
/** What the tool of a call was given, from its start on. */
const contexts = new WeakMap<Node, ToolContext>();

/** Whatever hangs on this token works for the turn. */
export function belongsTo(turn: TurnState, token: Node): void {
  turns.set(token, turn);
}

/** Whatever hangs on this token is part of a call that has its row in the ledger. */
export function isCallToken(token: Node): void {
  calls.add(token);
}

/** Whatever hangs on this token runs in the tool that was given this. */
export function hasContext(token: Node, context: ToolContext): void {
  contexts.set(token, context);
}

/** The nearest turn or open call upwards, of several parents the first that knows; `undefined` for a stranger's token. */
export function placeOf(token: Node): TurnState | 'call' | undefined {
  return nearest(token, (node) => (calls.has(node) ? 'call' : turns.get(node)));
}

/** What the nearest call upwards was given, unless a turn of a sub-agent is nearer. */
export function contextOf(token: Node): ToolContext | undefined {
  const found = nearest(token, (node) => contexts.get(node) ?? turns.get(node));
  return found !== undefined && 'call' in found ? found : undefined;
}

/** A token of the turn's and of somebody else's, who may live longer: nothing of it is left on them after the turn. */
export function tokenUnder(turn: TokenLike, theirs: TokenLike): CancellationToken {
  const source = new CancellationTokenSource({ parent: [turn, theirs] });
  const place = placeOf(tokenOf(turn));
  if (typeof place === 'object') place.guests.push(source);
  return source.token;
}

function nearest<T>(token: Node, find: (node: Node) => T | undefined): T | undefined {
  const pending: Node[] = [token];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const found = find(node);
    if (found !== undefined) return found;
    pending.push(...[...parentsOf(node)].reverse());
  }
  return undefined;
}
