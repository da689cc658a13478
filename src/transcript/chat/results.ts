/**
 * Makes the one legal tool message of a call: from what the transcript holds, or from the answer it is given.
 * Apart from the order of messages, which is another concern.
 *
 * @module
 */
import { contentOf, failureText, type Answer } from '../words/answers.ts';
import { partsText, valueText, type ToolContent } from '../words/values.ts';
import { field, isRecord } from '../reading/fields.ts';
import type { LinkedResult } from '../reading/links.ts';
import type { Note } from '../dialects/rules.ts';
import { type OpenAIChatMessage } from './message.ts';

type Content = string | readonly object[];

/** A tool message for a call that has none. */
export function resultFromAnswer(id: string, answer: Answer): OpenAIChatMessage {
  return toolMessage(id, answer.status === 'completed' ? valueContent(answer) : answer.text);
}

/** A value that is a list of text parts goes out as it is; everything else as text. */
function valueContent(answer: Answer & { readonly status: 'completed' }): Content {
  const { value, note } = answer;
  if (isTextParts(value)) return note === undefined ? value : [...value, { type: 'text', text: note }];
  const content: ToolContent | undefined = contentOf(answer);
  if (content === undefined) return valueText(value);
  return content.isError ? `This call failed: ${failureText(content)}` : partsText(content.parts);
}

function isTextParts(value: unknown): value is readonly object[] {
  const isText = (part: unknown): boolean =>
    isRecord(part) && field(part, 'type') === 'text' && typeof field(part, 'text') === 'string';
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}

/**
 * One legal tool message of all that the transcript holds for a call. Different results of one call are joined in their
 * order, because each is something the model was told, or should have been.
 */
export function resultFromTranscript(
  id: string,
  found: readonly LinkedResult<OpenAIChatMessage>[],
  note: Note,
): OpenAIChatMessage {
  const [first] = found as readonly [LinkedResult<OpenAIChatMessage>];
  const contents = found.map((one) => legalContent(one, note));
  let content = contents[0] as Content;
  if (found.length > 1) {
    note(first.at, 'one-result-per-call', `made one result of ${String(found.length)} for ${id}`);
    const distinct = [...new Map(contents.map((one) => [JSON.stringify(one), one])).values()];
    if (distinct.length > 1) content = join(distinct);
  }
  return content === first.result.content ? first.result : { ...first.result, content };
}

function legalContent({ result, at }: LinkedResult<OpenAIChatMessage>, note: Note): Content {
  const { content } = result;
  if (typeof content === 'string' || (Array.isArray(content) && content.length > 0)) return content;
  note(at, 'result-content', 'gave a result without content an empty text');
  return '';
}

function join(contents: readonly Content[]): Content {
  const texts = contents.filter((content) => typeof content === 'string');
  if (texts.length === contents.length) return texts.filter((one) => one !== '').join('\n\n');
  return contents.flatMap((one) => (typeof one !== 'string' ? one : one === '' ? [] : [{ type: 'text', text: one }]));
}

function toolMessage(id: string, content: Content): OpenAIChatMessage {
  const message: OpenAIChatMessage & { readonly tool_call_id: string } = { role: 'tool', tool_call_id: id, content };
  return message;
}
