import { describe, expect, it } from 'vitest';

import {
  foreignBut,
  requireMessages as refuse,
  requireRoleAndContent,
} from '../../../src/transcript/reading/require-messages.ts';

const plain = { name: 'some', requireMessage: requireRoleAndContent };
const requireMessages = (messages: unknown): void => {
  refuse(messages, plain);
};

describe('requireMessages', () => {
  it('takes what may be a transcript', () => {
    expect(() => requireMessages([])).not.toThrow();
    expect(() =>
      requireMessages([
        { role: 'user', content: 'x' },
        { role: 'x', content: [{ type: 'y' }] },
      ]),
    ).not.toThrow();
  });

  it.each([
    ['Hello', 'messages must be an array, got "Hello"'],
    [[null], 'messages[0] must be an object, got null'],
    [[{ role: 'user' }, { content: 'x' }], 'messages[1].role must be a string, got undefined'],
    [[{ role: 'user', content: [{ type: 'text' }, 'x'] }], 'messages[0].content[1] must be an object, got "x"'],
    [[{ role: 'user', content: [{}] }], 'messages[0].content[0].type must be a string, got undefined'],
  ])('refuses %j by its place', (messages, message) => {
    expect(() => requireMessages(messages)).toThrow(new TypeError(message));
  });

  it('asks a dialect that knows better', () => {
    const texts = {
      name: 'some',
      requireMessage(name: string, message: unknown): void {
        if (typeof message !== 'string') throw new TypeError(`${name} is no text`);
      },
    };
    expect(() => refuse(['x', 'y'], texts)).not.toThrow();
    expect(() => refuse(['x', 7], texts)).toThrow(new TypeError('messages[1] is no text'));
  });
});

describe('a message of another dialect', () => {
  const call = { role: 'assistant', content: null, tool_calls: [{ id: 'a' }] };
  const part = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a' }] };
  const refusal = (one: object, own?: 'tool_calls' | 'tool-call'): unknown => {
    try {
      refuse([{ role: 'user', content: 'x' }, one], { ...plain, foreignIn: (message) => foreignBut(own, message) });
    } catch (error) {
      return (error as Error).message;
    }
    return undefined;
  };

  it('is refused by its place, the dialect and what it holds', () => {
    const got = 'messages[1] must be a message of some, got one with ';
    expect(refusal({ role: 'model', parts: [] })).toBe(`${got}parts`);
    expect(refusal(call)).toBe(`${got}tool_calls`);
    expect(refusal({ role: 'tool', content: 'x', tool_call_id: 'a' })).toBe(`${got}tool_call_id`);
    expect(refusal(part)).toBe(`${got}tool-call`);
    expect(refusal(part, 'tool_calls')).toBe(`${got}tool-call`);
    expect(refusal(call, 'tool-call')).toBe(`${got}tool_calls`);
  });

  it('is none where the dialect has calls of that form', () => {
    expect(refusal(call, 'tool_calls')).toBeUndefined();
    expect(refusal(part, 'tool-call')).toBeUndefined();
    expect(refusal({ role: 'user', content: 'x', parts: [] })).toBeUndefined();
  });
});
