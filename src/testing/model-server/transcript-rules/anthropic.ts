/**
 * The rules by which the Messages API refuses a transcript, in its own words. Prior art: the 400 answers of the API.
 *
 * @module
 */
import { isBlank, isFields, listOf, ofType, placeOfHalf, plain, type Fields } from './fields.ts';
import { isForged } from './thought-signature.ts';

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
  const half = placeOfHalf(body);
  if (half !== undefined) {
    const place = `line 1 column ${String(half + 1)} (char ${String(half)})`;
    return `The request body is not valid JSON: no low surrogate in string: ${place}`;
  }
  for (const name of ['model', 'max_tokens', 'messages']) {
    if (body[name] === undefined) return `${name}: Field required`;
  }
  const messages = asTurns(listOf(body['messages']));
  if (messages.length === 0) return 'messages: at least one message is required';
  const repeated = refuseRepeatedIds(messages);
  if (repeated !== undefined) return repeated;
  for (const [index, message] of messages.entries()) {
    const refusal = refuseAnthropicMessage(messages, message, index);
    if (refusal !== undefined) return refusal;
  }
  const last = messages.at(-1);
  const unthought = isThinkingAsked(body) ? refuseUnthought(messages) : undefined;
  if (unthought !== undefined) return unthought;
  const lastText = blocksOf(last).at(-1)?.['text'];
  if (last?.['role'] === 'assistant' && typeof lastText === 'string' && lastText !== lastText.trimEnd()) {
    return 'messages: final assistant content cannot end with trailing whitespace';
  }
  return undefined;
}

function isThinkingAsked({ thinking }: Fields): boolean {
  return isFields(thinking) && thinking['type'] === 'enabled';
}

const thoughts: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

/** With thinking on, a reply whose calls have just been answered begins with what the model thought. */
function refuseUnthought(messages: readonly Fields[]): string | undefined {
  const index = messages.length - 2;
  const reply = messages[index];
  const blocks = blocksOf(reply);
  const [first] = blocks;
  if (reply?.['role'] !== 'assistant' || ofType(blocks, 'tool_use').length === 0) return undefined;
  if (thoughts.has(first?.['type'])) return undefined;
  return (
    `messages.${String(index)}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found ` +
    `\`${String(first?.['type'])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a ` +
    'thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include ' +
    'thinking blocks from previous turns. To avoid this requirement, disable `thinking`.'
  );
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
      if (!isFields(block['input'])) {
        return `${where}.content.${String(place)}.tool_use.input: Input should be a valid dictionary`;
      }
    }
    if (block['type'] === 'thinking' && typeof block['signature'] !== 'string') {
      return `${where}.content.${String(place)}.thinking.signature: Field required`;
    }
    const { type, signature, thinking } = block;
    if (type === 'thinking' && (signature === '' || isForged(String(signature), thinking))) {
      return `${where}.content.${String(place)}: Invalid \`signature\` in \`thinking\` block`;
    }
  }
  if (role === 'assistant' && thoughts.has(blocks.at(-1)?.['type'])) {
    return `${where}: The final block in an assistant message cannot be \`thinking\`.`;
  }
  return role === 'assistant'
    ? (refuseUnansweredUses(messages, blocks, index) ?? refuseLeftTools(messages, blocks, index))
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

/** No two calls of a conversation have one id. */
function refuseRepeatedIds(messages: readonly Fields[]): string | undefined {
  const seen = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    if (message['role'] !== 'assistant') continue;
    for (const [place, { type, id }] of blocksOf(message).entries()) {
      if (type !== 'tool_use') continue;
      if (seen.has(id)) return `messages.${String(index)}.content.${String(place)}: \`tool_use\` ids must be unique`;
      seen.add(id);
    }
  }
  return undefined;
}

/** Every `tool_use` is answered at the head of the very next message, which is the user's. */
function refuseUnansweredUses(
  messages: readonly Fields[],
  blocks: readonly Fields[],
  index: number,
): string | undefined {
  const ids = ofType(blocks, 'tool_use').map((block) => block['id']);
  if (ids.length === 0) return undefined;
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

/** What the provider ran has its result, unless the reply is going on still, or code waits for calls that it made. */
function refuseLeftTools(messages: readonly Fields[], blocks: readonly Fields[], index: number): string | undefined {
  // The model goes on with its reply once the calls in it are answered.
  const isGoingOn = messages.slice(index + 1).every((one) => blocksOf(one).every(({ type }) => type === 'tool_result'));
  if (isGoingOn) return undefined;
  const later = messages.slice(index).flatMap(blocksOf);
  const known = new Set(later.flatMap(({ tool_use_id: id, caller }) => [id, (caller as Fields | null)?.['tool_id']]));
  const left = blocks.find(({ type, id }) => /^(?:server|mcp)_tool_use$/.test(String(type)) && !known.has(id));
  if (left === undefined) return undefined;
  const name = String(left['type'] === 'mcp_tool_use' ? 'mcp' : left['name']);
  return (
    `messages.${String(index)}: \`${name}\` tool use with id \`${String(left['id'])}\` was found without a ` +
    `corresponding \`${name}_tool_result\` block`
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
    if (block['is_error'] === true && blocksOf(block).every(({ text }) => text === '')) {
      return `${where}: content cannot be empty if \`is_error\` is true`;
    }
    if (block['is_error'] === true && listOf(block['content']).some(({ type }) => type !== 'text')) {
      return `${where}: all content must be type "text" if \`is_error\` is true`;
    }
  }
  return undefined;
}
