import { describe, expect, it } from 'vitest';

import { anthropic } from '../../../../src/transcript/dialects/anthropic/index.ts';
import { repairWith } from '../../support/repair-with.ts';
import {
  anthropicTurns,
  isCall,
  replyOf,
  sealOf,
  wholeInput,
} from '../../../../src/transcript/dialects/anthropic/message.ts';

const use = (input: unknown, more: object = {}) => ({ type: 'tool_use', id: 'a', name: 'read', input, ...more });

describe('wholeInput', () => {
  it.each([
    [use({ x: 1 }), { x: 1 }],
    [use('{"x":1}'), { x: 1 }],
    [use('{"x":'), undefined],
    [use('[1]'), undefined],
    [use([1]), undefined],
    [use(null), undefined],
    [use(undefined), undefined],
    [use({ x: 'hal' }, { __json_buf: '{"x":"hal' }), undefined],
    [use({ x: 1 }, { __json_buf: '{"x":1}' }), { x: 1 }],
    [use({}, { __json_buf: '' }), {}],
  ])('%j', (block, input) => {
    expect(wholeInput(block)).toEqual(input);
  });
});

it('isCall wants an id and a name', () => {
  expect(isCall(use({}))).toBe(true);
  expect([use({}, { id: '' }), use({}, { name: undefined }), { type: 'text' }].map(isCall)).toEqual([
    false,
    false,
    false,
  ]);
});

it('sealOf knows what may be replayed', () => {
  expect(sealOf({ type: 'thinking', signature: 's' } as never)).toBe('s');
  expect(sealOf({ type: 'redacted_thinking', data: 'd' } as never)).toBe('d');
  expect(sealOf({ type: 'thinking', signature: '' } as never)).toBeUndefined();
  expect(sealOf({ type: 'thinking' })).toBeUndefined();
});

describe('how a reply is read', () => {
  it('tells a prompt from the results of tools', () => {
    expect(anthropicTurns.isPrompt({ role: 'user', content: 'x' })).toBe(true);
    expect(anthropicTurns.isPrompt({ role: 'user', content: [{ type: 'tool_result' }, { type: 'text' }] })).toBe(true);
    expect(anthropicTurns.isPrompt({ role: 'user', content: [{ type: 'tool_result' }] })).toBe(false);
    expect(anthropicTurns.isPrompt({ role: 'assistant', content: 'x' })).toBe(false);
    expect(anthropicTurns.isPrompt({ role: 'system', content: 'Be brief.' })).toBe(false);
    expect(anthropicTurns.isReply({ role: 'assistant', content: 'x' })).toBe(true);
    expect(anthropicTurns.say('x')).toEqual({ role: 'assistant', content: 'x' });
  });

  it('takes from a partial what a request may hold', () => {
    const blocks = [{ type: 'text', text: 'x' }];
    const response = { id: 'msg_1', role: 'assistant', content: [...blocks, { type: 'tool_result' }, null], usage: {} };
    expect(replyOf(response)).toEqual({ role: 'assistant', content: blocks });
    expect(replyOf('x')).toEqual({ role: 'assistant', content: 'x' });
    expect(replyOf({ role: 'assistant', content: 'x' })).toEqual({
      role: 'assistant',
      content: 'x',
    });
    for (const value of [undefined, null, 7, [], {}, { role: 'user', content: 'x' }, { role: 'assistant' }]) {
      expect(replyOf(value)).toBeUndefined();
    }
  });
});

it('names a result of a tool whose content holds no blocks', () => {
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [null] };
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'x' }, result] }] as never;
  const error = 'messages[0].content[1].content[0] must be an object, got null';
  expect(() => repairWith(messages, { dialect: anthropic })).toThrow(error);
  expect(() => anthropic.check(messages)).toThrow(error);
});
