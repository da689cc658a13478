/**
 * Makes the one legal tool message of a call: from what the transcript holds, or from the answer it is given.
 * Apart from the order of messages, which is another concern.
 *
 * @module
 */
import { contentOf, type Answer } from '../../words/answers.ts';
import { completedContent, joinContents } from '../../words/text-content.ts';
import type { LinkedResult } from '../../reading/links.ts';
import type { Note } from '../rules.ts';
import { change, read, type LangChainAddition, type LangChainMessage } from './message.ts';

type Content = string | readonly unknown[];

/** A tool message for a call that has none; without a class, because there is none to be had here. */
export function resultFromAnswer({ id, name }: { id: string; name: string }, answer: Answer): LangChainAddition {
  const isDone = answer.status === 'completed' && contentOf(answer)?.isError !== true;
  const content = answer.status === 'completed' ? completedContent(answer) : answer.text;
  return { role: 'tool', tool_call_id: id, name, content, status: isDone ? 'success' : 'error' };
}

/**
 * One legal tool message of all that the transcript holds for a call. Different results of one call are joined in their
 * order, because each is something the model was told, or should have been.
 */
export function resultFromTranscript(
  id: string,
  found: readonly LinkedResult<LangChainMessage>[],
  note: Note,
): LangChainMessage {
  const [first] = found as readonly [LinkedResult<LangChainMessage>];
  const contents = found.map((one) => legalContent(one, note));
  const content = joinContents(contents);
  if (found.length === 1) return isLegal(first.result) ? first.result : change(first.result, { content });
  note(first.at, 'one-result-per-call', `made one result of ${String(found.length)} for ${id}`);
  const isMixed = new Set(found.map(({ result }) => read(result, 'status') === 'error')).size > 1;
  return change(first.result, isMixed ? { content, status: 'success' } : { content });
}

/** Whether a tool message has content. */
export function isLegal(message: LangChainMessage): boolean {
  const content = read(message, 'content');
  return typeof content === 'string' || (Array.isArray(content) && content.length > 0);
}

function legalContent({ result, at }: LinkedResult<LangChainMessage>, note: Note): Content {
  if (isLegal(result)) return read(result, 'content') as Content;
  note(at, 'result-content', 'gave a result without content an empty text');
  return '';
}
