/**
 * What a script does to a forest of tokens, whoever wrote them.
 *
 * @module
 */

/**
 * Which rung a callback waits for.
 */
export type TokenRung = 'cancel' | 'kill';

/**
 * How a token hangs on its parents: a child of one, one that a shield stands above, a source with several parents, `any`
 * and `all` of several, and one that stands for an `AbortSignal`.
 */
export type TokenKind = 'child' | 'shield' | 'join' | 'any' | 'all' | 'foreign';

/**
 * Tokens as a script sees them, each by its number in the order in which they were made. Implement it over tokens of your
 * own to hold them against the model.
 */
export interface TokenForest {
  /** How many tokens there are. */
  readonly size: number;
  /** Makes the next token; without parents a root. */
  make(kind: TokenKind, parents: readonly number[]): void;
  /** Cancels with a reason whose message is `id`; `undefined` where nobody holds a source of the token. */
  cancel(node: number, id: string, graceMs: number | undefined): boolean | undefined;
  /** The second rung; what was cancelled before keeps its reason. */
  kill(node: number, id: string): boolean | undefined;
  /** Freezes what the token says. */
  release(node: number): void;
  /** A limit from now on, in milliseconds; it takes the place of an earlier one. */
  limit(node: number, ms: number, id: string): void;
  /** Aborts the signal that a token stands for; nothing for any other. */
  abort(node: number, id: string): void;
  /** Adds a callback; the answer removes it, and says whether it will not run. */
  on(node: number, rung: TokenRung, run: () => void): () => boolean;
  /** Lets so many milliseconds pass. */
  advance(ms: number): void;
  /** `live`, the id of the cancel, or that with an exclamation mark for a kill. */
  read(node: number): string;
  /** Whether anything hangs on the token, 1 or 0; left out where nobody can tell. */
  watched?: ((node: number) => number) | undefined;
}

/**
 * What a `TokenModel` tells whoever plays with it.
 */
export interface TokenModelOptions {
  /** Called for a callback that throws. */
  readonly onError?: (() => void) | undefined;
  /** Called when the order of what follows is nobody's promise. */
  readonly onUndecided?: (() => void) | undefined;
}
