import { describe, expect, it } from 'vitest';

import { repairWith } from '../../support/repair-with.ts';
import { aiSDK } from '../../../../src/transcript/dialects/ai-sdk/index.ts';

describe('what a tool shows the model', () => {
  const talk = [
    { role: 'user' as const, content: 'x' },
    {
      role: 'assistant' as const,
      content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'shot', input: {} }],
    },
  ];
  const outcomes = [
    { id: 'a', name: 'shot', call: {}, ms: 1, status: 'completed' as const, value: { secret: 's', png: 'iVBO' } },
  ];

  it.each([
    { type: 'content', value: [{ type: 'text', text: 'a screenshot' }] },
    { type: 'json', value: { n: 1 } },
    { type: 'text', value: 'a screenshot' },
    { type: 'error-text', value: 'no' },
  ])('goes out as it is where it is rendered: $type', (output) => {
    const { messages } = repairWith(talk, { dialect: aiSDK, outcomes, render: () => output });
    expect(messages[2]?.content).toEqual([{ type: 'tool-result', toolCallId: 'a', toolName: 'shot', output }]);
  });

  it('is its value where nobody says so', () => {
    const value = { type: 'text', value: 'Ann' };
    const own = [{ ...outcomes[0]!, value }];
    const { messages } = repairWith(talk, { dialect: aiSDK, outcomes: own });
    expect(messages[2]?.content).toMatchObject([{ output: { type: 'json', value } }]);
  });
});
