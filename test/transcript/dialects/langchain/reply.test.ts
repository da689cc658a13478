import { describe, expect, it } from 'vitest';

import { callsOf } from '../../../../src/transcript/dialects/langchain/calls.ts';
import {
  hasItemsOf,
  withCalls,
  withLegalContent,
  withoutLastThoughts,
} from '../../../../src/transcript/dialects/langchain/reply.ts';

const call = (id: string, args: unknown = {}) => ({ type: 'tool_call', id, name: 'read', args });
const raw = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } };

it('leaves a reply whose calls are listed and stay', () => {
  const reply = { role: 'assistant', content: '', tool_calls: [call('a')], additional_kwargs: { tool_calls: [raw] } };
  expect(withCalls(reply, callsOf(reply), false)).toBe(reply);
});

const item = (call_id: string, args = '{}') => ({ type: 'function_call', call_id, name: 'read', arguments: args });

it('knows whether what is sent in the place of a message has its calls alone, and whole', () => {
  const about = (...output: object[]) => ({ response_metadata: { id: 'r', output } });
  const whole = { role: 'assistant', content: 'I', tool_calls: [call('a')], ...about(item('a')) };
  expect(hasItemsOf(whole, callsOf(whole))).toBe(true);
  const more = { ...whole, ...about(item('a'), item('b', '{"pa')) };
  expect(hasItemsOf(more, callsOf(more))).toBe(false);
  const half = { ...whole, tool_calls: [call('a', null)] };
  expect(hasItemsOf(half, callsOf(half))).toBe(false);
});

it('takes a call out of every place where a provider would look for it', () => {
  const reply = {
    role: 'assistant',
    content: [
      { type: 'tool_use', id: 'a', name: 'read', input: '{"' },
      { type: 'text', text: 'I' },
    ],
    tool_calls: [call('a', null)],
    tool_call_chunks: [{ id: 'a', args: '{"' }],
    invalid_tool_calls: [{ id: 'z', name: 'read' }],
    additional_kwargs: { tool_calls: [raw], other: 1 },
  };
  expect(withLegalContent(withCalls(reply, [], false), [])).toEqual({
    role: 'assistant',
    content: [{ type: 'text', text: 'I' }],
    tool_calls: [],
    tool_call_chunks: [],
    invalid_tool_calls: [{ id: 'z', name: 'read' }],
    additional_kwargs: { other: 1 },
  });
});

it('empties the arguments of a call that stays, in every place', () => {
  const reply = {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'a', name: 'read', input: '{"' }, { ...call('b', undefined) }],
    tool_calls: [call('a', null), call('b', null)],
    tool_call_chunks: [{ id: 'a', args: '{"' }],
  };
  const calls = callsOf(reply);
  const chunk = (id: string, index: number) => ({ type: 'tool_call_chunk', id, name: 'read', args: '{}', index });
  expect(withLegalContent(withCalls(reply, calls, false), calls)).toEqual({
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }, call('b')],
    tool_calls: [call('a'), call('b')],
    tool_call_chunks: [chunk('a', 0), chunk('b', 1)],
  });
});

it('leaves an empty text where nothing of the content can be sent', () => {
  const thinking = { type: 'thinking', thinking: 'Hm' };
  const reply = { role: 'assistant', content: [thinking, { type: 'text', text: ' ' }] };
  expect(withLegalContent(reply, [])).toEqual({ role: 'assistant', content: '' });
  expect(withoutLastThoughts({ role: 'assistant', content: [thinking] }, [])).toEqual({
    role: 'assistant',
    content: '',
  });
  for (const one of [reply, 'x']) expect(withoutLastThoughts(one, [])).toBe(one);
  const unsent = { role: 'assistant', content: [thinking], tool_calls: [call('a')] };
  expect(withoutLastThoughts(unsent, callsOf(unsent)), 'the call stands behind it').toBe(unsent);
});

describe('a reply of Anthropic in standard blocks', () => {
  const response_metadata = { output_version: 'v1', model_provider: 'anthropic' };
  const standard = (content: unknown, more: object = {}) => ({
    ...{ role: 'assistant', content, response_metadata },
    ...more,
  });
  const thought = { type: 'reasoning', reasoning: 'Hm', index: 0 };
  const seal = { type: 'non_standard', value: { type: 'thinking', signature: 's', index: 0 } };
  const text = { type: 'text', text: 'I' };

  it('is without a thought that was cut before it was signed', () => {
    expect(withLegalContent(standard([thought, text]), [])).toEqual(standard([text]));
    expect(withoutLastThoughts(standard([text, { ...thought, signature: 's' }]), [])).toEqual(standard([text]));
  });

  it('has the signature in the thought, and its calls in the content', () => {
    const reply = standard([thought, seal, text], { tool_calls: [call('a')] });
    const settled = withLegalContent(reply, callsOf(reply));
    const sealed = { ...thought, signature: 's' };
    expect(settled).toEqual(standard([sealed, text, call('a')], { tool_calls: [call('a')] }));
    expect(withLegalContent(settled, callsOf(settled))).toBe(settled);
  });

  it('of another provider has its calls among them, and no seal', () => {
    const other = { role: 'assistant', content: [thought, text], tool_calls: [call('a')] };
    const reply = { ...other, response_metadata: { ...response_metadata, model_provider: 'openai' } };
    const legal = withLegalContent(reply, callsOf(reply));
    expect(legal).toEqual({ ...reply, content: [thought, text, call('a')] });
    expect(withLegalContent(legal, callsOf(legal))).toBe(legal);
  });
});

it('puts the arguments that a stream left beside a call into the block that is sent', () => {
  const reply = {
    role: 'assistant',
    content: [call('a', ''), { type: 'tool_call_chunk', args: '{"p":1}', index: 0 }, call('b', { q: 2 })],
    tool_calls: [call('a', { p: 1 }), call('b', { q: 2 })],
    response_metadata: { output_version: 'v1', model_provider: 'anthropic' },
  };
  const legal = withLegalContent(reply, callsOf(reply));
  expect((legal as { content?: unknown }).content).toEqual([call('a', { p: 1 }), call('b', { q: 2 })]);
  expect(withLegalContent(legal, callsOf(legal))).toBe(legal);
});
