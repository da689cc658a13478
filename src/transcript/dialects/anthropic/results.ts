/**
 * Makes the one legal result of a call: from what the transcript holds, or from the answer it is given.
 * Apart from the order of messages, which is another concern.
 *
 * @module
 */
import { contentOf, failureText, notBlank } from '../../words/answers.ts';
import type { Answer } from '../../words/values.ts';
import { partsText, valueText, type ToolContent } from '../../words/values.ts';
import { distinct, field, isRecord } from '../../reading/fields.ts';
import type { LinkedResult } from '../../reading/links.ts';
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
export function resultFromTranscript(id: string, found: readonly LinkedResult<AnthropicBlock>[]): AnthropicBlock {
  const all = found.map(withoutBlanks) as [AnthropicBlock, ...AnthropicBlock[]];
  let [block] = all;
  const several = distinct(all, (one) => field(one, 'content'));
  if (several.length > 1) {
    const content = several.flatMap((one) => blocksOf(field(one, 'content')));
    block = result({ ...block, content: content.filter((one) => !isBlankText(one)) });
  }
  if (isError(block) && !all.every(isError)) block = result({ ...block, is_error: false });
  const content = blocksOf(field(block, 'content'));
  if (isError(block) && content.every(isBlankText)) {
    block = result({ ...block, content: notBlank('') });
  } else if (isError(block) && content.some((one) => one.type !== 'text')) {
    // An error may hold nothing but text.
    block = result({ ...block, content: [textBlock('This call failed. What it left:'), ...content], is_error: false });
  }
  return field(block, 'tool_use_id') === id ? block : result({ ...block, tool_use_id: id });
}

function isError(block: AnthropicBlock): boolean {
  return field(block, 'is_error') === true;
}

function withoutBlanks({ result: block }: LinkedResult<AnthropicBlock>): AnthropicBlock {
  const content = field(block, 'content');
  if (!Array.isArray(content) || !(content as AnthropicBlock[]).some(isBlankText)) return block;
  return result({ ...block, content: (content as AnthropicBlock[]).filter((one) => !isBlankText(one)) });
}

/** Named so that a literal with more fields than every block has needs no cast. */
function result(block: AnthropicBlock & Readonly<Record<string, unknown>>): AnthropicBlock {
  return block;
}
