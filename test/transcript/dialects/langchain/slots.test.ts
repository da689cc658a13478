import { expect, it } from 'vitest';

import { readSlots } from '../../../../src/transcript/dialects/langchain/slots.ts';

it('links results to calls, and removes what is illegal in itself', () => {
  const tool_calls = [
    { id: 'a', name: 'read', args: {} },
    { id: 'a', name: 'read', args: {} },
    { id: 'b', args: {} },
  ];
  const tool = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'x' });
  const messages = [{ role: 'assistant', content: '', tool_calls }, tool('a'), tool('z'), 'Hello', tool('a')];
  const entries = messages.map((message) => ({ message, cut: undefined }));
  const slots = readSlots(entries);
  expect(slots.map(({ isReply }) => isReply)).toEqual([true, false]);
  expect(slots[0]?.parts.map(({ site }) => [site.id, site.results.map((one) => one.at)])).toEqual([['a', [1, 4]]]);
});
