/** What a loop without a conversation does when its turn is over: it adds what was cut, and repairs with the rows. */
import type { PartialOutput, ToolOutcome } from '../../../src/index.ts';
import { messageWriter, type RepairedTranscript, type TranscriptDialect } from '../../../src/transcript/index.ts';
import { repairWith, type RepairWithOptions } from './repair-with.ts';

interface Report {
  readonly calls: readonly ToolOutcome[];
  readonly partials: readonly PartialOutput[];
}

/** A reply that a message of a person cut was given to the loop, which has pushed it. */
export function repairReport<B, A, const M extends B>(
  messages: readonly M[],
  { calls, partials }: Report,
  options: Omit<RepairWithOptions<B, A>, 'outcomes' | 'dialect'> & {
    readonly dialect: TranscriptDialect<B, A>;
  },
): RepairedTranscript<M | A> {
  const cut = partials
    .filter(({ reason }) => reason.kind !== 'interjection')
    .flatMap(
      ({ value, reason }) =>
        messageWriter(options.dialect).reply({ status: 'interjected', partial: value, reason }) as M[],
    );
  return repairWith<B, A, M>([...messages, ...cut], { ...options, outcomes: calls });
}
