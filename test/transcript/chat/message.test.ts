import { describe, expect, it } from 'vitest';

import {
  callsOf,
  hasContent,
  hasWholeArguments,
  idOf,
  nameOf,
  openAIChatTurns,
  replyOf,
  saysSomething,
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
  it('tells a prompt from the results of tools', () => {
    const roles = ['user', 'system', 'developer', 'assistant', 'tool', 'function'] as const;
    expect(roles.map((role) => openAIChatTurns.isPrompt({ role }))).toEqual([true, false, false, false, false, false]);
    expect(roles.map((role) => openAIChatTurns.isReply({ role }))).toEqual([false, false, false, true, false, false]);
    expect(openAIChatTurns.say('x')).toEqual(reply({ content: 'x' }));
  });

  it('says something in its content or its refusal', () => {
    const says = [{ content: 'x' }, { content: [{ type: 'text', text: 'x' }] }, { refusal: 'No.' }].map(reply);
    expect(says.map(saysSomething)).toEqual([true, true, true]);
    const nothing = [{ content: ' ' }, { content: null }, { content: [] }].map(reply);
    expect(nothing.map(saysSomething)).toEqual([false, false, false]);
  });

  it('takes from a partial what a request may hold', () => {
    const streamed = { ...call('a'), index: 0, function: { name: 'read', arguments: '{}', parsed_arguments: {} } };
    expect(replyOf(reply({ content: null, tool_calls: [streamed, custom] }))).toEqual(
      reply({ content: null, tool_calls: [call('a'), custom] }),
    );
    expect(replyOf('x')).toEqual(reply({ content: 'x' }));
    for (const value of [undefined, null, 7, [], {}, { role: 'user', content: 'x' }]) {
      expect(replyOf(value)).toBeUndefined();
    }
  });
});
