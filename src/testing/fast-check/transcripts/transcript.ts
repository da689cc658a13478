/**
 * Conversations as the messages of a dialect.
 *
 * @module
 */
import type { Arbitrary } from 'fast-check';

import type { DialectName, TranscriptDialect, TranscriptDialects } from '../../../transcript/index.ts';
import { conversation, type Conversation, type ConversationConstraints } from './conversation.ts';
import { writeRound, writerOf } from './writers/index.ts';

/**
 * Which of its kinds of messages a dialect writes; `ui` is for the AI SDK's `UIMessage`.
 *
 * @since 0.1.0
 */
export interface WriteConversationOptions {
  /** `model` by default. */
  readonly form?: 'model' | 'ui' | undefined;
}

/**
 * Constraints of {@link transcript} and {@link interruptedTranscript}.
 *
 * @since 0.1.0
 */
export interface TranscriptConstraints extends ConversationConstraints, WriteConversationOptions {}

/** A dialect, whatever it adds and gives. */
export type AnyDialect<M> = TranscriptDialect<M, unknown, unknown, unknown>;

/**
 * The messages of the dialect with this name.
 *
 * @since 0.1.0
 */
export type MessageOf<N extends DialectName> =
  TranscriptDialects[N] extends TranscriptDialect<infer M, infer _A, infer _R, infer _T> ? M : never;

/**
 * Writes a conversation as the messages of a dialect, as its provider's servers and its SDK do: with the ids that the
 * conversation has, however odd they are, and cut where it is cut.
 *
 * A name is enough, so that no dialect has to be imported. In the messages of a user interface a call holds its result:
 * orphans are left out there.
 *
 * @param from The conversation.
 * @param dialect The dialect, or its name.
 * @param options Which kind of messages.
 * @returns New messages.
 * @throws TypeError – there is no such dialect, or it has no such kind of messages.
 * @example
 * ```ts
 * import { writeConversation } from 'desist/testing/fast-check'
 *
 * const calls = [{ mark: '3', id: 'a', name: 'read', isHalf: false }]
 * const rounds = [{ prompt: 'text<1>', replies: [{ text: 'text<2>', calls }], results: [] }]
 * writeConversation({ rounds, answered: new Set() }, 'gemini').map(({ role }) => role) // => ['user', 'model']
 * ```
 * @since 0.1.0
 */
export function writeConversation<N extends DialectName>(
  from: Conversation,
  dialect: N,
  options?: WriteConversationOptions,
): MessageOf<N>[];
export function writeConversation<M>(
  from: Conversation,
  dialect: TranscriptDialect<M, unknown, unknown, unknown>,
  options?: WriteConversationOptions,
): M[];
export function writeConversation(
  from: Conversation,
  dialect: unknown,
  { form }: WriteConversationOptions = {},
): unknown[] {
  const writer = writerOf(dialect, form);
  return from.rounds.flatMap((round) => writeRound(writer, round));
}

/**
 * The messages of {@link conversation}: transcripts of one dialect as an interruption leaves them. The provider refuses most
 * of them, until they are repaired.
 *
 * @param dialect The dialect, or its name; with a name alone no dialect is bundled. The messages have the dialect's own type,
 *   or that of an SDK: `transcript<ChatCompletionMessageParam>(openaiChat)`.
 * @param constraints Which conversations, and which kind of messages.
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
  constraints?: TranscriptConstraints,
): Arbitrary<MessageOf<N>[]>;
export function transcript<M>(
  dialect: TranscriptDialect<M, unknown, unknown, unknown>,
  constraints?: TranscriptConstraints,
): Arbitrary<M[]>;
export function transcript(
  dialect: unknown,
  { form, ...constraints }: TranscriptConstraints = {},
): Arbitrary<unknown[]> {
  const writer = writerOf(dialect, form);
  return conversation(constraints).map(({ rounds }) => rounds.flatMap((round) => writeRound(writer, round)));
}
