/**
 * The context of one operation of a turn: that of work, and a way to stop the turn.
 * In the interrupt room below the contexts of model and tool calls, which add what is theirs.
 *
 * @module
 */
import { WorkContext, type ContextHost } from '../combinators/context.ts';
import type { CancelTurn } from './run-operation.ts';

/** Subclasses add getters. */
export class OperationContext extends WorkContext {
  readonly #cancelTurn: CancelTurn;

  constructor(host: ContextHost, cancelTurn: CancelTurn) {
    super(host);
    this.#cancelTurn = cancelTurn;
  }

  get cancelTurn(): CancelTurn {
    return this.#cancelTurn;
  }
}
