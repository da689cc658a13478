/**
 * OpenAI's Responses protocol, as a server writes it.
 *
 * @module
 */
import { openaiChatWire } from './openai-chat-wire.ts';
import { outputItems, textPart, type OutputItem } from './openai-responses-items.ts';
import { ResponsesState } from './openai-responses-state.ts';
import type { Fields } from '../transcript-rules/fields.ts';
import { endpoint, type PlannedAnswer, type Wire, type WireChunk } from './wire.ts';

/** The Responses API with a memory of its own. */
export function createResponsesWire(): Wire {
  const state = new ResponsesState();
  return {
    route: endpoint('/v1/responses'),
    idPrefix: 'call_',
    refuse: (body) => state.refuse(body),
    *stream(answer, body) {
      const items = outputItems(answer, body);
      let sequence = 0;
      for (const { type, isDelta = false, ...fields } of events(answer, body, items)) {
        const data = { type, ...fields, sequence_number: sequence };
        sequence += 1;
        // Who has not taken the last piece has no whole response, and neither has the server.
        if (type === endType(answer)) state.keep(idOf(answer), body, wholeItems(items));
        yield { text: `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`, isDelta } satisfies WireChunk;
      }
    },
    whole(answer, body) {
      const output = wholeItems(outputItems(answer, body));
      state.keep(idOf(answer), body, output);
      return response(answer, body, output);
    },
    failure(status, message, n) {
      const { error } = openaiChatWire.failure(status, message, n) as { readonly error: Fields };
      const code = message.startsWith('Previous response') ? 'previous_response_not_found' : null;
      return {
        error: { ...error, param: status === 400 ? (code === null ? 'input' : 'previous_response_id') : null, code },
      };
    },
  };
}

interface Event {
  readonly type: string;
  readonly isDelta?: boolean;
  readonly [field: string]: unknown;
}

function idOf(answer: PlannedAnswer): string {
  return `resp_${String(answer.n)}`;
}

function wholeItems(items: readonly OutputItem[]): readonly Fields[] {
  return items.map(({ item }) => item);
}

/** An answer that stopped for any reason but its end is `incomplete`. */
function isIncomplete(answer: PlannedAnswer): boolean {
  return answer.stopReason !== undefined && answer.stopReason !== 'completed';
}

function endType(answer: PlannedAnswer): string {
  return isIncomplete(answer) ? 'response.incomplete' : 'response.completed';
}

/** The response object; without output it is one that has only begun. */
function response(answer: PlannedAnswer, body: Fields, output: readonly Fields[] | undefined): Fields {
  const { inputTokens, outputTokens } = answer;
  const isDone = output !== undefined;
  return {
    id: idOf(answer),
    object: 'response',
    created_at: answer.createdAt,
    status: isDone ? (isIncomplete(answer) ? 'incomplete' : 'completed') : 'in_progress',
    error: null,
    incomplete_details: isDone && isIncomplete(answer) ? { reason: answer.stopReason } : null,
    instructions: body['instructions'] ?? null,
    metadata: body['metadata'] ?? {},
    model: answer.model,
    output: output ?? [],
    parallel_tool_calls: true,
    previous_response_id: body['previous_response_id'] ?? null,
    store: body['store'] !== false,
    tool_choice: 'auto',
    tools: body['tools'] ?? [],
    usage: isDone
      ? {
          input_tokens: inputTokens,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: outputTokens,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: inputTokens + outputTokens,
        }
      : null,
  };
}

function* events(answer: PlannedAnswer, body: Fields, items: readonly OutputItem[]): Iterable<Event> {
  yield { type: 'response.created', response: response(answer, body, undefined) };
  yield { type: 'response.in_progress', response: response(answer, body, undefined) };
  for (const [output_index, output] of items.entries()) yield* itemEvents(output, output_index);
  yield { type: endType(answer), response: response(answer, body, wholeItems(items)) };
}

function* itemEvents({ item, block }: OutputItem, output_index: number): Iterable<Event> {
  const place = { item_id: item['id'], output_index };
  const pieces = (type: string, index: Fields = {}): readonly Event[] =>
    (block?.pieces ?? []).map((delta) => ({ type: `${type}.delta`, isDelta: true, ...place, ...index, delta }));
  const text = block?.whole ?? '';
  yield { type: 'response.output_item.added', output_index, item: { ...item, ...opening(item) } };
  switch (item['type']) {
    case 'reasoning': {
      const at = { summary_index: 0 };
      yield {
        type: 'response.reasoning_summary_part.added',
        ...place,
        ...at,
        part: { type: 'summary_text', text: '' },
      };
      yield* pieces('response.reasoning_summary_text', at);
      yield { type: 'response.reasoning_summary_text.done', ...place, ...at, text };
      yield { type: 'response.reasoning_summary_part.done', ...place, ...at, part: { type: 'summary_text', text } };
      break;
    }
    case 'message': {
      const at = { content_index: 0 };
      yield { type: 'response.content_part.added', ...place, ...at, part: textPart('') };
      for (const delta of pieces('response.output_text', at)) yield { ...delta, logprobs: [] };
      yield { type: 'response.output_text.done', ...place, ...at, text, logprobs: [] };
      yield { type: 'response.content_part.done', ...place, ...at, part: textPart(text) };
      break;
    }
    case 'function_call':
      yield* pieces('response.function_call_arguments');
      yield { type: 'response.function_call_arguments.done', ...place, name: item['name'], arguments: text };
      break;
    case 'custom_tool_call':
      yield* pieces('response.custom_tool_call_input');
      yield { type: 'response.custom_tool_call_input.done', ...place, input: text };
      break;
  }
  yield { type: 'response.output_item.done', output_index, item };
}

/** What an item holds while it grows. */
function opening(item: Fields): Fields {
  switch (item['type']) {
    case 'reasoning':
      return { summary: [], ...('encrypted_content' in item && { encrypted_content: null }) };
    case 'message':
      return { content: [], status: 'in_progress' };
    case 'function_call':
      return { arguments: '', status: 'in_progress' };
    case 'custom_tool_call':
      return { input: '', status: 'in_progress' };
    default:
      return { status: 'in_progress' };
  }
}
