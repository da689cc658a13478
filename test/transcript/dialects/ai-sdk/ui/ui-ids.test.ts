import { expect, it } from 'vitest';

import { withIds } from '../../../../../src/transcript/dialects/ai-sdk/ui/ui-ids.ts';

const part = (more: object) => ({ type: 'dynamic-tool', toolName: 'read', ...more });
const page = (...parts: { type: string }[]) => [{ id: 'm', role: 'assistant' as const, parts }];
const idsIn = (messages: readonly { parts: readonly object[] }[]) =>
  messages[0]?.parts.map((one) => (one as { toolCallId?: string }).toolCallId);

it('gives calls without an id one that no other call of the message has', () => {
  const messages = page(part({}), part({ toolCallId: 'call_2' }), part({ toolCallId: '' }));
  expect(idsIn(withIds(messages, 'normalise'))).toEqual(['call_1', 'call_2', 'call_3']);
});

it('makes ids such as every provider takes, unless they are kept', () => {
  const messages = page(part({ toolCallId: 'functions.read:0' }));
  expect(idsIn(withIds(messages, 'normalise'))?.[0]).toMatch(/^functions_read_0_[0-9a-f]{8}$/);
  const kept = withIds(messages, 'keep');
  expect(kept).toHaveLength(messages.length);
  expect(kept.every((message, i) => message === messages[i])).toBe(true);
});
