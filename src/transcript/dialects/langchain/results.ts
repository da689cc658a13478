/**
 * Makes the one legal tool message of a call: from what the transcript holds, or from the answer it is given.
 * Apart from the order of messages, which is another concern.
 *
 * @module
 */
import { contentOf, notBlank } from '../../words/answers.ts';
import type { Answer } from '../../words/values.ts';
import { completedContent, joinContents, textOfResult, type TextPart } from '../../words/text-content.ts';
import type { ValuePart } from '../../words/values.ts';
import { field, isRecord, recordsIn, textIn } from '../../reading/fields.ts';
import type { LinkedResult } from '../../reading/links.ts';
import { callsOf } from './calls.ts';
import { change, read, speakerOf, type LangChainAddition, type LangChainMessage } from './message.ts';

type Content = string | readonly unknown[];

/** A tool message for a call that has none; without a class, because there is none to be had here. */
export function resultFromAnswer({ id, name }: { id: string; name: string }, answer: Answer): LangChainAddition {
  const isDone = answer.status === 'completed' && contentOf(answer)?.isError !== true;
  const content = answer.status === 'completed' ? contentFrom(answer) : answer.text;
  return { role: 'tool', tool_call_id: id, name, content, status: isDone ? 'success' : 'error' };
}

/** A list of LangChain's own parts goes out as it is, pictures too: its tools hand such lists to the model. */
function contentFrom(answer: Answer & { readonly status: 'completed' }): string | TextPart[] {
  const { value, note } = answer;
  if (!Array.isArray(value) || value.length === 0 || !value.every(isPart)) {
    const content = contentOf(answer);
    const isShown = content?.isError === false && content.parts.some(({ type }) => type === 'image');
    return isShown ? (content.parts.map(partFrom) as TextPart[]) : completedContent(answer);
  }
  return note === undefined ? [...(value as TextPart[])] : [...(value as TextPart[]), { type: 'text', text: note }];
}

/** A part of what an MCP tool returned: a picture as LangChain's own tools of MCP give it. */
function partFrom(part: ValuePart): object {
  if (part.type === 'text') return part;
  return { type: 'image_url', image_url: { url: `data:${part.mimeType};base64,${part.data}` } };
}

/** What a block may hold besides a text, under names of LangChain's and of Claude's. */
const media: ReadonlySet<unknown> = new Set(['image', 'file', 'audio', 'video', 'document']);

/** A text, or what is more than that, in the form of a provider or of LangChain: by what it holds, as its type may be anybody's. */
function isPart(part: unknown): boolean {
  if (!isRecord(part)) return false;
  const [type, text, picture] = ['type', 'text', 'image_url'].map((name) => field(part, name));
  if (type === 'text') return typeof text === 'string';
  if (type === 'image_url')
    return typeof picture === 'string' || (isRecord(picture) && typeof field(picture, 'url') === 'string');
  if (type === 'search_result') return Array.isArray(field(part, 'content'));
  if (!media.has(type)) return false;
  // A picture or a document as Claude takes them.
  if (isRecord(field(part, 'source'))) return true;
  const kind = field(part, 'source_type');
  if (kind !== undefined) return textIn(field(part, kind === 'base64' ? 'data' : 'url')) !== undefined;
  const isNamed = textIn(field(part, 'mimeType')) !== undefined && field(part, 'data') !== undefined;
  return isNamed || ['url', 'fileId'].some((name) => textIn(field(part, name)) !== undefined);
}

/**
 * The same messages with a tool message for each result that stands in a message of the user, as Claude has them: LangChain's
 * client for Claude sends those as they are, and no other takes them.
 */
export function withResultsApart(messages: readonly LangChainMessage[]): readonly LangChainMessage[] {
  if (!messages.some((message) => resultsIn(message).length > 0)) return messages;
  const names = new Map<unknown, string>();
  return messages.flatMap((message) => {
    if (speakerOf(message) === 'ai') for (const { id, name } of callsOf(message)) names.set(id, name ?? '');
    const results = resultsIn(message);
    if (results.length === 0) return [message];
    const content = (read(message, 'content') as readonly unknown[]).filter((one) => !results.includes(one as object));
    const apart = results.map((block) => toolMessage(block, names));
    return content.length === 0 ? apart : [...apart, change(message, { content })];
  });
}

function resultsIn(message: LangChainMessage): readonly object[] {
  if (speakerOf(message) !== 'human') return [];
  return recordsIn(read(message, 'content')).filter((block) => field(block, 'type') === 'tool_result');
}

function toolMessage(block: object, names: ReadonlyMap<unknown, string>): LangChainMessage {
  const id = field(block, 'tool_use_id');
  const status = field(block, 'is_error') === true ? 'error' : 'success';
  return { role: 'tool', tool_call_id: id, name: names.get(id) ?? '', content: field(block, 'content'), status };
}

/**
 * One legal tool message of all that the transcript holds for a call. Different results of one call are joined in their
 * order, because each is something the model was told, or should have been.
 */
export function resultFromTranscript(found: readonly LinkedResult<LangChainMessage>[]): LangChainMessage {
  const [first] = found as readonly [LinkedResult<LangChainMessage>];
  const content = joinContents(found.map(legalContent));
  if (found.length === 1) return isLegal(first.result) ? first.result : change(first.result, { content });
  const isMixed = new Set(found.map(({ result }) => read(result, 'status') === 'error')).size > 1;
  return change(first.result, isMixed ? { content, status: 'success' } : { content });
}

/** Whether a tool message has content, and one that failed says something. */
export function isLegal(message: LangChainMessage): boolean {
  const content = read(message, 'content');
  if (typeof content === 'string') return !isSilent(message, content);
  return Array.isArray(content) && content.length > 0;
}

function isSilent(message: LangChainMessage, content: string): boolean {
  return read(message, 'status') === 'error' && notBlank(content) !== content;
}

function legalContent({ result }: LinkedResult<LangChainMessage>): Content {
  const content = read(result, 'content');
  if (isLegal(result)) return content as Content;
  const text = typeof content === 'string' ? content : textOfResult(content);
  return isSilent(result, text) ? notBlank('') : text;
}
