/**
 * Makes the one legal result of a call: from what the transcript holds, or from the answer it is given.
 * Apart from the order of messages, which is another concern.
 *
 * @module
 */
import { contentOf, failureText, notBlank } from '../../words/answers.ts';
import type { Answer } from '../../words/values.ts';
import { partsText, valueText, type ToolContent } from '../../words/values.ts';
import { field, isRecord } from '../../reading/fields.ts';
import type { LinkedResult } from '../../reading/links.ts';
import type { Note } from '../rules.ts';
import { blocksOf, isBlankText, textBlock, type AnthropicBlock } from './message.ts';

const isText = (value: unknown): boolean => typeof value === 'string';

/** The kinds of block a result may hold as they are, and what each has: MCP and other people have types of these names, too. */
const contentTypes: ReadonlyMap<unknown, (block: Readonly<Record<string, unknown>>) => boolean> = new Map([
  ['text', ({ text }) => isText(text)],
  ['image', ({ source }) => isRecord(source)],
  ['document', ({ source }) => isRecord(source)],
  ['search_result', ({ source, title, content }) => isText(source) && isText(title) && Array.isArray(content)],
  ['tool_reference', ({ tool_name: name }) => isText(name)],
]);

/** A result for a call that has none. */
export function resultFromAnswer(id: string, answer: Answer): AnthropicBlock {
  if (answer.status !== 'completed') {
    return result({ type: 'tool_result', tool_use_id: id, content: answer.text, is_error: true });
  }
  const { value, note } = answer;
  if (isContent(value)) {
    const blocks = note === undefined ? value : [...value, textBlock(note)];
    return result({ type: 'tool_result', tool_use_id: id, content: blocks.filter((item) => !isBlankText(item)) });
  }
  const content = contentOf(answer);
  if (content === undefined) return result({ type: 'tool_result', tool_use_id: id, content: valueText(value) });
  // An error may hold nothing but text.
  if (content.isError) {
    return result({ type: 'tool_result', tool_use_id: id, content: failureText(content), is_error: true });
  }
  return result({ type: 'tool_result', tool_use_id: id, content: blocksFrom(content) });
}

/** Blocks of the API, as a tool can return them. */
function isContent(value: unknown): value is readonly AnthropicBlock[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item: unknown) => isRecord(item) && contentTypes.get(field(item, 'type'))?.(item as never) === true)
  );
}

/** The pictures that the API reads; others are named. */
const pictures = /^image\/(?:png|jpeg|gif|webp)$/;

function blocksFrom({ parts }: ToolContent): readonly AnthropicBlock[] {
  return parts.flatMap((part): AnthropicBlock[] => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [textBlock(part.text)];
    if (!pictures.test(part.mimeType) || part.data === '') return [textBlock(partsText([part]))];
    return [result({ type: 'image', source: { type: 'base64', media_type: part.mimeType, data: part.data } })];
  });
}

/**
 * One legal result of all that the transcript holds for a call. Different results of one call are joined in their order,
 * because each is something the model was told, or should have been.
 */
export function resultFromTranscript(
  id: string,
  found: readonly LinkedResult<AnthropicBlock>[],
  note: Note,
): AnthropicBlock {
  const [first, ...others] = found as readonly [LinkedResult<AnthropicBlock>, ...LinkedResult<AnthropicBlock>[]];
  let block = withoutBlanks(first, note);
  if (others.length > 0) {
    const all = [block, ...others.map((other) => withoutBlanks(other, note))];
    const distinct = new Map(all.map((one) => [JSON.stringify(field(one, 'content')) as string | undefined, one]));
    note(first.at, 'one-result-per-call', `made one result of ${String(found.length)} for ${id}`);
    if (distinct.size > 1) {
      const content = [...distinct.values()].flatMap((one) => blocksOf(field(one, 'content')));
      block = result({ ...block, content: content.filter((one) => !isBlankText(one)) });
    }
    if (field(block, 'is_error') === true && all.some((one) => field(one, 'is_error') !== true)) {
      block = result({ ...block, is_error: false });
    }
  }
  if (field(block, 'is_error') === true && blocksOf(field(block, 'content')).every(isBlankText)) {
    note(first.at, 'error-says-why', `gave the error of ${id} a text`);
    block = result({ ...block, content: notBlank('') });
  }
  if (field(block, 'is_error') === true && blocksOf(field(block, 'content')).some((one) => one.type !== 'text')) {
    note(first.at, 'error-is-text', `said in words that ${id} failed: an error may hold nothing but text`);
    const content = [textBlock('This call failed. What it left:'), ...blocksOf(field(block, 'content'))];
    block = result({ ...block, content, is_error: false });
  }
  return field(block, 'tool_use_id') === id ? block : result({ ...block, tool_use_id: id });
}

function withoutBlanks({ result: block, at }: LinkedResult<AnthropicBlock>, note: Note): AnthropicBlock {
  const content = field(block, 'content');
  if (!Array.isArray(content) || !(content as AnthropicBlock[]).some(isBlankText)) return block;
  note(at, 'text-not-empty', 'removed a text without a visible character from a result');
  return result({ ...block, content: (content as AnthropicBlock[]).filter((one) => !isBlankText(one)) });
}

/** Named so that a literal with more fields than every block has needs no cast. */
function result(block: AnthropicBlock & Readonly<Record<string, unknown>>): AnthropicBlock {
  return block;
}
