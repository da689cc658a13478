import { expect, it } from 'vitest';

import { withIds } from '../../../../../src/transcript/dialects/ai-sdk/model/model-ids.ts';

const call = (more: object) => ({ type: 'tool-call', toolName: 'read', input: {}, ...more });
const result = (more: object) => ({
  type: 'tool-result',
  toolName: 'read',
  output: { type: 'text', value: 'x' },
  ...more,
});
const talk = (calls: { type: string }[], results: { type: string }[]) => [
  { role: 'assistant' as const, content: calls },
  { role: 'tool' as const, content: results },
];

it('pairs calls and results without ids by the names of their tools, and by order', () => {
  const settled = withIds(
    talk([call({}), call({ toolName: 'list' })], [result({ toolName: 'list' }), result({ toolCallId: '' })]),
    'normalise',
  );
  expect(settled.flatMap(({ content }) => content as readonly object[])).toMatchObject([
    { toolCallId: 'call_1' },
    { toolCallId: 'call_2' },
    { toolCallId: 'call_2', toolName: 'list' },
    { toolCallId: 'call_1', toolName: 'read' },
  ]);
});

it('lets a question follow its call to another id', () => {
  const id = { toolCallId: 'functions.read:0' };
  const ask = { type: 'tool-approval-request', approvalId: 'q', ...id };
  const [reply] = withIds(talk([call(id), ask], [result(id)]), 'normalise');
  const [made, asked] = (reply?.content ?? []) as unknown as { toolCallId: string }[];
  expect(made?.toolCallId).toMatch(/^functions_read_0_[0-9a-f]{8}$/);
  expect(asked?.toolCallId).toBe(made?.toolCallId);
});

it('keeps what a server has of its own', () => {
  const messages = talk([call({ toolCallId: 'functions.read:0', toolName: 'fs.read' })], []);
  const kept = withIds(messages, 'keep');
  expect(kept).toHaveLength(messages.length);
  expect(kept.every((message, i) => message === messages[i])).toBe(true);
});
