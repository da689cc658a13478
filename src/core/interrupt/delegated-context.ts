/**
 * The context of a piece of work, handed on by somebody who adds to it.
 * In the interrupt room below the contexts of model and tool calls.
 *
 * Invariants: every member is a field of its own, so that a context can be spread into a framework's options; the two
 * that cost something are made when they are read, by getters that all contexts share.
 *
 * @module
 */
import type { CancelContext } from '../combinators/context.ts';
import type { CancellationToken } from '../token/handles.ts';
import type { CancelTurn } from './run-operation.ts';

/** Passes everything on; subclasses add what is theirs. */
export class DelegatedContext implements CancelContext {
  static readonly #signal: PropertyDescriptor = {
    enumerable: true,
    configurable: true,
    get(this: DelegatedContext) {
      return this.#context.signal;
    },
  };
  static readonly #graceToken: PropertyDescriptor = {
    enumerable: true,
    configurable: true,
    get(this: DelegatedContext) {
      return this.#context.graceToken;
    },
  };
  readonly #context: CancelContext;
  declare readonly signal: AbortSignal;
  declare readonly graceToken: CancellationToken;
  readonly token: CancellationToken;
  readonly checkpoint: () => void;
  readonly progress: () => void;
  readonly commit: CancelContext['commit'];
  readonly cancelTurn: CancelTurn;

  constructor(context: CancelContext, cancelTurn: CancelTurn) {
    this.#context = context;
    this.token = context.token;
    this.checkpoint = context.checkpoint;
    this.progress = context.progress;
    this.commit = context.commit;
    this.cancelTurn = cancelTurn;
    Object.defineProperty(this, 'signal', DelegatedContext.#signal);
    Object.defineProperty(this, 'graceToken', DelegatedContext.#graceToken);
  }
}
