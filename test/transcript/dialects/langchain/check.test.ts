import { describe, expect, it } from 'vitest';

import { checkTranscript } from '../../../../src/transcript/index.ts';
import { langchain, type LangChainMessage } from '../../../../src/transcript/dialects/langchain/index.ts';

const call = (id: string, args: unknown = {}, name = 'read') => ({ type: 'tool_call', id, name, args });
const openai = (id: string, json: string) => ({ id, type: 'function', function: { name: 'read', arguments: json } });
const reply = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more });
const calls = (...tool_calls: object[]) => reply('', { tool_calls });
const tool = (tool_call_id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id, content });
const text = (words: string) => ({ type: 'text', text: words });
/** A reply of Anthropic's in LangChain's standard blocks. */
const standard = (content: unknown, more: object = {}) =>
  reply(content, { response_metadata: { output_version: 'v1', model_provider: 'anthropic' }, ...more });
const thought = { type: 'reasoning', reasoning: 'Hm', signature: 's' };

function check(...messages: LangChainMessage[]): string[] {
  return checkTranscript(messages, { dialect: langchain }).map(({ at, rule }) => `${at} ${rule}`);
}

describe('a legal history', () => {
  it.each<[string, LangChainMessage[]]>([
    ['talk, in every form', [['system', 'x'], 'Hello', reply('Hi.'), { type: 'human', content: 'x' }]],
    ['parallel calls, answered in order', [calls(call('a'), openai('b', '{}')), tool('a'), tool('b', ''), 'Hello']],
    [
      'calls in the content and in the list',
      [reply([{ type: 'tool_use', id: 'a' }], { tool_calls: [call('a')] }), tool('a')],
    ],
    [
      'standard blocks, signed and with their calls',
      [standard([thought, call('a')], { tool_calls: [call('a')] }), tool('a')],
    ],
    ['reasoning that nobody signs', [reply([{ type: 'reasoning', reasoning: 'Hm' }, text('x')])]],
    ['what could not be parsed and is not sent', [reply('x', { invalid_tool_calls: [{ id: 'a', name: 'read' }] })]],
    ['a refusal', [reply('', { additional_kwargs: { refusal: 'No.' } })]],
    [
      'chunks that are whole',
      [reply('', { tool_calls: [call('a')], tool_call_chunks: [{ id: 'a', args: '{}' }] }), tool('a')],
    ],
  ])('%s', (_what, messages) => {
    expect(check(...messages)).toEqual([]);
  });
});

describe('each rule finds its breach', () => {
  const cut = {
    tool_calls: [call('a')],
    tool_call_chunks: [
      { id: 'a', index: 0, args: '{"' },
      { index: 0, args: 'x' },
    ],
  };
  it.each<[string, LangChainMessage[]]>([
    ['0 call-answered', [calls(call('a'))]],
    ['0 call-answered', [calls(call('a'), call('b')), tool('b'), 'Hello']],
    ['0 results-in-order', [calls(call('a'), call('b')), tool('b'), tool('a')]],
    ['0 result-has-call', [tool('a')]],
    ['1 result-has-call', [reply('x', { invalid_tool_calls: [{ id: 'a', name: 'read' }] }), tool('a')]],
    ['2 one-result-per-call', [calls(call('a')), tool('a'), tool('a')]],
    ['0 call-id', [calls(call('a'), call('a')), tool('a')]],
    ['0 call-id', [calls(call('a', {}, '')), tool('a')]],
    ['2 call-id', [calls(call('a')), tool('a'), calls(call('a')), tool('a')]],
    ['0 call-arguments', [calls(call('a', null)), tool('a')]],
    ['0 call-arguments', [calls(openai('a', '{"')), tool('a')]],
    ['0 call-arguments', [reply('', cut), tool('a')]],
    ['0 call-listed', [reply('x', { additional_kwargs: { tool_calls: [openai('a', '{}')] } })]],
    ['0 call-listed', [reply([text('x'), { type: 'tool_use', id: 'a', name: 'read', input: {} }])]],
    ['0 thinking-signed', [reply([{ type: 'thinking', thinking: 'Hm' }, text('x')])]],
    ['0 thinking-signed', [reply([{ type: 'redacted_thinking' }, text('x')])]],
    ['0 thinking-not-last', [reply([{ type: 'thinking', thinking: 'Hm', signature: 's' }])]],
    ['0 thinking-signed', [standard([{ ...thought, signature: '' }, text('x')])]],
    [
      '0 thinking-signed',
      [standard([thought, { type: 'non_standard', value: { type: 'thinking', signature: 's' } }, text('x')])],
    ],
    ['0 thinking-not-last', [standard([text('x'), thought])]],
    ['0 call-listed', [standard([text('x')], { tool_calls: [call('a')] }), tool('a')]],
    ['0 text-not-empty', [reply([text(' '), text('x')])]],
    ['0 message-not-empty', [reply('')]],
    ['0 message-not-empty', [reply([])]],
    ['1 result-content', [calls(call('a')), tool('a', null)]],
    ['1 result-content', [calls(call('a')), tool('a', [])]],
  ])('%s %#', (violation, messages) => {
    expect(check(...messages)).toEqual([violation]);
  });
});

it('a call that only what is sent in the place of a message has is a breach', () => {
  const output = [{ type: 'function_call', call_id: 'b', name: 'read', arguments: '{}' }];
  const sent = reply('', { tool_calls: [call('a')], response_metadata: { output } });
  expect(check('Go.', sent, tool('a'))).toEqual(['1 call-listed']);
});
