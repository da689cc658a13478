import { describe, expect, it } from 'vitest';

import { InterruptController, type Turn } from '../../../../src/index.ts';
import { recorderOf } from '../../../../src/core/interrupt/messages/loop-recorder.ts';
import { Conversation, dialectNamed } from '../../../../src/transcript/index.ts';
import { dialectNames } from '../../../../src/transcript/dialects/table.ts';
import type { DialectRules } from '../../../../src/transcript/dialects/rules.ts';

const frameworks = ['openai-agents', 'ai-sdk', 'langchain'];

it('frameworks alone bring along what their loops need', () => {
  const bring = dialectNames.filter((name) => (dialectNamed(name).rules as DialectRules<object>).loops !== undefined);
  expect(new Set(bring)).toEqual(new Set(frameworks));
});

describe('the loop of a framework in a conversation of a provider', () => {
  it('is refused by name, and runs aside', async () => {
    const agent = new InterruptController();
    const chat = new Conversation(dialectNamed('anthropic'));
    await chat.runTurn(agent, 'Go.', (turn) => {
      const recorder = recorderOf(turn);
      expect((recorder?.turn as Turn).token).toBe(turn.token);
      expect(() => recorder?.callId('a')).toThrow(
        new TypeError("a conversation of anthropic cannot hold what a framework says: give it the framework's dialect"),
      );
    });
    expect(chat.messages).toHaveLength(1);
  });
});
