/**
 * The messages of an AI SDK loop so far: what the model was asked last, and what it answered, as messages for the next
 * call. The SDK hands back none of them when its loop is stopped.
 *
 * @module
 */
import type { Turn } from '../../core/inside.ts';
import { Conversations, type ConversationCall } from '../internal/framework/conversations.ts';
import { messagePart, type AnswerPart } from './answer-parts.ts';
import type { CutAnswer } from './cut-answer.ts';

/**
 * A message of the AI SDK, of any of its versions.
 *
 * @since 0.1.0
 */
export interface AIMessage {
  role: 'user' | 'assistant' | 'tool';
  // The SDK's part types differ between its versions; what was asked, each of them takes.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- `unknown` would not be assignable to the SDK's content
  content: any;
}

const conversations = new Conversations<AIMessage>(
  (message) => (message as { readonly role?: unknown } | null)?.role === 'system',
);

/** A call of the model begins. Instructions of the system belong to it, and are given again with the next one. */
export function callIn(turn: Turn): ConversationCall<AIMessage> {
  return conversations.call(turn);
}

/** The model answered; returns its answer, if nothing more has to follow it. */
export function noteAnswered(call: ConversationCall<AIMessage>, content: readonly AnswerPart[]): CutAnswer | undefined {
  const message = { role: 'assistant' as const, content: content.flatMap(messagePart) };
  if (message.content.length > 0) call.answered(message);
  if (message.content.some(({ type }) => type === 'tool-call')) return undefined;
  const text = message.content.map((part) => (part.type === 'text' ? String(part['text']) : '')).join('');
  return text === '' ? undefined : { text, message };
}

/**
 * The messages of a loop so far: what its model was asked last – prompt, finished steps, results of their tools – and
 * what it answered, if the answer came whole. A stopped `generateText` or `streamText` hands back none of them.
 *
 * What a cut call had said is in the report's `partials`, what tools did in its `calls`: `settleTurn` puts all of it
 * together, and the next request pays for nothing twice.
 *
 * @checkpoint never
 * @param turn The turn that ran the loop; also after it has ended.
 * @param messages What the loop was given.
 * @returns Those messages, and what has come since; as they are if the loop did not get as far as to call its model, and
 * without what tools that are agents themselves were asked. Without `messages`: what a model of this turn was asked last,
 * without instructions of the system; empty if none was called.
 * @throws TypeError – not a turn, or not a list.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { messagesSoFar, turnMiddleware } from 'desist/ai-sdk'
 *
 * const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]
 * const model = { doGenerate: async (_params: object) => ({ content: [{ type: 'text', text: 'Hi.' }] }) }
 * const report = await new InterruptController().runTurn(async (turn) => {
 *   await turnMiddleware(turn).wrapGenerate({ params: { prompt }, model })
 *   return messagesSoFar(turn, prompt).map(({ role }) => role)
 * })
 * report.unwrap() // => ['user', 'assistant']
 * ```
 * @source AI SDK `result.response.messages`
 * @since 0.1.0
 */
export function messagesSoFar<M = AIMessage>(turn: Turn, messages?: readonly M[]): (M | AIMessage)[] {
  return conversations.of(turn, messages);
}
