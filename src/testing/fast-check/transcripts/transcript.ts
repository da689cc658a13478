/**
 * Conversations as the messages of a dialect.
 *
 * @module
 */
import type { Arbitrary } from 'fast-check';

import type { DialectName, MessageFormat, TranscriptDialect, TranscriptDialects } from '../../../transcript/index.ts';
import { conversation, type ConversationConstraints } from './conversation.ts';
import { writeRound, writerOf } from './writers/index.ts';

/** A dialect, or what lists of messages are repaired by. */
export type AnyFormat<M> = MessageFormat<M, unknown>;

/**
 * The messages of the dialect with this name.
 *
 * @since 0.1.0
 */
export type MessageOf<N extends DialectName> =
  TranscriptDialects[N] extends TranscriptDialect<infer M, infer _A> ? M : never;

/**
 * Transcripts of one dialect as an interruption leaves them: every style of ids, replies that follow each other, results that are
 * missing, doubled, out of order or of no call, and a last call that was cut. The provider refuses most of them, until they are repaired.
 *
 * They are legal in the sense that somebody who knows everything could say which result is of which call: where ids do not
 * tell, the order does. In the messages of a page (`aiSDKUI`) a call holds its result: results of no call are left out there.
 *
 * @param dialect The dialect, or its name; with a name alone no dialect is bundled. The messages have the dialect's own type,
 *   or that of an SDK: `transcript<ChatCompletionMessageParam>(openaiChat)`.
 * @param constraints Which conversations.
 * @returns An arbitrary of transcripts; a failure shrinks to few and plain messages.
 * @throws TypeError, RangeError – there is no such dialect, or the constraints are none.
 * @example Repaired, every transcript can be sent
 * ```ts
 * import fc from 'fast-check'
 * import { checkTranscript, repair } from 'desist/transcript'
 * import { anthropic } from 'desist/transcript/anthropic'
 * import { transcript } from 'desist/testing/fast-check'
 *
 * const law = fc.property(transcript(anthropic), (cut) => {
 *   const { messages } = repair(cut, { dialect: anthropic })
 *   return checkTranscript(messages, { dialect: anthropic }).length === 0
 * })
 * fc.check(law).failed // => false
 * ```
 * @since 0.1.0
 */
export function transcript<N extends DialectName>(
  dialect: N,
  constraints?: ConversationConstraints,
): Arbitrary<MessageOf<N>[]>;
export function transcript<M>(dialect: AnyFormat<M>, constraints?: ConversationConstraints): Arbitrary<M[]>;
export function transcript(dialect: unknown, constraints: ConversationConstraints = {}): Arbitrary<unknown[]> {
  const writer = writerOf(dialect);
  return conversation(constraints).map(({ rounds }) => rounds.flatMap((round) => writeRound(writer, round)));
}
