import { expect, it } from 'vitest';

import { isCutShort, replyEnd } from '../../../src/core/foundation/reply-end.ts';

it.each([
  ['limit', ['max_tokens', 'MAX_TOKENS', 'model_context_window_exceeded', 'length', 'max_output_tokens', 'incomplete']],
  [
    'refused',
    [
      'refusal',
      'content_filter',
      'content-filter',
      'SAFETY',
      'RECITATION',
      'PROHIBITED_CONTENT',
      'SPII',
      'MALFORMED_FUNCTION_CALL',
    ],
  ],
  ['failed', ['failed', 'cancelled', 'error']],
  ['unfinished', ['queued', 'in_progress']],
  ['paused', ['pause_turn']],
  [
    'whole',
    [
      'end_turn',
      'stop',
      'STOP',
      'tool_use',
      'tool_calls',
      'tool-calls',
      'completed',
      'eos',
      'stop_sequence',
      'COMPLETE',
      'TOOL_CALL',
    ],
  ],
  ['other', ['some_new_word', 'abort', 'timeout', 'CONTINUATION', 'malformed_tool_use']],
  ['unknown', [undefined, null, '', 7]],
] as const)('an end is %s by the words of all providers', (end, words) => {
  for (const word of words) expect([word, replyEnd(word)]).toEqual([word, end]);
  expect(isCutShort(end)).toBe(!['whole', 'paused', 'unknown'].includes(end));
});
