/**
 * The agent's life: the token that background work and every turn hang on.
 * In the interrupt room below the controller. Ending everything ends a life; the next turn gets a new one, for a token
 * never goes back to live.
 *
 * @module
 */
import type { CancelReason } from '../foundation/reason.ts';
import type { ChildOptions } from '../token/handles.ts';
import { Source, childOf, type Token } from '../token/source.ts';
import { isWatched } from './place.ts';

/** One life after another, below whatever is above now. */
export class AgentLife {
  readonly #above: () => Token;
  readonly #options: ChildOptions;
  #source: Source;
  #closed = false;

  constructor(above: () => Token, options: ChildOptions) {
    this.#above = above;
    this.#options = options;
    this.#source = this.#begin();
  }

  #begin(): Source {
    return new Source(childOf(this.#above()), this.#options);
  }

  /** The life of now: a new one if the last was ended, and what is above lives. */
  get token(): Token {
    if (!this.#closed && this.#source.isCancelled && !this.#above().isCancelled) this.#source = this.#begin();
    return this.#source.token;
  }

  /** Whether somebody listens to it or below it. */
  get isWatched(): boolean {
    return isWatched(this.#source.token);
  }

  /** Ends this life; returns whether there was one. */
  end(reason: CancelReason): boolean {
    return this.#source.cancel(reason);
  }

  /** No life follows this one. */
  close(): void {
    this.#closed = true;
  }
}
