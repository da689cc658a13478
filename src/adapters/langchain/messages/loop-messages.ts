/**
 * How the messages of a loop are read: what its model is asked, and what it answers.
 *
 * @module
 */
import { isObject } from '../../../core/inside.ts';
import type { LoopReader } from '../../internal/framework/loop-record.ts';

interface Message {
  readonly role?: unknown;
  readonly type?: unknown;
  readonly content?: unknown;
  readonly tool_call_id?: unknown;
  readonly tool_calls?: unknown;
  readonly invalid_tool_calls?: unknown;
  readonly status?: unknown;
  getType?(): unknown;
}

/** The messages in a model's input, of whatever kind it is. */
export function messagesOf(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input;
  const { toChatMessages } = (isObject(input) ? input : {}) as { readonly toChatMessages?: () => unknown[] };
  if (typeof toChatMessages === 'function') return toChatMessages.call(input);
  return [{ role: 'user', content: input }];
}

/** The ids of the calls in an answer: of those that a loop runs, or of those whose arguments could not be read. */
export function callIdsIn(message: unknown, place: 'tool_calls' | 'invalid_tool_calls' = 'tool_calls'): string[] {
  const { [place]: calls } = (isObject(message) ? message : {}) as Message;
  return (Array.isArray(calls) ? (calls as readonly { readonly id?: unknown }[]) : []).flatMap(({ id }) =>
    typeof id === 'string' ? [id] : [],
  );
}

/** The messages that a model is sent: each result is one of its own. */
export const langChainMessages: LoopReader = {
  dialect: 'langchain',
  resultsIn: (messages) =>
    messages.flatMap((message) => {
      const own = (isObject(message) ? message : {}) as Message;
      const { tool_call_id: id, content } = own;
      if (typeof id !== 'string' || (own.getType?.() ?? own.role ?? own.type) !== 'tool') return [];
      // One that holds nothing is not taken as it is: no provider has to take it.
      const isTold = content !== '' && content !== undefined && !(Array.isArray(content) && content.length === 0);
      return [[id, isTold ? { message } : { output: content }] as const];
    }),
};
