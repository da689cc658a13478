/**
 * What a token was made for, written on the token itself.
 * In the interrupt room at its ground, below the turns and calls that are owners; `place.ts` finds them.
 *
 * @module
 */
import { extraOf, type Node } from '../token/node.ts';
import type { ToolContext } from './handles.ts';

/**
 * What a token was made for: a turn, its scope and its model calls, or a call that has its row in the ledger. A class of
 * this copy, so that the tokens of another are not taken for ours.
 */
export abstract class Owner {
  /** Whatever hangs on this token works for it, also when the link of the token is cut. */
  owns(token: Node): void {
    extraOf(token).owner = this;
  }
}

/** A call, and what its tool was given, from its start on. */
export abstract class CallOwner extends Owner {
  context: ToolContext | undefined;
}
