import { describe, expect, it } from 'vitest';

import { anthropicReplies } from '../../../src/transcript/dialects/anthropic/message.ts';
import { turnsOf } from '../../../src/transcript/reading/turns.ts';
import type { AnthropicMessage } from '../../../src/transcript/dialects/anthropic/index.ts';

const turns = turnsOf(anthropicReplies);
const user = (content: AnthropicMessage['content']): AnthropicMessage => ({ role: 'user', content });
const says: AnthropicMessage = { role: 'assistant', content: 'Hi.' };
const result = { type: 'tool_result', tool_use_id: 'a', content: 'ok' };
const text = { type: 'text', text: 'And now?' };

describe('turnsOf', () => {
  it('tells prompts, replies and instructions apart', () => {
    expect([user('Go.'), user([result]), user([result, text]), says].map(turns.isPrompt)).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(turns.isPrompt({ role: 'system', content: 'Be brief.' })).toBe(false);
    expect([says, user('Go.')].map(turns.isReply)).toEqual([true, false]);
    expect(turns.say('Hi.', says)).toEqual(says);
  });
});
