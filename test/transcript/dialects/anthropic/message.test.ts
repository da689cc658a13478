import { describe, expect, it } from 'vitest';

import { anthropic } from '../../../../src/transcript/dialects/anthropic/index.ts';
import { settleTranscript } from '../../../../src/transcript/settle-transcript.ts';
import { anthropicReplies, isCall, sealOf, wholeInput } from '../../../../src/transcript/dialects/anthropic/message.ts';

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
  it('by its text, its calls and its seals', () => {
    const content = [
      { type: 'thinking', thinking: 'x', signature: 'sig' },
      { type: 'thinking', thinking: 'half' },
      { type: 'text', text: 'Let me see. ' },
      { type: 'text', text: ' ' },
      { type: 'server_tool_use', id: 's1' },
      { type: 'web_search_tool_result', tool_use_id: 's1' },
      { type: 'web_search_tool_result', tool_use_id: 'elsewhere' },
      use({}),
      use('{"', { id: 'b' }),
      use({}, { id: 'b' }),
    ];
    expect(anthropicReplies.parts({ role: 'assistant', content })).toEqual({
      prose: 'Let me see.',
      calls: expect.toSatisfy((ids: string[]) => ids.toSorted().join() === 'a,b'),
      wholeCalls: [{ id: 'a', name: 'read', input: {} }],
      seals: ['sig', 's1'],
    });
    expect(anthropicReplies.parts({ role: 'user', content: 'x' })).toBeUndefined();
  });

  it('tells a prompt from the results of tools', () => {
    expect(anthropicReplies.isPrompt({ role: 'user', content: 'x' })).toBe(true);
    expect(anthropicReplies.isPrompt({ role: 'user', content: [{ type: 'tool_result' }, { type: 'text' }] })).toBe(
      true,
    );
    expect(anthropicReplies.isPrompt({ role: 'user', content: [{ type: 'tool_result' }] })).toBe(false);
    expect(anthropicReplies.isPrompt({ role: 'assistant', content: 'x' })).toBe(false);
  });

  it('takes from a partial what a request may hold', () => {
    const blocks = [{ type: 'text', text: 'x' }];
    const response = { id: 'msg_1', role: 'assistant', content: [...blocks, { type: 'tool_result' }, null], usage: {} };
    expect(anthropicReplies.fromPartial(response)).toEqual({ role: 'assistant', content: blocks });
    expect(anthropicReplies.fromPartial('x')).toEqual({ role: 'assistant', content: 'x' });
    expect(anthropicReplies.fromPartial({ role: 'assistant', content: 'x' })).toEqual({
      role: 'assistant',
      content: 'x',
    });
    for (const value of [undefined, null, 7, [], {}, { role: 'user', content: 'x' }, { role: 'assistant' }]) {
      expect(anthropicReplies.fromPartial(value)).toBeUndefined();
    }
  });
});

it('names a result of a tool whose content holds no blocks', () => {
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: [null] };
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'x' }, result] }] as never;
  const error = 'messages[0].content[1].content[0] must be an object, got null';
  expect(() => settleTranscript(messages, { dialect: anthropic })).toThrow(error);
  expect(() => anthropic.check(messages)).toThrow(error);
});
