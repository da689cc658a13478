import { describe, expect, it } from 'vitest';

import { anthropicReplies, splitAnthropic } from '../../../src/transcript/dialects/anthropic/message.ts';
import { turnsOf, withoutTurn } from '../../../src/transcript/reading/turns.ts';
import type { AnthropicMessage } from '../../../src/transcript/dialects/anthropic/index.ts';

const turns = turnsOf(anthropicReplies, splitAnthropic);
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
    expect(turnsOf(anthropicReplies).split(user([result, text]))).toBeUndefined();
  });
});

describe('withoutTurn', () => {
  it('takes everything from the last prompt on', () => {
    expect(withoutTurn([user('Go.'), says, user('Now?'), says], undefined, turns)).toEqual({
      messages: [user('Go.'), says],
      prompts: [user('Now?')],
    });
  });

  it('takes everything from the given place, with all that was said in between', () => {
    const rest = withoutTurn([says, user('Go.'), says, user('Wait.'), says], 1, turns);
    expect(rest).toEqual({ messages: [says], prompts: [user('Go.'), user('Wait.')] });
  });

  it('leaves the answers of the turn before in place', () => {
    const rest = withoutTurn([user('Go.'), says, user([result, text]), says], undefined, turns);
    expect(rest).toEqual({ messages: [user('Go.'), says, user([result])], prompts: [user([text])] });
  });

  it('takes nothing where nobody asked', () => {
    expect(withoutTurn([says], undefined, turns)).toEqual({ messages: [says], prompts: [] });
    expect(withoutTurn([], undefined, turns)).toEqual({ messages: [], prompts: [] });
    expect(withoutTurn([says], 1, turns)).toEqual({ messages: [says], prompts: [] });
  });
});
