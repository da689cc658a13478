import { expect, it } from 'vitest';
import { signThought } from '../../../../src/testing/model-server/transcript-rules/thought-signature.ts';
import { anthropicWire } from '../../../../src/testing/model-server/wires/anthropic-wire.ts';
import { planAnswer } from '../../../../src/testing/model-server/wires/wire.ts';

const plan = planAnswer(
  { thinking: 'hm hm', text: 'Looking now.', toolCalls: [{ name: 'read', input: { path: 'a' } }] },
  anthropicWire,
  1,
  'm',
  0,
);

function events(): { type: string; data: Record<string, unknown>; isDelta: boolean }[] {
  return [...anthropicWire.stream(plan, {})].map(({ text, isDelta }) => {
    const match = /^event: (\w+)\ndata: (.+)\n\n$/.exec(text);
    return { type: match?.[1] ?? '', data: JSON.parse(match?.[2] ?? '') as Record<string, unknown>, isDelta };
  });
}

it('the Anthropic wire streams the provider’s sequence of events', () => {
  expect(events().map(({ type, data }) => ('index' in data ? `${type} ${String(data['index'])}` : type))).toEqual([
    'message_start',
    'content_block_start 0',
    'content_block_delta 0',
    'content_block_delta 0',
    'content_block_delta 0', // the signature
    'content_block_stop 0',
    'content_block_start 1',
    'content_block_delta 1',
    'content_block_delta 1',
    'content_block_stop 1',
    'content_block_start 2',
    'content_block_delta 2',
    'content_block_stop 2',
    'message_delta',
    'message_stop',
  ]);
});

it('the Anthropic wire counts content as deltas, and neither frames nor the signature', () => {
  expect(events().filter(({ isDelta }) => isDelta)).toHaveLength(5);
});

it('the Anthropic wire reports input tokens first and output tokens last', () => {
  const all = events();
  expect(all[0]?.data).toMatchObject({ message: { content: [], usage: { input_tokens: 10, output_tokens: 1 } } });
  expect(all.at(-2)?.data).toMatchObject({ delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } });
});

it('the Anthropic wire says the same in one piece', () => {
  expect(anthropicWire.whole(plan, {})).toMatchObject({
    id: 'msg_1',
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm hm', signature: signThought('1', 'hm hm') },
      { type: 'text', text: 'Looking now.' },
      { type: 'tool_use', id: 'toolu_1_1', name: 'read', input: { path: 'a' } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 10, output_tokens: 5 },
  });
});

it('names errors as the provider does', () => {
  expect(anthropicWire.failure(529, 'Overloaded', 2)).toEqual({
    type: 'error',
    error: { type: 'overloaded_error', message: 'Overloaded' },
    request_id: 'req_2',
  });
  expect(anthropicWire.failure(500, 'x', 1)).toMatchObject({ error: { type: 'api_error' } });
});

it('the Anthropic wire keeps the order of parts, signs each thought, and sends a sealed one in one piece', () => {
  const parts = [
    { thinking: 'a b' },
    { toolCall: { name: 'x', input: {} } },
    { thinking: 'c', redacted: true },
    { thinking: 'd' },
    { text: 'e' },
    { toolCall: { name: 'y', input: {} } },
  ];
  const given = planAnswer({ parts }, anthropicWire, 3, 'm', 0);
  const { content } = anthropicWire.whole(given, {}) as { content: readonly { type: string }[] };
  expect(content).toEqual([
    { type: 'thinking', thinking: 'a b', signature: signThought('3', 'a b') },
    { type: 'tool_use', id: 'toolu_3_1', name: 'x', input: {} },
    { type: 'redacted_thinking', data: Buffer.from('c').toString('base64') },
    { type: 'thinking', thinking: 'd', signature: signThought('3_3', 'd') },
    { type: 'text', text: 'e' },
    { type: 'tool_use', id: 'toolu_3_2', name: 'y', input: {} },
  ]);
  const starts = [...anthropicWire.stream(given, {})].flatMap(({ text }) => {
    const block = /"content_block":\{"type":"(\w+)"/.exec(text)?.[1];
    return block === undefined ? [] : [block];
  });
  expect(starts).toEqual(content.map(({ type }) => type));
});
