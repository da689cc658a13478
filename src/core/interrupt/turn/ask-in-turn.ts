/**
 * A question of a turn itself, for an adapter whose protocol knows no call at that point.
 *
 * @module
 */
import { tokenOf } from '../../token/bridge/linked-tokens.ts';
import type { TokenLike } from '../../token/cancellation-token.ts';
import { turnOf } from './turn-of-token.ts';
import { ask, type Responder } from '../calls/approvals.ts';

/** Asks a person on behalf of the turn that a token belongs to. */
export function askInTurn<T>(token: TokenLike, open: (respond: Responder<T>) => unknown): Promise<T> {
  const turn = turnOf(tokenOf(token));
  if (turn === undefined) throw new TypeError('a question can only be asked while its turn runs');
  return ask({ turn, source: turn.source }, open);
}
