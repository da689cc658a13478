/**
 * The results of Strands: a tool gives one back as a block with the id of its call, and also where it throws.
 *
 * @module
 */
import { fieldsOf } from '../../core/interrupt/calls/call-identity.ts';

/** Words about a call as its result. */
export function strandsBlock(toolUseId: string, words: string): object {
  const status = 'error';
  const toolResult = { toolUseId, status, content: [{ text: words }] };
  return {
    ...{ type: 'toolResultBlock', toolUseId, status },
    content: [strandsText(words)],
    toJSON: () => ({ toolResult }),
  };
}

/** A text as a part of a block. */
export function strandsText(text: string): object {
  return Object.defineProperty({ type: 'textBlock', text }, 'toJSON', { value: () => ({ text }) });
}

/** The error that a result stands for; `undefined` if it stands for none. */
export function errorIn(result: unknown): Error | undefined {
  const { type, status, error } = fieldsOf(result);
  return type === 'toolResultBlock' && status === 'error' && error instanceof Error ? error : undefined;
}
