import { expect, it } from 'vitest';

import { OpenParts } from '../../../src/adapters/ag-ui/open-parts.ts';

it('what has begun is ended, the last to begin first, and what has ended is not', () => {
  const parts = new OpenParts();
  parts.sent({ type: 'STEP_STARTED', stepName: 'plan' });
  parts.sent({ type: 'TEXT_MESSAGE_START', messageId: 'm1' });
  parts.sent({ type: 'REASONING_START', messageId: 'm1' });
  parts.sent({ type: 'REASONING_MESSAGE_START', messageId: 'm1' });
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'pay' });
  parts.sent({ type: 'REASONING_MESSAGE_END', messageId: 'm1' });
  parts.sent({ type: 'CUSTOM' });
  expect(parts.ends()).toEqual([
    { type: 'TOOL_CALL_END', toolCallId: 'a' },
    { type: 'REASONING_END', messageId: 'm1' },
    { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
    { type: 'STEP_FINISHED', stepName: 'plan' },
  ]);
});

it('a call is open until its result', () => {
  const parts = new OpenParts();
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'pay' });
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'b' });
  parts.sent({ type: 'TOOL_CALL_END', toolCallId: 'a' });
  expect([...parts.calls]).toEqual([
    ['a', 'pay'],
    ['b', ''],
  ]);
  parts.sent({ type: 'TOOL_CALL_RESULT', toolCallId: 'a' });
  expect([...parts.calls.keys()]).toEqual(['b']);
});

it('a call that comes in chunks is open likewise, by the name that its first one says', () => {
  const parts = new OpenParts();
  parts.sent({ type: 'TOOL_CALL_CHUNK', toolCallId: 'a', toolCallName: 'pay' });
  parts.sent({ type: 'TOOL_CALL_CHUNK', toolCallId: 'a' });
  parts.sent({ type: 'TOOL_CALL_CHUNK' });
  expect([...parts.calls]).toEqual([['a', 'pay']]);
  expect(parts.ends()).toEqual([]);
  parts.sent({ type: 'TOOL_CALL_RESULT', toolCallId: 'a' });
  expect(parts.calls.size).toBe(0);
});
