import { expect, it } from 'vitest';

import { writerOf } from '../../../../../src/testing/fast-check/transcripts/writers/index.ts';
import { aiSDKUI } from '../../../../../src/transcript/dialects/ai-sdk/index.ts';
import { dialectNames } from '../../../../../src/transcript/dialects/table.ts';
import { dialectNamed } from '../../../../../src/transcript/index.ts';

it('there is a writer for each dialect, by its name and by itself', () => {
  const writers = dialectNames.map((name) => writerOf(name));
  expect(new Set(writers).size).toBe(dialectNames.length);
  expect(dialectNames.map((name) => writerOf(dialectNamed(name)))).toEqual(writers);
});

it('there is one for messages of a page', () => {
  expect(writerOf('ai-sdk-ui')).not.toBe(writerOf('ai-sdk'));
  expect(writerOf(aiSDKUI)).toBe(writerOf('ai-sdk-ui'));
});

it.each([null, 7, {}, { name: 'toString' }, 'claude'])('%o is no dialect', (given) => {
  expect(() => writerOf(given)).toThrow(TypeError);
});
