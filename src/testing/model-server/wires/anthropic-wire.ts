/**
 * Anthropic's Messages protocol, as a server writes it.
 *
 * @module
 */
import { refuseAnthropic } from '../transcript-rules/anthropic.ts';
import { endpoint, type PlannedAnswer, type Wire, type WireChunk } from './wire.ts';

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function event(type: string, fields: Readonly<Record<string, unknown>>): WireChunk {
  const isDelta = type === 'content_block_delta' && !('signature' in (fields['delta'] as object));
  return { text: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`, isDelta };
}

/** What a block opens with, what its deltas are called, and what must follow them. */
interface StreamedBlock {
  readonly open: Readonly<Record<string, unknown>>;
  readonly deltas: readonly Readonly<Record<string, unknown>>[];
}

function signature(answer: PlannedAnswer): string {
  return `signature-${String(answer.n)}`;
}

function* blocks(answer: PlannedAnswer): Iterable<StreamedBlock> {
  if (answer.thinking.whole !== '') {
    yield {
      open: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...answer.thinking.pieces.map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: signature(answer) },
      ],
    };
  }
  if (answer.text.whole !== '') {
    yield {
      open: { type: 'text', text: '' },
      deltas: answer.text.pieces.map((text) => ({ type: 'text_delta', text })),
    };
  }
  for (const { id, name, json } of answer.toolCalls) {
    yield {
      open: { type: 'tool_use', id, name, input: {} },
      deltas: json.pieces.map((partial) => ({ type: 'input_json_delta', partial_json: partial })),
    };
  }
}

function stopReason(answer: PlannedAnswer): string {
  return answer.stopReason ?? (answer.toolCalls.length > 0 ? 'tool_use' : 'end_turn');
}

function envelope(answer: PlannedAnswer): Record<string, unknown> {
  return { id: `msg_${String(answer.n)}`, type: 'message', role: 'assistant', model: answer.model };
}

function* stream(answer: PlannedAnswer): Iterable<WireChunk> {
  yield event('message_start', {
    message: {
      ...envelope(answer),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: answer.inputTokens, output_tokens: 1 },
    },
  });
  let index = 0;
  for (const block of blocks(answer)) {
    yield event('content_block_start', { index, content_block: block.open });
    for (const delta of block.deltas) yield event('content_block_delta', { index, delta });
    yield event('content_block_stop', { index });
    index += 1;
  }
  yield event('message_delta', {
    delta: { stop_reason: stopReason(answer), stop_sequence: null },
    usage: { output_tokens: answer.outputTokens },
  });
  yield event('message_stop', {});
}

/** The Messages API. */
export const anthropicWire: Wire = {
  route: endpoint('/v1/messages'),
  idPrefix: 'toolu_',
  refuse: refuseAnthropic,
  stream,
  whole(answer) {
    const content: unknown[] = [];
    if (answer.thinking.whole !== '') {
      content.push({ type: 'thinking', thinking: answer.thinking.whole, signature: signature(answer) });
    }
    if (answer.text.whole !== '') content.push({ type: 'text', text: answer.text.whole });
    for (const { id, name, input } of answer.toolCalls)
      content.push({ type: 'tool_use', id, name, input: input ?? {} });
    return {
      ...envelope(answer),
      content,
      stop_reason: stopReason(answer),
      stop_sequence: null,
      usage: { input_tokens: answer.inputTokens, output_tokens: answer.outputTokens },
    };
  },
  failure: (status, message, n) => ({
    type: 'error',
    error: { type: errorTypes[status] ?? 'api_error', message },
    request_id: `req_${String(n)}`,
  }),
};
