/**
 * Writes on a token what it was made for: a turn, or a tool call; `turn-of-token.ts` reads it.
 *
 * @module
 */
import { extraOf, type Node } from '../../token/tree/node.ts';

/** Raised when what another copy of the package reads of an owner changes. */
export const OWNER_VERSION = 1;

/** Writes on a token what it was made for; nothing, when that has ended. */
export function own(token: Node, owner: object | undefined): void {
  extraOf(token).owner = owner;
}
