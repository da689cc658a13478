/**
 * The rules by which the Messages API refuses a transcript, in its own words. Prior art: the 400 answers of the API.
 *
 * @module
 */
import { isBlank, listOf, ofType, plain, type Fields } from './fields.ts';

/** An Anthropic message's content as blocks; a string is one text block. */
function blocksOf(message: Fields | undefined): readonly Fields[] {
  const content = message?.['content'];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
}

/**
 * Why the Messages API would answer this body with 400.
 *
 * @returns Its message, or `undefined` if it would accept the body.
 */
export function refuseAnthropic(body: Fields): string | undefined {
  for (const name of ['model', 'max_tokens', 'messages']) {
    if (body[name] === undefined) return `${name}: Field required`;
  }
  const messages = asTurns(listOf(body['messages']));
  if (messages.length === 0) return 'messages: at least one message is required';
  for (const [index, message] of messages.entries()) {
    const refusal = refuseAnthropicMessage(messages, message, index);
    if (refusal !== undefined) return refusal;
  }
  const last = messages.at(-1);
  const lastText = blocksOf(last).at(-1)?.['text'];
  if (last?.['role'] === 'assistant' && typeof lastText === 'string' && lastText !== lastText.trimEnd()) {
    return 'messages: final assistant content cannot end with trailing whitespace';
  }
  return undefined;
}

/** Messages of the model that follow each other are one turn of it. */
function asTurns(messages: readonly Fields[]): readonly Fields[] {
  const turns: Fields[] = [];
  for (const message of messages) {
    const before = turns.at(-1);
    if (before?.['role'] !== 'assistant' || message['role'] !== 'assistant') turns.push(message);
    else turns[turns.length - 1] = { ...before, content: [...blocksOf(before), ...blocksOf(message)] };
  }
  return turns;
}

function refuseAnthropicMessage(messages: readonly Fields[], message: Fields, index: number): string | undefined {
  const where = `messages.${String(index)}`;
  const { role } = message;
  if (role !== 'user' && role !== 'assistant') {
    return `messages: Unexpected role "${String(role)}". The Messages API accepts a top-level \`system\` parameter, not "system" as an input message role.`;
  }
  const blocks = blocksOf(message);
  const isFinalAssistant = role === 'assistant' && index === messages.length - 1;
  if (blocks.length === 0 && !isFinalAssistant) {
    return `${where}: all messages must have non-empty content except for the optional final assistant message`;
  }
  if (ofType(blocks, 'text').some((block) => block['text'] === ''))
    return 'messages: text content blocks must be non-empty';
  if (ofType(blocks, 'text').some((block) => isBlank(block['text']))) {
    return 'messages: text content blocks must contain non-whitespace text';
  }
  for (const [place, block] of blocks.entries()) {
    if (role === 'assistant' && block['type'] === 'tool_use') {
      for (const name of ['id', 'name']) {
        if (typeof block[name] === 'string' && plain.test(block[name])) continue;
        return `${where}.content.${String(place)}.tool_use.${name}: String should match pattern '${plain.source}'`;
      }
    }
    if (block['type'] === 'thinking' && typeof block['signature'] !== 'string') {
      return `${where}.content.${String(place)}.thinking.signature: Field required`;
    }
    if (block['type'] === 'thinking' && block['signature'] === '') {
      return `${where}.content.${String(place)}: Invalid \`signature\` in \`thinking\` block`;
    }
  }
  return role === 'assistant'
    ? refuseUnansweredUses(messages, blocks, index)
    : (refuseTheModelsBlocks(blocks, where) ?? refuseStrayResults(messages, blocks, index));
}

/** What only the model can have said, and its own tools. */
const modelsTypes = /^(?:redacted_)?thinking$|tool_use$|._tool_result$/;

function refuseTheModelsBlocks(blocks: readonly Fields[], where: string): string | undefined {
  const place = blocks.findIndex(({ type }) => modelsTypes.test(String(type)));
  if (place === -1) return undefined;
  const type = String(blocks[place]?.['type']);
  return `${where}.content.${String(place)}: \`${type}\` blocks can only be in \`assistant\` messages`;
}

/** Every `tool_use` is answered at the head of the very next message, which is the user's. */
function refuseUnansweredUses(
  messages: readonly Fields[],
  blocks: readonly Fields[],
  index: number,
): string | undefined {
  const ids = ofType(blocks, 'tool_use').map((block) => block['id']);
  if (ids.length === 0) return undefined;
  if (new Set(ids).size !== ids.length) return 'messages: `tool_use` ids must be unique';
  const next = messages[index + 1];
  const reply = next?.['role'] === 'user' ? blocksOf(next) : [];
  const firstOther = reply.findIndex((block) => block['type'] !== 'tool_result');
  const head = firstOther === -1 ? reply : reply.slice(0, firstOther);
  const answered = new Set(head.map((block) => block['tool_use_id']));
  const missing = ids.filter((id) => !answered.has(id));
  if (missing.length === 0) return undefined;
  return (
    `messages.${String(index)}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
    `${missing.map(String).join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
  );
}

/** Every `tool_result` answers a `tool_use` of the message before, once. */
function refuseStrayResults(messages: readonly Fields[], blocks: readonly Fields[], index: number): string | undefined {
  const previous = messages[index - 1];
  const asked = new Set(
    previous?.['role'] === 'assistant' ? ofType(blocksOf(previous), 'tool_use').map((block) => block['id']) : [],
  );
  const seen = new Set<unknown>();
  for (const [place, block] of blocks.entries()) {
    if (block['type'] !== 'tool_result') continue;
    const id = block['tool_use_id'];
    const where = `messages.${String(index)}.content.${String(place)}`;
    if (!asked.has(id)) {
      return (
        `${where}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. ` +
        'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.'
      );
    }
    if (seen.has(id)) {
      return `${where}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${String(id)}`;
    }
    seen.add(id);
    if (block['is_error'] === true && listOf(block['content']).some(({ type }) => type !== 'text')) {
      return `${where}: all content must be type "text" if \`is_error\` is true`;
    }
  }
  return undefined;
}
