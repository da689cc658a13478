/** A transcript with all that the report of its turn says; what a `Conversation` does by itself. */
import type { PartialOutput, ToolOutcome } from '../../../src/index.ts';
import type { ReasonLike, SettledTranscript, SettleTranscriptOptions } from '../../../src/transcript/index.ts';
import { settleTranscript } from '../../../src/transcript/index.ts';

interface Report {
  readonly calls: readonly ToolOutcome[];
  readonly partials: readonly PartialOutput[];
  readonly stop?: { readonly reason: ReasonLike | undefined } | undefined;
}

export function settleReport<B, A, const M extends B>(
  messages: readonly M[],
  { calls, partials, stop }: Report,
  options: Omit<SettleTranscriptOptions<B, A>, 'outcomes' | 'partials' | 'reason'>,
): SettledTranscript<M | A> {
  return settleTranscript<B, A, M>(messages, { ...options, outcomes: calls, partials, reason: stop?.reason });
}
