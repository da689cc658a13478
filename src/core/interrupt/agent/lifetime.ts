/**
 * The token that all work of an agent hangs on: its turns, its background work, its detached sub-agents. Stopping
 * everything cancels it, and the next turn gets a new one, for a token never goes back to live.
 *
 * @module
 */
import type { ChildOptions } from '../../token/configure.ts';
import { Source } from '../../token/source.ts';
import { childOf, type Token } from '../../token/token.ts';

/** One token after the other, below what the agent hangs on now. */
export class Lifetime {
  readonly #above: () => Token;
  readonly #options: ChildOptions;
  #source: Source;
  #isClosed = false;

  constructor(above: () => Token, options: ChildOptions) {
    this.#above = above;
    this.#options = options;
    this.#source = this.#begin();
  }

  #begin(): Source {
    return new Source(childOf(this.#above()), this.#options);
  }

  /** The token of now: a new one if the last was cancelled, and what it hangs on does not end for the same reason. */
  get token(): Token {
    const { reason } = this.#source;
    if (reason !== undefined && !this.#isClosed && this.#above().reason !== reason) this.#source = this.#begin();
    return this.#source.token;
  }

  /** Whether anybody listens to it or below it. */
  get isWatched(): boolean {
    return (this.#source.token.extra?.watch ?? 0) > 0;
  }

  /** Hands over everything that hangs on it, to be stopped: what starts from here on hangs on a new token. */
  take(): Source {
    const taken = this.#source;
    if (!this.#isClosed) this.#source = this.#begin();
    return taken;
  }

  /** No token follows this one. */
  close(): void {
    this.#isClosed = true;
  }
}
