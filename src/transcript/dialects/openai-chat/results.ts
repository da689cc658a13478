/**
 * Makes the one legal tool message of a call: from what the transcript holds, or from the answer it is given.
 * Apart from the order of messages, which is another concern.
 *
 * @module
 */
import { valueText, type Answer } from '../../answers.ts';
import { field, isRecord } from '../../fields.ts';
import type { LinkedResult } from '../../links.ts';
import type { Note } from '../dialect.ts';
import { type OpenAIChatMessage } from './message.ts';

type Content = string | readonly object[];

/** A tool message for a call that has none. */
export function resultFromAnswer(id: string, answer: Answer): OpenAIChatMessage {
  return toolMessage(id, answer.status === 'completed' ? contentOf(answer.value) : answer.text);
}

/** A value that is a list of text parts goes out as it is; everything else as text. */
function contentOf(value: unknown): Content {
  const isParts =
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((part) => isRecord(part) && field(part, 'type') === 'text' && typeof field(part, 'text') === 'string');
  return isParts ? (value as readonly object[]) : valueText(value);
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
