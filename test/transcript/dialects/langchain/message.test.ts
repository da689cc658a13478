import { describe, expect, it } from 'vitest';

import {
  change,
  fieldsOf,
  read,
  requireLangChainMessage,
  speakerOf,
  langChainTurns,
} from '../../../../src/transcript/dialects/langchain/message.ts';

class AIMessage {
  content = 'x';
  lc_kwargs = { content: 'x' };
  getType(): string {
    return 'ai';
  }
}
class Old {
  _getType(): string {
    return 'tool';
  }
}
const serialized = (name: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['langchain', name], kwargs });

describe('who speaks', () => {
  it.each<[string | object, string]>([
    ['x', 'human'],
    [['ai', 'x'], 'ai'],
    [['placeholder', '{x}'], 'other'],
    [new AIMessage(), 'ai'],
    [new Old(), 'tool'],
    [serialized('AIMessageChunk', {}), 'ai'],
    [serialized('ToolMessage', {}), 'tool'],
    [serialized('HumanMessage', {}), 'human'],
    [{ role: 'assistant', content: 'x' }, 'ai'],
    [{ role: 'developer', content: 'x' }, 'system'],
    [{ type: 'tool', content: 'x' }, 'tool'],
    [{ type: 'remove', id: 'x' }, 'other'],
  ])('%j: %s', (message, speaker) => {
    expect(speakerOf(message)).toBe(speaker);
  });

  it.each([
    [7, 'm must be a message, got 7'],
    [{}, 'm must say who speaks (getType, role or type)'],
  ])('refuses %j', (message, error) => {
    expect(() => requireLangChainMessage('m', message)).toThrow(TypeError);
    expect(() => requireLangChainMessage('m', message)).toThrow(error);
  });
});

it('reads fields wherever the form keeps them', () => {
  expect([fieldsOf('x'), fieldsOf(['ai', 'y'])]).toEqual([{ content: 'x' }, { content: 'y' }]);
  expect([read(serialized('AIMessage', { content: 'z' }), 'content'), read(new AIMessage(), 'content')]).toEqual([
    'z',
    'x',
  ]);
});

describe('change', () => {
  it.each<[string | object, object]>([
    ['x', { role: 'user', content: 'new' }],
    [['ai', 'x'], { role: 'ai', content: 'new' }],
    [
      { role: 'assistant', content: 'x', name: 'n' },
      { role: 'assistant', content: 'new', name: 'n' },
    ],
    [serialized('AIMessage', { content: 'x' }), serialized('AIMessage', { content: 'new' })],
  ])('%j becomes %j', (message, changed) => {
    expect(change(message, { content: 'new' })).toEqual(changed);
  });

  it('keeps the class, computed properties unread, and what it is written down by', () => {
    const message = new AIMessage();
    let reads = 0;
    Object.defineProperty(message, 'lazy', { get: () => (reads += 1), enumerable: true, configurable: true });
    const changed = change(message, { content: 'new' }) as AIMessage;
    expect(changed).toBeInstanceOf(AIMessage);
    expect([changed.content, changed.lc_kwargs.content, changed.getType()]).toEqual(['new', 'new', 'ai']);
    expect([message.content, message.lc_kwargs.content, reads]).toEqual(['x', 'x', 0]);
  });
});

it('refuses a message as LangChain stores it, and says what makes a message of it', () => {
  const stored = { type: 'ai', data: { content: 'I pay.', tool_calls: [] } };
  expect(() => requireLangChainMessage('messages[1]', stored)).toThrow(
    'messages[1] must be a message, got one as it is stored; mapStoredMessagesToChatMessages() of @langchain/core/messages',
  );
  expect(() => requireLangChainMessage('messages[0]', { type: 'ai', content: '', data: {} })).not.toThrow();
});

it('who speaks is known of every form', () => {
  const messages = ['Hello', ['ai', 'x'], { role: 'system', content: 'x' }];
  expect(messages.map((one) => langChainTurns.isPrompt(one))).toEqual([true, false, false]);
  expect(messages.map((one) => langChainTurns.isReply(one))).toEqual([false, true, false]);
  expect(langChainTurns.say('x')).toEqual({ role: 'assistant', content: 'x' });
});
