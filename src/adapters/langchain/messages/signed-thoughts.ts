/**
 * Messages as a provider takes them that signs what its model thinks: a thought that was cut before its signature came is
 * refused with the whole request, so it is left out.
 *
 * @module
 */
import { copyWith } from './message-copy.ts';

interface Block {
  readonly type?: unknown;
  readonly signature?: unknown;
  readonly value?: unknown;
}

interface Message {
  readonly content?: unknown;
  readonly tool_calls?: readonly unknown[];
  readonly response_metadata?: { readonly output_version?: unknown; readonly model_provider?: unknown } | null;
}

function isSigned({ signature }: Block): boolean {
  return signature !== undefined && signature !== '';
}

function blocksOf(message: unknown): readonly Block[] {
  const { content } = (message ?? {}) as Message;
  return Array.isArray(content) ? content.map((block: unknown) => (block ?? {}) as Block) : [];
}

/** Whether a block is a thought that was cut, by its place: of LangChain's standard blocks the next one has the seal. */
function cutIn(message: unknown): (block: Block, at: number) => boolean {
  const blocks = blocksOf(message);
  const { response_metadata: about } = (message ?? {}) as Message;
  const isStandard = about?.output_version === 'v1' && about.model_provider === 'anthropic';
  return (block, at) => {
    if (block.type === 'thinking') return !isSigned(block);
    if (!isStandard || block.type !== 'reasoning' || isSigned(block)) return false;
    const { type, value } = blocks[at + 1] ?? {};
    return type !== 'non_standard' || !isSigned(value ?? {});
  };
}

/** The messages without thoughts that nobody signed, and without those that were nothing else; itself if there are none. */
export function withoutUnsignedThoughts(messages: readonly unknown[]): readonly unknown[] {
  const isCut = (message: unknown): boolean => blocksOf(message).some(cutIn(message));
  if (!messages.some(isCut)) return messages;
  return messages.flatMap((message) => {
    if (!isCut(message)) return [message];
    const { tool_calls: calls = [], content } = message as Message;
    const isUnsigned = cutIn(message);
    const signed = (content as readonly unknown[]).filter((block, at) => !isUnsigned((block ?? {}) as Block, at));
    return signed.length === 0 && calls.length === 0 ? [] : [copyWith(message as object, { content: signed })];
  });
}
