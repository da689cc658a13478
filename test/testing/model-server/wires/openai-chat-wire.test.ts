import { expect, it } from 'vitest';
import { openaiChatWire } from '../../../../src/testing/model-server/wires/openai-chat-wire.ts';
import { planAnswer, type WireChunk } from '../../../../src/testing/model-server/wires/wire.ts';

const plan = planAnswer(
  { thinking: 'left out', text: 'Looking now.', toolCalls: [{ name: 'read', input: { path: 'a' } }], chunks: 2 },
  openaiChatWire,
  1,
  'm',
  5000,
);

function parse(chunks: readonly WireChunk[]): Record<string, unknown>[] {
  return chunks
    .map(({ text }) => text.slice('data: '.length).trim())
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Record<string, unknown>);
}

function deltas(chunks: readonly WireChunk[]): unknown[] {
  return parse(chunks).map((chunk) => (chunk['choices'] as { delta: unknown }[])[0]?.delta);
}

it('the Chat Completions wire streams role, text, calls and the finish reason, then [DONE]', () => {
  const chunks = [...openaiChatWire.stream(plan, {})];
  expect(deltas(chunks)).toEqual([
    { role: 'assistant', content: '' },
    { content: 'Lookin' },
    { content: 'g now.' },
    { tool_calls: [{ index: 0, id: 'call_1_1', type: 'function', function: { name: 'read', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"path' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '":"a"}' } }] },
    {},
  ]);
  expect(chunks.filter(({ isDelta }) => isDelta)).toHaveLength(4);
  expect(chunks.at(-1)?.text).toBe('data: [DONE]\n\n');
  expect(parse(chunks)[0]).toMatchObject({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 5, model: 'm' });
  expect(JSON.stringify(parse(chunks))).not.toContain('usage');
});

it('the Chat Completions wire reports usage in a chunk of its own when asked, and only then', () => {
  const chunks = parse([...openaiChatWire.stream(plan, { stream_options: { include_usage: true } })]);
  expect(chunks.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 10, completion_tokens: 6, total_tokens: 16 },
  });
  expect(chunks[0]).toHaveProperty('usage', null);
});

it('the Chat Completions wire says the same in one piece', () => {
  expect(openaiChatWire.whole(plan, {})).toMatchObject({
    object: 'chat.completion',
    choices: [
      {
        message: {
          role: 'assistant',
          content: 'Looking now.',
          tool_calls: [{ id: 'call_1_1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
  });
});

it.each([
  [400, 'invalid_request_error'],
  [429, 'rate_limit_exceeded'],
  [503, 'server_error'],
])('names error %i %s', (status, type) => {
  expect(openaiChatWire.failure(status, 'why', 1)).toMatchObject({ error: { message: 'why', type } });
});
