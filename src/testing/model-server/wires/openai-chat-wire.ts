/**
 * OpenAI's Chat Completions protocol, as a server writes it.
 *
 * @module
 */
import { refuseOpenAIChat } from '../transcript-rules/openai-chat.ts';
import { endpoint, type PlannedAnswer, type Wire, type WireChunk } from './wire.ts';

function envelope(answer: PlannedAnswer, object: string): Record<string, unknown> {
  return { id: `chatcmpl-${String(answer.n)}`, object, created: answer.createdAt, model: answer.model };
}

function finishReason(answer: PlannedAnswer): string {
  return answer.stopReason ?? (answer.toolCalls.length > 0 ? 'tool_calls' : 'stop');
}

function usage(answer: PlannedAnswer): Record<string, number> {
  return {
    prompt_tokens: answer.inputTokens,
    completion_tokens: answer.outputTokens,
    total_tokens: answer.inputTokens + answer.outputTokens,
  };
}

function* stream(answer: PlannedAnswer, body: Readonly<Record<string, unknown>>): Iterable<WireChunk> {
  const options = body['stream_options'] as { include_usage?: unknown } | null | undefined;
  const withUsage = options?.include_usage === true;
  const chunk = (delta: unknown, finish: string | null, isDelta: boolean): WireChunk => ({
    text: `data: ${JSON.stringify({
      ...envelope(answer, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(withUsage ? { usage: null } : {}),
    })}\n\n`,
    isDelta,
  });

  yield chunk({ role: 'assistant', content: answer.text.whole === '' ? null : '' }, null, false);
  for (const content of answer.text.pieces) yield chunk({ content }, null, true);
  for (const [index, { id, name, json }] of answer.toolCalls.entries()) {
    const opening = { index, id, type: 'function', function: { name, arguments: '' } };
    yield chunk({ tool_calls: [opening] }, null, false);
    for (const piece of json.pieces)
      yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] }, null, true);
  }
  yield chunk({}, finishReason(answer), false);
  if (withUsage) {
    const last = { ...envelope(answer, 'chat.completion.chunk'), choices: [], usage: usage(answer) };
    yield { text: `data: ${JSON.stringify(last)}\n\n`, isDelta: false };
  }
  yield { text: 'data: [DONE]\n\n', isDelta: false };
}

/** The Chat Completions API. */
export const openaiChatWire: Wire = {
  route: endpoint('/v1/chat/completions'),
  idPrefix: 'call_',
  refuse: refuseOpenAIChat,
  stream,
  whole(answer) {
    const calls = answer.toolCalls.map(({ id, name, json }) => ({
      id,
      type: 'function',
      function: { name, arguments: json.whole },
    }));
    const message = {
      role: 'assistant',
      content: answer.text.whole === '' ? null : answer.text.whole,
      refusal: null,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    return {
      ...envelope(answer, 'chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(answer) }],
      usage: usage(answer),
    };
  },
  failure: (status, message) => ({
    error: {
      message,
      type: status === 429 ? 'rate_limit_exceeded' : status < 500 ? 'invalid_request_error' : 'server_error',
      param: null,
      code: null,
    },
  }),
};
