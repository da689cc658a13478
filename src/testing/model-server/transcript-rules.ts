/**
 * The rules by which providers refuse a transcript, in their own words: what an interrupted turn breaks first.
 * In the testing room as the server's judge; written apart from the repair of transcripts, so that neither can hide a
 * mistake of the other.
 * Prior art: the 400 answers of the Anthropic Messages and OpenAI Chat Completions APIs.
 *
 * @module
 */

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function ofType(blocks: readonly Fields[], type: string): readonly Fields[] {
  return blocks.filter((block) => block['type'] === type);
}

function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

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
  const messages = listOf(body['messages']);
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
    if (block['type'] === 'thinking' && typeof block['signature'] !== 'string') {
      return `${where}.content.${String(place)}.thinking.signature: Field required`;
    }
    if (block['type'] === 'thinking' && block['signature'] === '') {
      return `${where}.content.${String(place)}: Invalid \`signature\` in \`thinking\` block`;
    }
  }
  return role === 'assistant'
    ? refuseUnansweredUses(messages, blocks, index)
    : refuseStrayResults(messages, blocks, index);
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
  }
  return undefined;
}

/**
 * Why the Chat Completions API would answer this body with 400.
 *
 * @returns Its message, or `undefined` if it would accept the body.
 */
export function refuseOpenAIChat(body: Fields): string | undefined {
  if (typeof body['model'] !== 'string') return 'you must provide a model parameter';
  if (body['messages'] === undefined) return "Missing required parameter: 'messages'.";
  const messages = listOf(body['messages']);
  if (messages.length === 0) {
    return "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
  }
  let open = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    if (message['role'] === 'tool') {
      if (!open.delete(message['tool_call_id'])) {
        return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      }
      continue;
    }
    if (open.size > 0) return unansweredCalls(open);
    if (message['role'] !== 'assistant') continue;
    const calls = listOf(message['tool_calls']);
    if (calls.length === 0 && isEmptyContent(message['content'])) {
      return `Invalid value for 'content': expected a string, got ${message['content'] === '' ? 'an empty string' : 'null'}.`;
    }
    const badArguments = calls.findIndex((call) => !isJSON((call['function'] as Fields | undefined)?.['arguments']));
    if (badArguments !== -1) {
      return `Invalid 'messages[${String(index)}].tool_calls[${String(badArguments)}].function.arguments': expected a string of valid JSON.`;
    }
    open = new Set(calls.map((call) => call['id']));
  }
  return open.size > 0 ? unansweredCalls(open) : undefined;
}

function isEmptyContent(content: unknown): boolean {
  return (
    content === undefined || content === null || content === '' || (Array.isArray(content) && content.length === 0)
  );
}

function isJSON(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function unansweredCalls(ids: ReadonlySet<unknown>): string {
  return (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${[...ids].map(String).join(', ')}`
  );
}
