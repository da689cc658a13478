/**
 * What an answer has cost, as the frameworks tell it.
 *
 * @module
 */
import { isObject } from '../../../core/inside.ts';

/** Where a framework keeps it: of an answer, of a part of a stream, or of what these hold. */
interface Telling {
  readonly usage?: unknown;
  readonly usage_metadata?: unknown;
  readonly response?: unknown;
  readonly message?: unknown;
  readonly generations?: unknown;
}

/** The output tokens that an answer, or a part of a stream, tells of; 0 where it tells of none. */
export function outputTokensOf(told: unknown): number {
  const { generations, ...own } = (isObject(told) ? told : {}) as Telling;
  if (Array.isArray(generations)) return generations.flat().reduce<number>((all, one) => all + outputTokensOf(one), 0);
  const within = [own.response, own.message].filter(isObject) as Telling[];
  for (const { usage, usage_metadata: metadata } of [own, ...within]) {
    const { outputTokens, output_tokens: count } = { ...(usage as object), ...(metadata as object) } as Counts;
    const tokens = isObject(outputTokens)
      ? (outputTokens as { readonly total?: unknown }).total
      : (outputTokens ?? count);
    if (typeof tokens === 'number' && tokens >= 0 && tokens < Infinity) return tokens;
  }
  return 0;
}

interface Counts {
  readonly outputTokens?: unknown;
  readonly output_tokens?: unknown;
}
