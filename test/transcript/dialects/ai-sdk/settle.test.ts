import { expect, it } from 'vitest';

import { repairWith } from '../../support/repair-with.ts';
import { aiSDK } from '../../../../src/transcript/dialects/ai-sdk/index.ts';

const dialect = aiSDK;

it('knows by the messages which kind they are', () => {
  const input = { toolCallId: 'a', input: {} };
  const model = [{ role: 'assistant' as const, content: [{ type: 'tool-call', toolName: 'read', ...input }] }];
  const ui = [{ role: 'assistant' as const, parts: [{ type: 'tool-read', state: 'input-available', ...input }] }];
  expect(repairWith(model, { dialect }).messages).toHaveLength(2);
  expect(repairWith(ui, { dialect }).messages).toMatchObject([{ parts: [{ state: 'output-error' }] }]);
  expect(repairWith([], { dialect }).messages).toEqual([]);
});

it('refuses a mixture', () => {
  const mixed = [
    { role: 'user' as const, content: 'x' },
    { role: 'user' as const, parts: [] },
  ];
  expect(() => repairWith(mixed, { dialect })).toThrow(TypeError);
});
