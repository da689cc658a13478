/** A reply that was cut, as messages of its dialect. */
import { createReason } from '../../../src/core/foundation/reason.ts';
import { messageWriter, type TranscriptDialect } from '../../../src/transcript/index.ts';

const user = createReason({ kind: 'user', at: 1 });

/** @param partial What a model call had kept of it. */
export function cutReply<R>(dialect: TranscriptDialect<never>, partial: unknown): R[] {
  return messageWriter(dialect).reply({ status: 'interjected', partial, reason: user });
}
