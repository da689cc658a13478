/**
 * Makes the one legal tool message of a call: from what the transcript holds, or from the answer it is given.
 * Apart from the order of messages, which is another concern.
 *
 * @module
 */
import { contentOf, failureText, type Answer } from '../../words/answers.ts';
import { partsText, valueText, type ToolContent } from '../../words/values.ts';
import { field, isRecord } from '../../reading/fields.ts';
import type { LinkedResult } from '../../reading/links.ts';
import type { Note } from '../rules.ts';
import { change, read, type LangChainAddition, type LangChainMessage } from './message.ts';

type Text = { type: 'text'; text: string };
type Content = string | readonly unknown[];

/** A tool message for a call that has none; without a class, because there is none to be had here. */
export function resultFromAnswer({ id, name }: { id: string; name: string }, answer: Answer): LangChainAddition {
  const isDone = answer.status === 'completed' && contentOf(answer)?.isError !== true;
  const content = answer.status === 'completed' ? valueContent(answer) : answer.text;
  return { role: 'tool', tool_call_id: id, name, content, status: isDone ? 'success' : 'error' };
}

/** A value that is a list of text blocks goes out as it is; everything else as text. */
function valueContent(answer: Answer & { readonly status: 'completed' }): string | Text[] {
  const { value, note } = answer;
  if (isTexts(value)) return note === undefined ? [...value] : [...value, { type: 'text', text: note }];
  const content: ToolContent | undefined = contentOf(answer);
  if (content === undefined) return valueText(value);
  return content.isError ? failureText(content) : partsText(content.parts);
}

function isTexts(value: unknown): value is readonly Text[] {
  const isText = (block: unknown): boolean =>
    isRecord(block) && field(block, 'type') === 'text' && typeof field(block, 'text') === 'string';
  return Array.isArray(value) && value.length > 0 && value.every(isText);
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
  let content = contents[0] as Content;
  if (found.length === 1) return isLegal(first.result) ? first.result : change(first.result, { content });
  note(first.at, 'one-result-per-call', `made one result of ${String(found.length)} for ${id}`);
  const distinct = [...new Map(contents.map((one) => [JSON.stringify(one), one])).values()];
  if (distinct.length > 1) content = join(distinct);
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

function join(contents: readonly Content[]): Content {
  const texts = contents.filter((content) => typeof content === 'string');
  if (texts.length === contents.length) return texts.filter((one) => one !== '').join('\n\n');
  return contents.flatMap((one) => (typeof one !== 'string' ? one : one === '' ? [] : [{ type: 'text', text: one }]));
}
