import { expect, it } from 'vitest';

import { geminiName, withNames } from '../../../../src/transcript/dialects/gemini/ids.ts';

it('leaves names as they are that the API takes, and makes all others so', () => {
  expect(['read', 'fs.read', 'mcp:fs-read'].map(geminiName)).toEqual(['read', 'fs.read', 'mcp:fs-read']);
  expect(geminiName('9 lives')).toBe('_9_lives');
  expect(geminiName('x'.repeat(90))).toHaveLength(64);
});

it('names a response as its call, unless names are kept', () => {
  const contents = [
    { role: 'model', parts: [{ functionCall: { name: '9 lives' } }] },
    { role: 'user', parts: [{ functionResponse: { name: '9 lives', response: {} } }] },
  ];
  expect(JSON.stringify(withNames(contents, 'normalise')).match(/_9_lives/g)).toHaveLength(2);
  expect(withNames(contents, 'keep')).toBe(contents);
});
