import { describe, expect, it } from 'vitest';

import {
  foreignArguments,
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
  const refusal = (one: object, own: readonly string[] = ['text']): unknown => {
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
    expect(refusal({ role: 'assistant', content: null, function_call: { name: 'a' } })).toBe(`${got}function_call`);
    expect(refusal({ role: 'assistant', content: 'x', done_reason: 'stop' })).toBe(`${got}done_reason`);
    expect(refusal(part)).toBe(`${got}tool-call`);
    expect(refusal(part, ['tool_calls'])).toBe(`${got}tool-call`);
    expect(refusal(call, ['tool-call'])).toBe(`${got}tool_calls`);
  });

  it('is refused for calls and results of every form, also where it has a content of ours', () => {
    const said = { role: 'assistant', content: [{ type: 'text', text: 'x' }] };
    const block = (type: string): object => ({ ...said, content: [...said.content, { type }] });
    expect(['tool_use', 'tool_result', 'tool_call', 'tool-result'].map((type) => refusal(block(type)))).toEqual(
      ['tool_use', 'tool_result', 'tool_call', 'tool-result'].map((type) => expect.stringContaining(`with ${type}`)),
    );
    const own = ['tool_calls', 'text'];
    const calling = (entry: object): object => ({ ...said, tool_calls: [entry] });
    expect(refusal(calling({ id: 'a' }), own)).toBeUndefined();
    expect(refusal({ ...said, call_id: 'a' })).toContain('with call_id');
  });

  it('is one whose calls have their arguments elsewhere', () => {
    const found = ['args', 'arguments'].map(
      (form) => (call: object) => foreignArguments(form as 'args', { tool_calls: [call] }),
    );
    const [beside, within] = [{ name: 'read', args: {} }, { function: { name: 'read', arguments: {} } }];
    expect([beside, within].map((call) => found.map((find) => find(call)))).toEqual([
      ['args', undefined],
      [undefined, 'arguments'],
    ]);
    const text = { function: { name: 'read', arguments: '{}' }, args: {} };
    expect(found.map((find) => find(text))).toEqual([undefined, undefined]);
  });

  it('is none for what only looks like it', () => {
    const blocks = ['server_tool_use', 'mcp_tool_use', 'web_search_tool_result', 'tool-approval-request', 'thinking'];
    const content = blocks.map((type) => ({ type }));
    expect(refusal({ role: 'assistant', content, function_call: null, data: {} })).toBeUndefined();
    expect(refusal({ role: 'assistant', content: '', parts: [{ type: 'tool-invocation' }] })).toBeUndefined();
    expect(refusal({ role: 'user', content: 'x', tool_calls: null, tool_call_id: null, parts: null })).toBeUndefined();
    const custom = { id: 'a', type: 'custom', custom: { name: 'read', input: 'x' } };
    expect(refusal({ role: 'assistant', tool_calls: [custom] }, ['tool_calls'])).toBeUndefined();
  });

  it('is none where the dialect has calls of that form', () => {
    expect(refusal(call, ['tool_calls'])).toBeUndefined();
    expect(refusal(part, ['tool-call'])).toBeUndefined();
    expect(refusal({ role: 'user', content: 'x', parts: [] })).toBeUndefined();
  });
});
