/**
 * How the items of a run are read: what its model is asked, and what it answers.
 *
 * @module
 */
import { isObject } from '../../core/inside.ts';
import type { LoopReader } from '../internal/framework/loop-record.ts';

interface Item {
  readonly type?: unknown;
  readonly callId?: unknown;
  readonly content?: unknown;
  readonly providerData?: { readonly approval_request_id?: unknown };
}

/** What a response consists of. */
export function itemsIn(response: unknown): readonly Item[] {
  const { output } = (isObject(response) ? response : {}) as { readonly output?: unknown };
  return Array.isArray(output) ? (output as readonly Item[]) : [];
}

/** The ids of the calls in a response. */
export function callIdsIn(response: unknown): string[] {
  return itemsIn(response).flatMap(({ callId }) => (typeof callId === 'string' ? [callId] : []));
}

/** What a person may have read of a response that came whole, if nothing more has to follow it. */
export function lastWordsOf(response: unknown): object | undefined {
  const items = itemsIn(response);
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

/** The items that a model is sent: each result is one of its own. */
export const agentsItems: LoopReader = {
  dialect: 'openai-agents',
  resultsIn: (items) =>
    items.flatMap((item) => {
      const { type, callId, providerData } = (isObject(item) ? item : {}) as Item;
      const isResult = typeof type === 'string' && /_(?:result|output)$/.test(type);
      // The answer to a server of MCP is one of its question.
      const id = isResult ? callId : providerData?.approval_request_id;
      return typeof id === 'string' ? [[id, { message: item }] as const] : [];
    }),
};
