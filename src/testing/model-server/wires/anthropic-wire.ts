/**
 * Anthropic's Messages protocol, as a server writes it.
 *
 * @module
 */
import { refuseAnthropic } from '../transcript-rules/anthropic.ts';
import type { Fields } from '../transcript-rules/fields.ts';
import { signThought } from '../transcript-rules/thought-signature.ts';
import { endpoint, type PlannedAnswer, type PlannedPart, type Wire, type WireChunk } from './wire.ts';

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function event(type: string, fields: Fields): WireChunk {
  const isDelta = type === 'content_block_delta' && !('signature' in (fields['delta'] as object));
  return { text: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`, isDelta };
}

/** What a block opens with, what its deltas are called, and what must follow them. */
interface StreamedBlock {
  readonly open: Fields;
  readonly deltas: readonly Fields[];
}

function* blocks(answer: PlannedAnswer): Iterable<StreamedBlock> {
  for (const part of answer.parts) {
    const block = blockOf(answer, part);
    yield { open: emptied(block), deltas: deltasOf(part, block) };
  }
}

function deltasOf(part: PlannedPart, { signature }: Fields): StreamedBlock['deltas'] {
  const { pieces } = part.block;
  switch (part.kind) {
    case 'thinking':
      // A sealed thought comes in one piece, with its opening.
      if (part.isRedacted) return [];
      return [
        ...pieces.map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature },
      ];
    case 'text':
      return pieces.map((text) => ({ type: 'text_delta', text }));
    case 'call':
      return pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
  }
}

/** A block as it is when it is whole. */
function blockOf(answer: PlannedAnswer, part: PlannedPart): Fields {
  switch (part.kind) {
    case 'thinking': {
      const thinking = part.block.whole;
      if (part.isRedacted) return { type: 'redacted_thinking', data: Buffer.from(thinking).toString('base64') };
      return { type: 'thinking', thinking, signature: signThought(`${String(answer.n)}${part.place}`, thinking) };
    }
    case 'text':
      return { type: 'text', text: part.block.whole };
    case 'call': {
      const { id, name, input } = part.call;
      return { type: 'tool_use', id, name, input: input ?? {} };
    }
  }
}

/** A block as it opens: what its deltas bring is not there yet. */
function emptied(block: Fields): Fields {
  switch (block['type']) {
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    case 'text':
      return { ...block, text: '' };
    case 'tool_use':
      return { ...block, input: {} };
    default:
      return block;
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
    return {
      ...envelope(answer),
      content: answer.parts.map((part) => blockOf(answer, part)),
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
