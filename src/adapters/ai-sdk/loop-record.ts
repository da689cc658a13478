/**
 * What of one loop of the SDK its conversation is told: how its prompts and answers are read.
 *
 * @module
 */
import { isObject } from '../../core/inside.ts';
import type { LoopReader, LoopRecord } from '../internal/framework/loop-record.ts';
import { messagePart, type AnswerPart } from './answer-parts.ts';
import type { CutAnswer } from './cut-answer.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Message {
  readonly role?: unknown;
  readonly content?: unknown;
}

/** An answer as a message. */
export function messageOf(content: readonly AnswerPart[]): CutAnswer['message'] {
  return { role: 'assistant', content: content.flatMap(messagePart) };
}

/** What a person may have read of an answer that came whole, if nothing more has to follow it. */
export function lastWordsOf(message: CutAnswer['message']): CutAnswer | undefined {
  const parts = message.content as readonly (Fields & { readonly type: string })[];
  if (parts.some(({ type }) => type === 'tool-call')) return undefined;
  const text = parts.map((part) => (part.type === 'text' ? String(part['text']) : '')).join('');
  return text === '' ? undefined : { text, message };
}

/** The ids of the calls in an answer. */
export function callIdsIn(content: readonly AnswerPart[]): string[] {
  const calls = (content as readonly (AnswerPart & Fields)[]).filter(({ type }) => type === 'tool-call');
  return calls.map(({ toolCallId }) => String(toolCallId));
}

/** How the SDK's messages are read, for its models and its own alike. */
export const aiMessages: LoopReader = {
  dialect: 'ai-sdk',
  resultsIn: (messages) =>
    messages.flatMap((message) => {
      const { role } = (isObject(message) ? message : {}) as Message;
      const results = role === 'tool' ? partsOf(message).filter(({ type }) => type === 'tool-result') : [];
      return results.map(({ toolCallId, output }) => [String(toolCallId), { output }] as const);
    }),
};

/**
 * A step has ended with these messages, by the SDK's own account: with the questions whether a call may run, and the
 * results of those that ran.
 */
export function stepEnded(record: LoopRecord, messages: unknown): void {
  if (!Array.isArray(messages)) return;
  record.became(messages as readonly unknown[], (recorder) => {
    for (const part of messages.flatMap(partsOf)) {
      if (part['type'] !== 'tool-approval-request') continue;
      recorder.amend(String(part['toolCallId']), (message) => {
        const { content } = message as { readonly content: readonly Fields[] };
        const isThere = content.some(({ approvalId }) => approvalId === part['approvalId']);
        return isThere ? message : { ...(message as object), content: [...content, part] };
      });
    }
  });
}

function partsOf(message: unknown): readonly Fields[] {
  const { content } = (isObject(message) ? message : {}) as Message;
  return Array.isArray(content) ? (content as readonly unknown[]).filter((part): part is Fields => isObject(part)) : [];
}
