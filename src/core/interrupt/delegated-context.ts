/**
 * The context of a piece of work, handed on by somebody who adds to it.
 * In the interrupt room below the contexts of model and tool calls. Getters, so that a signal nobody reads is not made.
 *
 * @module
 */
import type { CancelContext } from '../combinators/context.ts';
import type { CancellationToken } from '../token/handles.ts';

/** Passes everything on; subclasses add what is theirs. */
export class DelegatedContext implements CancelContext {
  readonly #context: CancelContext;

  constructor(context: CancelContext) {
    this.#context = context;
  }

  get token(): CancellationToken {
    return this.#context.token;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }

  get graceToken(): CancellationToken {
    return this.#context.graceToken;
  }

  get checkpoint(): () => void {
    return this.#context.checkpoint;
  }

  get progress(): () => void {
    return this.#context.progress;
  }

  get commit(): CancelContext['commit'] {
    return this.#context.commit;
  }
}
