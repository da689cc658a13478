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
  expect(parts.ends).toEqual([
    { type: 'TOOL_CALL_END', toolCallId: 'a' },
    { type: 'REASONING_END', messageId: 'm1' },
    { type: 'TEXT_MESSAGE_END', messageId: 'm1' },
    { type: 'STEP_FINISHED', stepName: 'plan' },
  ]);
});

it('what a sub-agent has begun is ended as its own, and then the sub-agent', () => {
  const parts = new OpenParts();
  const subagentRunId = 's';
  for (const id of ['s', 'done', 'failed']) parts.sent({ type: 'SUBAGENT_STARTED', subagentRunId: id });
  parts.sent({ type: 'STEP_STARTED', stepName: 'plan' });
  parts.sent({ type: 'STEP_STARTED', stepName: 'plan', subagentRunId });
  parts.sent({ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'pay', subagentRunId });
  parts.sent({ type: 'STEP_FINISHED', stepName: 'plan' });
  parts.sent({ type: 'SUBAGENT_FINISHED', subagentRunId: 'done' });
  parts.sent({ type: 'SUBAGENT_ERROR', subagentRunId: 'failed' });
  expect(parts.ends).toEqual([
    { type: 'TOOL_CALL_END', toolCallId: 'a', subagentRunId },
    { type: 'STEP_FINISHED', stepName: 'plan', subagentRunId },
    { type: 'SUBAGENT_FINISHED', subagentRunId },
  ]);
});

it('the steps of a sub-agent without a name of its own are not those of the agent', () => {
  const parts = new OpenParts();
  parts.sent({ type: 'STEP_STARTED', stepName: 'plan' });
  parts.sent({ type: 'STEP_STARTED', stepName: 'plan', subagentRunId: '' });
  parts.sent({ type: 'STEP_FINISHED', stepName: 'plan' });
  expect(parts.ends).toEqual([{ type: 'STEP_FINISHED', stepName: 'plan', subagentRunId: '' }]);
});
