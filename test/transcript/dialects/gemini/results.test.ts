import { expect, it } from 'vitest';

import { resultFromAnswer, resultFromTranscript } from '../../../../src/transcript/dialects/gemini/results.ts';

const call = { id: '1', name: 'a' };
const part = (functionResponse: object) => ({ result: { functionResponse }, at: 1, order: 0 });

it('puts words under error and values under output', () => {
  expect(resultFromAnswer(call, { status: 'stopped', text: 'Stopped.' })).toEqual({
    functionResponse: { id: '1', name: 'a', response: { error: 'Stopped.' } },
  });
  expect(resultFromAnswer({ name: 'a' }, { status: 'completed', value: 7 })).toEqual({
    functionResponse: { name: 'a', response: { output: '7' } },
  });
});

it('keeps a legal response as the same object, also of two that agree', () => {
  const legal = part({ id: '1', name: 'a', response: {} });
  expect(resultFromTranscript(call, [legal])).toBe(legal.result);
  expect(resultFromTranscript(call, [legal, part({ id: '1', name: 'a', response: {} })])).toBe(legal.result);
});

it.each([
  [{ id: '1', name: 'a', response: 'ok' }, { response: { output: 'ok' } }],
  [{ id: '1', name: 'a', response: null }, { response: {} }],
  [
    { name: 'a', response: {} },
    { id: '1', response: {} },
  ],
])('makes %j legal', (given, expected) => {
  expect(resultFromTranscript(call, [part(given)])).toMatchObject({ functionResponse: { name: 'a', ...expected } });
});
