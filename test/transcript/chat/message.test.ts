import { describe, expect, it } from 'vitest';

import {
  callsOf,
  hasContent,
  hasWholeArguments,
  idOf,
  nameOf,
  openAIChatReplies,
  type OpenAIChatMessage,
} from '../../../src/transcript/chat/message.ts';

const call = (id: string, args: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: args },
});
const custom = { id: 'c', type: 'custom', custom: { name: 'sh', input: 'ls' } };
const reply = (more: object): OpenAIChatMessage => ({ role: 'assistant', ...more });

it('reads calls of both kinds', () => {
  expect([call('a'), custom].map((one) => [idOf(one), nameOf(one), hasWholeArguments(one)])).toEqual([
    ['a', 'read', true],
    ['c', 'sh', true],
  ]);
  expect([idOf({}), nameOf({}), nameOf({ type: 'function', function: { name: '' } })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(['{"x":', '', null, {}].map((args) => hasWholeArguments(call('a', args)))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(hasWholeArguments({ type: 'function' })).toBe(false);
});

it('finds calls only where they may stand', () => {
  expect(callsOf(reply({ tool_calls: [custom] }))).toEqual([custom]);
  expect(callsOf({ role: 'user', tool_calls: [custom] } as never)).toEqual([]);
  expect(callsOf(reply({ tool_calls: null }))).toEqual([]);
});

it.each([
  [{ content: 'x' }, true],
  [{ content: '' }, false],
  [{ content: null }, false],
  [{}, false],
  [{ content: [{ type: 'text', text: '' }] }, false],
  [{ content: [{ type: 'refusal', refusal: 'No.' }] }, true],
  [{ content: [{ type: 'image_url' }] }, true],
  [{ refusal: 'No.' }, true],
  [{ audio: { id: 'x' } }, true],
  [{ function_call: { name: 'x', arguments: '' } }, true],
])('hasContent %j: %s', (more, has) => {
  expect(hasContent(reply(more))).toBe(has);
});

describe('how a reply is read', () => {
  it('by its text and its calls, the first of each id', () => {
    const message = reply({
      content: [
        { type: 'text', text: 'one ' },
        { type: 'text', text: '' },
        { type: 'text', text: 'two' },
      ],
      refusal: 'No.',
      tool_calls: [call('a', '{"'), call('a'), custom, call('')],
    });
    expect(openAIChatReplies.parts(message)).toEqual({
      prose: 'No.\none\ntwo',
      calls: ['a', 'c'],
      wholeCalls: [{ id: 'c', name: 'sh', input: 'ls' }],
      seals: [],
    });
    expect(openAIChatReplies.parts({ role: 'tool' })).toBeUndefined();
  });

  it('tells a prompt from the results of tools', () => {
    const roles = ['user', 'system', 'developer', 'assistant', 'tool', 'function'] as const;
    expect(roles.map((role) => openAIChatReplies.isPrompt({ role }))).toEqual([true, true, true, false, false, false]);
  });

  it('takes from a partial what a request may hold', () => {
    const streamed = { ...call('a'), index: 0, function: { name: 'read', arguments: '{}', parsed_arguments: {} } };
    expect(openAIChatReplies.fromPartial(reply({ content: null, tool_calls: [streamed, custom] }))).toEqual(
      reply({ content: null, tool_calls: [call('a'), custom] }),
    );
    expect(openAIChatReplies.fromPartial('x')).toEqual(reply({ content: 'x' }));
    for (const value of [undefined, null, 7, [], {}, { role: 'user', content: 'x' }]) {
      expect(openAIChatReplies.fromPartial(value)).toBeUndefined();
    }
  });
});
