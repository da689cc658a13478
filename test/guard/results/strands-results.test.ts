import { expect, it } from 'vitest';

import { errorIn, strandsBlock } from '../../../src/guard/results/strands-results.ts';

const error = new Error('broken');

it.each<[string, unknown, Error | undefined]>([
  ['a result of Strands that stands for one', { type: 'toolResultBlock', status: 'error', error }, error],
  ['one that says only in words what went wrong', { type: 'toolResultBlock', status: 'error' }, undefined],
  ['a result that is none', { type: 'toolResultBlock', status: 'success', error }, undefined],
  ['what merely has an error', { status: 'error', error }, undefined],
  ['a text', 'broken', undefined],
  ['nothing', undefined, undefined],
])('the error in %s is found, and nothing else', (_what, result, found) => {
  expect(errorIn(result)).toBe(found);
});

it('words about a call are a block of Strands, which can be written down as its own', () => {
  const block = strandsBlock('c1', 'Stopped.');
  expect(block).toMatchObject({ type: 'toolResultBlock', toolUseId: 'c1', status: 'error' });
  expect(JSON.parse(JSON.stringify(block))).toEqual({
    toolResult: { toolUseId: 'c1', status: 'error', content: [{ text: 'Stopped.' }] },
  });
});
