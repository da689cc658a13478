/**
 * The rules by which the Chat Completions API refuses a transcript, in its own words. Prior art: the 400 answers of
 * the API.
 *
 * @module
 */
import { isJSON, listOf, refuseForeignPart, refuseNames, type Fields } from './fields.ts';

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
    const foreign = refuseForeignPart(message['content'], `messages[${String(index)}]`);
    if (foreign !== undefined) return foreign;
    if (message['role'] === 'tool') {
      if (!open.delete(message['tool_call_id'])) {
        return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      }
      const { content } = message;
      if (typeof content === 'string' || (Array.isArray(content) && content.length > 0)) continue;
      return `Invalid type for 'messages[${String(index)}].content': expected one of a string or array of objects, but got ${content === undefined ? 'nothing' : 'something else'} instead.`;
    }
    if (open.size > 0) return unansweredCalls(open);
    if (message['role'] !== 'assistant') continue;
    const calls = listOf(message['tool_calls']);
    if (Array.isArray(message['tool_calls']) && message['tool_calls'].length === 0) {
      return `Invalid 'messages[${String(index)}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`;
    }
    if (calls.length === 0 && isEmptyContent(message['content'])) {
      return `Invalid value for 'content': expected a string, got ${message['content'] === '' ? 'an empty string' : 'null'}.`;
    }
    const untyped = calls.findIndex(({ type }) => type !== 'function' && type !== 'custom');
    if (untyped !== -1) {
      return `Missing required parameter: 'messages[${String(index)}].tool_calls[${String(untyped)}].type'.`;
    }
    const badArguments = calls.findIndex(
      (call) => call['type'] === 'function' && !isJSON((call['function'] as Fields | undefined)?.['arguments']),
    );
    if (badArguments !== -1) {
      return `Invalid 'messages[${String(index)}].tool_calls[${String(badArguments)}].function.arguments': expected a string of valid JSON.`;
    }
    for (const [i, call] of calls.entries()) {
      const where = `messages[${String(index)}].tool_calls[${String(i)}]`;
      const name = (call[String(call['type'])] as Fields | undefined)?.['name'];
      const place = { id: `${where}.id`, name: `${where}.${String(call['type'])}.name` };
      const refusal = refuseNames(place, { id: call['id'], name }, 40);
      if (refusal !== undefined) return refusal;
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

function unansweredCalls(ids: ReadonlySet<unknown>): string {
  return (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${[...ids].map(String).join(', ')}`
  );
}
