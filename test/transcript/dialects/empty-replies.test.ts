/** What a provider answers where it said nothing: no message, and no error of ours. */
import { expect, it } from 'vitest';

import { gemini } from '../../../src/transcript/dialects/gemini/index.ts';
import { messageWriter } from '../../../src/transcript/index.ts';

it.each([
  { promptFeedback: { blockReason: 'SAFETY' } },
  { candidates: [{ finishReason: 'SAFETY', index: 0 }] },
  { candidates: [] },
])('gemini: %j', (reply) => {
  expect(messageWriter(gemini).reply(reply)).toEqual([]);
  expect(gemini.calls(reply)).toEqual([]);
});
