import { expect, it } from 'vitest';
import { ollamaWire } from '../../../../src/testing/model-server/wires/ollama-wire.ts';
import { planAnswer } from '../../../../src/testing/model-server/wires/wire.ts';

const toolCalls = [
  { name: 'read', input: { path: 'a' } },
  { name: 'list', input: undefined },
];
const plan = planAnswer({ thinking: 'Hm.', text: 'Looking now.', toolCalls }, ollamaWire, 1, 'llama', 0);
const calls = [
  { id: 'call_1_1', function: { index: 0, name: 'read', arguments: { path: 'a' } } },
  { id: 'call_1_2', function: { index: 1, name: 'list', arguments: {} } },
];
const end = { done: true, done_reason: 'stop', prompt_eval_count: 10, eval_count: plan.outputTokens };

it('the Ollama wire streams a line per thought, word and whole call, and counts in the last', () => {
  const chunks = [...ollamaWire.stream(plan, {})];
  const lines = chunks.map(({ text }) => {
    expect(text).toMatch(/^\{.*\}\n$/);
    return JSON.parse(text) as { message: unknown; done: boolean };
  });
  const said = { role: 'assistant', content: '' };
  expect(lines.map(({ message }) => message)).toEqual([
    { ...said, thinking: 'Hm.' },
    { ...said, content: 'Looking' },
    { ...said, content: ' now.' },
    ...calls.map((call) => ({ ...said, tool_calls: [call] })),
    said,
  ]);
  expect(lines.map(({ done }) => done)).toEqual([false, false, false, false, false, true]);
  expect(lines.at(-1)).toMatchObject({ model: 'llama', created_at: '1970-01-01T00:00:00.000Z', ...end });
  expect(chunks.map(({ isDelta }) => isDelta)).toEqual([true, true, true, true, true, false]);
});

it('the Ollama wire says the same in one piece, and leaves out what there is none of', () => {
  const message = { role: 'assistant', content: 'Looking now.', thinking: 'Hm.', tool_calls: calls };
  expect(ollamaWire.whole(plan, {})).toMatchObject({ message, ...end });
  const bare = planAnswer({ text: 'Hi.', stopReason: 'length' }, ollamaWire, 1, 'llama', 0);
  expect(ollamaWire.whole(bare, {})).toMatchObject({
    message: { role: 'assistant', content: 'Hi.' },
    done_reason: 'length',
  });
});

it('the Ollama wire has one endpoint, wants a model, and says errors in one word', () => {
  expect(ollamaWire.route('/api/chat')).toEqual({});
  expect(ollamaWire.route('/api/generate')).toBeUndefined();
  expect(ollamaWire.refuse({}, undefined)).toBe('model is required');
  expect(ollamaWire.refuse({}, 'llama')).toBeUndefined();
  expect(ollamaWire.failure(500, 'why', 1)).toEqual({ error: 'why' });
});

it('the Ollama wire streams parts in their order', () => {
  const parts = [
    { toolCall: { name: 'read', input: {} } },
    { thinking: 'Hm.' },
    { toolCall: { name: 'list', input: {} } },
  ];
  const chunks = [...ollamaWire.stream(planAnswer({ parts }, ollamaWire, 1, 'llama', 0), {})];
  const messages = chunks.map(({ text }) => (JSON.parse(text) as { message: Record<string, unknown> }).message);
  expect(messages.map(({ tool_calls: calls, thinking }) => thinking ?? calls)).toMatchObject([
    [{ function: { index: 0, name: 'read' } }],
    'Hm.',
    [{ function: { index: 1, name: 'list' } }],
    undefined,
  ]);
});
