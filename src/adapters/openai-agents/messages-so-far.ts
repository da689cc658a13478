/**
 * The items of a run so far, as its model was asked and answered. The SDK's error of a stopped run has none of them.
 *
 * @module
 */
import type { Turn } from '../../core/inside.ts';
import { Conversations, type ConversationCall } from '../internal/framework/conversations.ts';

const conversations = new Conversations<AgentsItem>();

/**
 * An item of a history of OpenAI Agents, of any of its versions.
 *
 * @since 0.1.0
 */
// The SDK's item types differ between its versions; what was asked, each of them takes.
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- `unknown` would not be assignable to the SDK's items
export type AgentsItem = any;

/** A call of the model begins. */
export function callIn(turn: Turn): ConversationCall<AgentsItem> {
  return conversations.call(turn);
}

/** Keeps what a model answered; returns its words, if nothing more has to follow them. */
export function noteAnswered(call: ConversationCall<AgentsItem>, output: unknown): object | undefined {
  const items = (Array.isArray(output) ? output : []) as readonly {
    readonly type?: unknown;
    readonly content?: unknown;
  }[];
  call.answered(...items);
  if (items.some(({ type }) => typeof type === 'string' && type.endsWith('_call'))) return undefined;
  const texts = items.flatMap(({ type, content }) =>
    type === 'message' && Array.isArray(content) ? (content as readonly object[]) : [],
  );
  const text = texts
    .map((part: { readonly text?: unknown }) => (typeof part.text === 'string' ? part.text : ''))
    .join('');
  return text === '' ? undefined : saidMessage(text);
}

/** A text as the message that a model is sent for it. */
export function saidMessage(text: string): object {
  const content = [{ type: 'output_text', text }];
  return { text, message: { type: 'message', role: 'assistant', status: 'incomplete', content } };
}

/**
 * The items of a run so far – input, finished steps, results of their tools – and what its model answered last, if the
 * answer came whole; all of it also where a filter, or a provider that holds the conversation, sends only a part of it. A
 * stopped `run` rejects, and its error has no history.
 *
 * What a cut call had said is in the report's `partials`, what tools did in its `calls`: `settleTurn` puts all of it
 * together, and the next request pays for nothing twice.
 *
 * @checkpoint never
 * @param turn The turn that ran the loop; also after it has ended.
 * @param items What the run was given.
 * @returns Those items, and what has come since, for the input of the next run; as they are if the run did not get as far
 * as to call its model, and without what agents that are tools were asked. Without `items`: those of the run that asked
 * last; empty if none was called.
 * @throws TypeError – not a turn, or not a list.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { messagesSoFar, turnModel } from 'desist/openai-agents'
 *
 * const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] }
 * const model = {
 *   getResponse: async (_request: { input: unknown }) => ({ output: [said] }),
 *   getStreamedResponse: async function* () { yield 'hi' },
 * }
 * const report = await new InterruptController().runTurn(async (turn) => {
 *   await turnModel(turn, model).getResponse({ input: 'hello' })
 *   return messagesSoFar(turn, [{ role: 'user', content: 'hello' }]).length
 * })
 * report.unwrap() // => 2
 * ```
 * @source OpenAI Agents `RunResult.history`
 * @since 0.1.0
 */
export function messagesSoFar(turn: Turn, items?: readonly AgentsItem[]): AgentsItem[] {
  return conversations.of(turn, items);
}
