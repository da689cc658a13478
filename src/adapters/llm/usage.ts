/**
 * How many tokens a model call cost, honest about what a cut hides.
 *
 * @module
 */

/**
 * The tokens of one model call. Providers bill what they generated, but report it only at the end: after a cut the
 * numbers are what is certain, and the truth is that or more.
 *
 * @since 0.1.0
 */
export interface StreamUsage {
  /** Whether the provider reported the final numbers. If not, both numbers are lower bounds. */
  readonly isExact: boolean;
  /** Input tokens as the provider counts them; `undefined` if it has said nothing yet – never 0 for "unknown". */
  readonly inputTokens: number | undefined;
  /** Output tokens; `undefined` if nothing came. */
  readonly outputTokens: number | undefined;
  /** The provider's own usage object, as it last stood. */
  readonly reported?: unknown;
}

/**
 * Usage in words.
 *
 * @param usage What a fold counted.
 * @returns For example `10 input and 25 output tokens`, or `unknown, at least 3 output tokens`.
 * @example
 * ```ts
 * import { describeUsage } from 'desist/llm'
 *
 * describeUsage({ isExact: false, inputTokens: undefined, outputTokens: 3 }) // => 'unknown, at least 3 output tokens'
 * ```
 * @since 0.1.0
 */
export function describeUsage(usage: StreamUsage): string {
  const parts: string[] = [];
  if (usage.inputTokens !== undefined) parts.push(`${String(usage.inputTokens)} input`);
  if (usage.outputTokens !== undefined) parts.push(`${String(usage.outputTokens)} output`);
  const known = parts.length === 0 ? undefined : `${parts.join(' and ')} tokens`;
  if (usage.isExact) return known ?? 'no tokens';
  return known === undefined ? 'unknown' : `unknown, at least ${known}`;
}

/** Roughly what one token holds; a bound that only has to be on the safe side for prose and code. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Counts what certainly was generated. A provider's delta is a token or more, but a proxy may cut deltas finer: so the
 * smaller of deltas and characters by fours counts, and at least one once anything came.
 */
export class TokenFloor {
  #deltas = 0;
  #characters = 0;

  add(text: string): void {
    if (text === '') return;
    this.#deltas += 1;
    this.#characters += text.length;
  }

  /** The bound, or what the provider reported if that is more; `undefined` if nothing came and nothing was said. */
  atLeast(reported: number | undefined): number | undefined {
    const floor = Math.min(this.#deltas, Math.ceil(this.#characters / CHARACTERS_PER_TOKEN));
    const most = Math.max(floor, reported ?? 0);
    return most === 0 ? undefined : most;
  }
}

/** The usage of a fold's value. */
export function usageOf(
  isExact: boolean,
  inputTokens: number | undefined,
  outputTokens: number | undefined,
  reported: unknown,
): StreamUsage {
  if (reported === undefined) return { isExact, inputTokens, outputTokens };
  return { isExact, inputTokens, outputTokens, reported };
}

/** A number out of a provider's usage object. */
export function tokensIn(usage: unknown, field: string): number | undefined {
  const value: unknown =
    typeof usage === 'object' && usage !== null ? (usage as Record<string, unknown>)[field] : undefined;
  return typeof value === 'number' ? value : undefined;
}
