import { expect, it } from 'vitest';

import { AgentsTranslation } from '../../../../src/transcript/dialects/openai-agents/translate.ts';

const items = [
  { role: 'user', content: 'Go.' },
  { type: 'reasoning', id: 'rs_1', content: [], providerData: { encryptedContent: 'seal' } },
  { type: 'program', callId: 'p', code: 'x', fingerprint: 'f' },
  { type: 'function_call', callId: 'c1', name: 'pay', arguments: '{}' },
  { type: 'function_call_result', callId: 'c1', name: 'pay', status: 'completed', output: { type: 'text', text: 'x' } },
  { type: 'compaction', encrypted_content: 'x' },
  { type: 'unknown', providerData: {} },
] as const;

it('items are those of the Responses API that they stand for, and come back as the same objects', () => {
  const translation = new AgentsTranslation();
  const theirs = items.map((item) => translation.toResponses(item));
  expect(theirs.map(({ type }) => type)).toEqual([
    undefined,
    'reasoning',
    'mcp_call',
    'function_call',
    'function_call_output',
    'compaction',
    'mcp_call',
  ]);
  expect(theirs[1]).toMatchObject({ encrypted_content: 'seal' });
  expect(theirs[4]).toMatchObject({ call_id: 'c1', output: 'x' });
  const back = translation.toAgents(theirs);
  expect(back.every((item, i) => item === items[i])).toBe(true);
  expect(translation.toResponses(items[3])).toBe(theirs[3]);
});

it('a changed item keeps what a repair does not know', () => {
  const translation = new AgentsTranslation();
  const own = {
    type: 'function_call',
    id: 'fc_1',
    callId: 'c 1',
    name: 'pay',
    arguments: '{"a',
    providerData: { x: 1 },
  };
  const { id: _id, ...changed } = { ...translation.toResponses(own), arguments: '{}', call_id: 'c_1' } as {
    id?: string;
  };
  expect(translation.toAgents([changed])).toEqual([
    { type: 'function_call', status: 'completed', callId: 'c_1', name: 'pay', arguments: '{}', providerData: { x: 1 } },
  ]);
});
