import { describe, expect, it } from 'vitest';

import { checkTranscript } from '../../../../src/transcript/index.ts';
import { openaiChat, type OpenAIChatMessage } from '../../../../src/transcript/dialects/openai-chat/index.ts';

const message = (role: string, more: object): OpenAIChatMessage => ({ role, ...more }) as OpenAIChatMessage;
const call = (id: string, args: unknown = '{}', name = 'read') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const calls = (...tool_calls: object[]) => message('assistant', { content: null, tool_calls });
const tool = (tool_call_id: string, content: unknown = 'ok') => message('tool', { tool_call_id, content });
const hello = message('user', { content: 'Hello' });

function check(...messages: OpenAIChatMessage[]): string[] {
  return checkTranscript(messages, { dialect: openaiChat }).map(({ at, rule }) => `${at} ${rule}`);
}

describe('a legal history', () => {
  it.each<[string, OpenAIChatMessage[]]>([
    ['talk', [message('system', { content: 'x' }), hello, message('assistant', { content: 'Hi.' })]],
    ['parallel calls, answered in any order', [calls(call('a'), call('b')), tool('b'), tool('a', ''), hello]],
    [
      'an id that comes again in another round',
      [calls(call('call_0')), tool('call_0'), calls(call('call_0')), tool('call_0')],
    ],
    ['a custom tool', [calls({ id: 'a', type: 'custom', custom: { name: 'sh', input: 'ls (' } }), tool('a')]],
    [
      'what older servers say',
      [message('assistant', { content: null, function_call: { name: 'f', arguments: '{}' } })],
    ],
    ['a voice', [message('assistant', { content: null, audio: { id: 'audio_1' } })]],
    ['names', [message('user', { content: 'x', name: 'Ada' }), message('assistant', { content: 'x', name: 'Bo' })]],
    ['a refusal', [message('assistant', { content: null, refusal: 'No.' })]],
    [
      'parts',
      [
        message('assistant', { content: [{ type: 'text', text: 'x' }] }),
        calls(call('a')),
        tool('a', [{ type: 'text', text: 'x' }]),
      ],
    ],
  ])('%s', (_what, messages) => {
    expect(check(...messages)).toEqual([]);
  });
});

describe('each rule finds its breach', () => {
  it.each<[string, OpenAIChatMessage[]]>([
    ['0 call-answered', [calls(call('a'))]],
    ['0 call-answered', [calls(call('a'), call('b')), tool('a'), hello]],
    ['0 result-has-call', [tool('a')]],
    ['1 result-has-call', [message('assistant', { content: 'x' }), tool('a')]],
    ['2 one-result-per-call', [calls(call('a')), tool('a'), tool('a')]],
    ['0 call-id', [calls(call('a'), call('a')), tool('a')]],
    ['0 call-id', [calls(call('a', '{}', '')), tool('a')]],
    ['0 call-arguments', [calls(call('a', '{"pa')), tool('a')]],
    ['0 call-arguments', [calls(call('a', '')), tool('a')]],
    ['0 call-arguments', [calls(call('a', { x: 1 })), tool('a')]],
    ['0 call-type', [calls({ ...call('a'), type: undefined }), tool('a')]],
    ['0 call-type', [calls({ ...call('a'), type: '' }), tool('a')]],
    ['0 call-type', [calls({ id: 'a', custom: { name: 'sh', input: 'ls (' } }), tool('a')]],
    ['0 call-answered', [calls(call('a')), message('system', { content: 'x' })]],
    ['0 calls-not-empty', [message('assistant', { content: 'x', tool_calls: [] })]],
    ['0 calls-not-empty', [message('assistant', { content: 'x', tool_calls: null })]],
    ['0 content-not-empty', [message('assistant', { content: [], tool_calls: [call('a')] }), tool('a')]],
    ['0 message-not-empty', [message('assistant', { content: '' })]],
    ['0 message-not-empty', [message('assistant', { content: null, refusal: null })]],
    ['0 message-not-empty', [message('assistant', { content: [{ type: 'text', text: '' }] })]],
    ['1 result-content', [calls(call('a')), tool('a', null)]],
    ['1 result-content', [calls(call('a')), tool('a', [])]],
  ])('%s %#', (violation, messages) => {
    expect(check(...messages)).toEqual([violation]);
  });

  it('finds an answer that came after another role', () => {
    expect(check(calls(call('a')), hello, tool('a'))).toEqual(['0 call-answered', '2 result-has-call']);
  });
});
