import { expect, it } from 'vitest';

import { checkTranscript } from '../../../../src/transcript/index.ts';
import { aiSDK } from '../../../../src/transcript/dialects/ai-sdk/index.ts';

const dialect = aiSDK;

it('knows by the messages which kind they are', () => {
  expect(checkTranscript([{ role: 'assistant', content: [] }], { dialect })).toMatchObject([
    { rule: 'message-not-empty' },
  ]);
  expect(checkTranscript([{ role: 'assistant', parts: [] }], { dialect })).toMatchObject([
    { rule: 'message-not-empty' },
  ]);
  expect(checkTranscript([], { dialect })).toEqual([]);
});

it('refuses what is neither', () => {
  expect(() => checkTranscript([{ role: 'user', parts: 7 } as never], { dialect })).toThrow('messages[0].parts');
});
