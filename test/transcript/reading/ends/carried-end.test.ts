import { expect, it } from 'vitest';

import { carriedEnd, responseEnd } from '../../../../src/transcript/reading/ends/carried-end.ts';

it.each([
  [[{ stop_reason: 'max_tokens' }], 'max_tokens'],
  [[{ stop_reason: null }, { choices: [{ finish_reason: 'length' }] }], 'length'],
  [['no object', undefined, { finishReason: { unified: 'stop' }, stopReason: 'end_turn' }], 'end_turn'],
  [[{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }], 'content_filter'],
  [[{ status: 'completed' }], undefined],
])('the first word of an end in %j is %j', (carriers, word) => {
  expect(carriedEnd(carriers)).toBe(word);
});

it.each([
  [{ output: [], status: 'failed' }, 'failed'],
  [{ output: [{ status: 'incomplete' }] }, 'incomplete'],
  [[{ status: 'completed' }, { status: 'incomplete' }], 'incomplete'],
  [{ type: 'message', status: 'completed' }, false],
])('a response, or its items, %j, ended by %j', (value, word) => {
  expect(responseEnd(value)).toBe(word);
});
