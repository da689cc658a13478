/**
 * What a chat model answers with, as messages: read out of a message, out of the chunks of a stream, and out of the
 * result for several prompts.
 *
 * @module
 */
import type { SaidWords } from './heard-words.ts';

interface Message {
  readonly content?: unknown;
  readonly tool_calls?: readonly unknown[];
}

interface Chunk {
  concat?(next: unknown): Chunk;
}

/** The message of a generation, of the first prompt: a framework asks one at a time. */
export function messageOfResult(result: unknown): unknown {
  const { generations } = result as { readonly generations?: readonly (readonly { readonly message?: unknown }[])[] };
  return generations?.[0]?.[0]?.message;
}

/** The chunks of a stream as one message, by the SDK's own rule. */
export function messageOfChunks(chunks: readonly unknown[]): unknown {
  const [first, ...rest] = chunks as readonly Chunk[];
  if (rest.length === 0 || typeof first?.concat !== 'function') return rest.length === 0 ? first : undefined;
  return rest.reduce((whole, chunk) => whole.concat?.(chunk) ?? whole, first);
}

/** What there is of an answer that was cut, or that its reader has left, with nothing as the least. */
export function cutReply(said: SaidWords | undefined): object {
  const message = said?.message ?? { role: 'assistant', content: '' };
  return { ...said, message, isComplete: false };
}

/** The words of an answer that asks for no tools: nothing more has to follow it. */
export function finalWordsOf(message: unknown): SaidWords | undefined {
  const { content, tool_calls: calls = [] } = (message ?? {}) as Message;
  if (calls.length > 0) return undefined;
  const text = textIn(content);
  return text === '' ? undefined : { text, message: { role: 'assistant', content: text } };
}

/** Whether a chunk brings a piece of a tool call. */
export function hasCalls(chunk: unknown): boolean {
  const { tool_call_chunks: calls } = (chunk ?? {}) as { readonly tool_call_chunks?: unknown };
  return Array.isArray(calls) && calls.length > 0;
}

/** The arguments of tool calls that a chunk brings, as far as they go. */
export function argumentsIn(chunk: unknown): string {
  const { tool_call_chunks: calls } = (chunk ?? {}) as { readonly tool_call_chunks?: unknown };
  if (!Array.isArray(calls)) return '';
  return (calls as readonly { readonly args?: unknown }[])
    .map(({ args }) => (typeof args === 'string' ? args : ''))
    .join('');
}

/** Whether a chunk brings words. */
export function hasText(chunk: unknown): boolean {
  return textIn((chunk as Message | null | undefined)?.content) !== '';
}

/** The text of a content: a string, or the text parts of a list. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly { readonly text?: unknown }[])
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}
