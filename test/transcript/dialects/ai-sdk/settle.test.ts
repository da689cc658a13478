import { expect, it } from 'vitest';

import { settleTranscript } from '../../../../src/transcript/index.ts';
import { aiSDK } from '../../../../src/transcript/dialects/ai-sdk/index.ts';

const dialect = aiSDK;

it('knows by the messages which kind they are', () => {
  const input = { toolCallId: 'a', input: {} };
  const model = [{ role: 'assistant' as const, content: [{ type: 'tool-call', toolName: 'read', ...input }] }];
  const ui = [{ role: 'assistant' as const, parts: [{ type: 'tool-read', state: 'input-available', ...input }] }];
  expect(settleTranscript(model, { dialect }).messages).toHaveLength(2);
  expect(settleTranscript(ui, { dialect }).messages).toMatchObject([{ parts: [{ state: 'output-error' }] }]);
  expect(settleTranscript([], { dialect }).messages).toEqual([]);
});

it('refuses a mixture', () => {
  const mixed = [
    { role: 'user' as const, content: 'x' },
    { role: 'user' as const, parts: [] },
  ];
  expect(() => settleTranscript(mixed, { dialect })).toThrow(TypeError);
});
