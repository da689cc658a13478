import { describe, expect, it } from 'vitest';

import { LoopRecord } from '../../../../src/adapters/internal/framework/loop-record.ts';
import { InterruptController } from '../../../../src/index.ts';
import { Conversation, dialectNamed } from '../../../../src/transcript/index.ts';
import { dialectNames } from '../../../../src/transcript/dialects/table.ts';
import type { DialectRules } from '../../../../src/transcript/dialects/rules.ts';

const frameworks = ['openai-agents', 'ai-sdk', 'langchain'];

it('frameworks alone bring along what their loops need', () => {
  const bring = dialectNames.filter((name) => (dialectNamed(name).rules as DialectRules<object>).loops !== undefined);
  expect(new Set(bring)).toEqual(new Set(frameworks));
});

describe('the loop of a framework', () => {
  it.each([
    ['of another framework', 'langchain'],
    ['of a provider', 'anthropic'],
  ] as const)('is refused by name in a conversation %s, and runs aside', async (_, name) => {
    const agent = new InterruptController();
    const chat = new Conversation(dialectNamed(name) as never);
    await chat.runTurn(agent, undefined, (turn) => {
      const reader = { dialect: 'ai-sdk', resultsIn: () => [] };
      const record = (isAside: boolean) => new LoopRecord(turn, reader, { isAside, mayRunUnseen: false });
      expect(() => record(false)).toThrow(
        new TypeError(
          `turn must be of a conversation of ai-sdk, which this framework's loop is kept in, got one of ${name}; ` +
            'beside the conversation it runs with aside: true',
        ),
      );
      expect(record(true).turn.token).toBe(turn.token);
    });
    expect(chat.messages).toEqual([]);
  });
});
