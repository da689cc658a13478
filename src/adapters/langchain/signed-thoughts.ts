/**
 * Messages as a provider takes them that signs what its model thinks: a thought that was cut before its signature came is
 * refused with the whole request, so it is left out.
 *
 * @module
 */
import { withContent } from './placed-chunks.ts';

interface Block {
  readonly type?: unknown;
  readonly signature?: unknown;
}

interface Message {
  readonly content?: unknown;
  readonly tool_calls?: readonly unknown[];
}

function isUnsigned(block: unknown): boolean {
  const { type, signature } = (block ?? {}) as Block;
  return type === 'thinking' && (signature === undefined || signature === '');
}

function blocksOf(message: unknown): readonly unknown[] {
  const { content } = (message ?? {}) as Message;
  return Array.isArray(content) ? content : [];
}

/** The messages without thoughts that nobody signed, and without those that were nothing else; itself if there are none. */
export function withoutUnsignedThoughts(messages: readonly unknown[]): readonly unknown[] {
  const isCut = (message: unknown): boolean => blocksOf(message).some(isUnsigned);
  if (!messages.some(isCut)) return messages;
  return messages.flatMap((message) => {
    if (!isCut(message)) return [message];
    const { tool_calls: calls = [] } = message as Message;
    const signed = blocksOf(message).filter((block) => !isUnsigned(block));
    return signed.length === 0 && calls.length === 0 ? [] : [withContent(message as object, signed)];
  });
}
