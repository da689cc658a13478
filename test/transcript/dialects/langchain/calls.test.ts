import { describe, expect, it } from 'vitest';

import { callsOf, entryOf, isCallBlock } from '../../../../src/transcript/dialects/langchain/calls.ts';

const call = (id: string, args: unknown = { x: 1 }) => ({ id, name: 'read', args, type: 'tool_call' });
const openai = (id: string, json: string) => ({ id, type: 'function', function: { name: 'read', arguments: json } });
const reply = (more: object) => ({ role: 'assistant', content: '', ...more });
const seen = (more: object) =>
  callsOf(reply(more)).map(({ id, name, args, place }) => [id, name, args && JSON.stringify(args), place]);

describe('callsOf', () => {
  it.each<[string, object, unknown[]]>([
    ['listed', { tool_calls: [call('a')] }, ['a', 'read', '{"x":1}', 'listed']],
    ['in the words of OpenAI', { tool_calls: [openai('a', '{"x":1}')] }, ['a', 'read', '{"x":1}', 'listed']],
    ['cut', { tool_calls: [openai('a', '{"x')] }, ['a', 'read', undefined, 'listed']],
    ['without arguments', { tool_calls: [call('a', null)] }, ['a', 'read', undefined, 'listed']],
    ['raw', { tool_calls: [], additional_kwargs: { tool_calls: [openai('a', '{}')] } }, ['a', 'read', '{}', 'raw']],
    [
      'in the content of Anthropic',
      { content: [{ type: 'tool_use', id: 'a', name: 'read', input: '{"x":1}' }] },
      ['a', 'read', '{"x":1}', 'block'],
    ],
    ['in a content block', { content: [{ ...call('a') }] }, ['a', 'read', '{"x":1}', 'block']],
    [
      'that could not be parsed',
      { invalid_tool_calls: [{ id: 'a', name: 'read', args: '{"x' }] },
      ['a', 'read', undefined, 'invalid'],
    ],
    ['without a name', { tool_calls: [{ id: 'a', args: {} }] }, ['a', undefined, '{}', 'listed']],
  ])('a call %s', (_how, more, expected) => {
    expect(seen(more)).toEqual([expected]);
  });

  it('reads each once: listed before raw, before content, before what could not be parsed', () => {
    const everywhere = {
      tool_calls: [call('a')],
      additional_kwargs: { tool_calls: [openai('z', '{}')] },
      content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }],
      invalid_tool_calls: [{ id: 'a', name: 'read' }, { id: 'b', name: 'read' }, { name: 'nameless' }],
    };
    expect(seen(everywhere).map(([id, , , place]) => [id, place])).toEqual([
      ['a', 'listed'],
      ['b', 'invalid'],
    ]);
  });

  it('believes the chunks where the arguments were read leniently', () => {
    const chunk = (more: object) => ({ type: 'tool_call_chunk', ...more });
    const streamed = (...tool_call_chunks: object[]) => seen({ tool_calls: [call('a')], tool_call_chunks })[0]?.[2];
    expect(streamed(chunk({ id: 'a', index: 0, args: '{"x"' }), chunk({ index: 0, args: ':1}' }))).toBe('{"x":1}');
    expect(streamed(chunk({ id: 'a', index: 0, args: '{"x"' }), chunk({ index: 1, args: ':1}' }))).toBeUndefined();
    expect(streamed(chunk({ id: 'a', index: 0, args: '' }))).toBe('{"x":1}');
    expect(streamed(chunk({ id: 'a', index: 0, args: 'ls', isCustomTool: true }))).toBe('{"x":1}');
    expect(streamed(chunk({ id: 'b', index: 0, args: '{' }))).toBe('{"x":1}');
  });
});

it('writes each as an entry of tool_calls, its own where that is whole', () => {
  const whole = call('a');
  expect(callsOf(reply({ tool_calls: [whole] })).map(entryOf)[0]).toBe(whole);
  expect(callsOf(reply({ tool_calls: [call('a', null)] })).map(entryOf)).toEqual([call('a', {})]);
  expect(callsOf(reply({ tool_calls: [openai('a', '{"')] })).map(entryOf)).toEqual([openai('a', '{}')]);
  expect(callsOf(reply({ additional_kwargs: { tool_calls: [openai('a', '{"x":1}')] } })).map(entryOf)).toEqual([
    call('a'),
  ]);
  expect(callsOf(reply({ invalid_tool_calls: [{ id: 'a', name: 'read', error: 'x' }] })).map(entryOf)).toEqual([
    call('a', {}),
  ]);
  expect(['tool_use', 'tool_call', 'text'].map((type) => isCallBlock({ type }))).toEqual([true, true, false]);
});
