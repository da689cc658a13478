import { describe, expect, it } from 'vitest';

import { checkTranscript } from '../../../../src/transcript/index.ts';
import { repairWith } from '../../support/repair-with.ts';
import { anthropic, type AnthropicMessage } from '../../../../src/transcript/dialects/anthropic/index.ts';

type Block = { readonly type: string } & Readonly<Record<string, unknown>>;

const text = (value: string): Block => ({ type: 'text', text: value });
const use = (id: string, input: unknown = {}): Block => ({ type: 'tool_use', id, name: 'read', input });
const result = (id: string, more: object = { content: 'ok' }): Block => ({
  type: 'tool_result',
  tool_use_id: id,
  ...more,
});
const user = (...content: Block[]): AnthropicMessage => ({ role: 'user', content });
const assistant = (...content: Block[]): AnthropicMessage => ({ role: 'assistant', content });
const hello: AnthropicMessage = { role: 'user', content: 'Hello' };
const search: Block = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
const image: Block = { type: 'image', source: { type: 'url', url: 'https://x' } };
const found: Block = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };

function check(...messages: AnthropicMessage[]): string[] {
  return checkTranscript(messages, { dialect: anthropic }).map(({ at, rule }) => `${at} ${rule}`);
}

describe('a legal history', () => {
  it.each<[string, AnthropicMessage[]]>([
    ['talk', [hello, { role: 'assistant', content: 'Hi.' }, hello]],
    ['a system message on the way', [hello, { role: 'system', content: 'Be brief.' }]],
    [
      'parallel calls, results in any order, a word after them',
      [hello, assistant(text('Let me see.'), use('a'), use('b')), user(result('b'), result('a'), text('and hurry'))],
    ],
    ['an empty result that is no error', [assistant(use('a')), user(result('a', { content: '' }))]],
    [
      'signed reasoning before a call',
      [assistant({ type: 'thinking', thinking: '', signature: 's' }, use('a')), user(result('a'))],
    ],
    ['a server tool with its result', [hello, assistant(search, found, text('Found.')), hello]],
    [
      'a server tool whose result comes in the next reply',
      [assistant(search, use('a')), user(result('a')), assistant(found, text('x'))],
    ],
    [
      'code that ran on the provider’s side, a remote tool beside it, and a picture for a result',
      [
        assistant(
          { ...search, name: 'code_execution' },
          { ...found, type: 'code_execution_tool_result' },
          { ...search, type: 'mcp_tool_use', id: 'm' },
          { ...found, type: 'mcp_tool_result', tool_use_id: 'm' },
          use('a'),
        ),
        user(result('a', { content: [image], cache_control: { type: 'ephemeral' } }), image),
      ],
    ],
    ['a server tool that is still running', [hello, assistant(text('Let me search.'), search)]],
    ['white space at the end of a reply that is not the last', [{ role: 'assistant', content: 'Hi. ' }, hello]],
  ])('%s', (_what, messages) => {
    expect(check(...messages)).toEqual([]);
  });
});

describe('each rule finds its breach', () => {
  it.each<[string, AnthropicMessage[]]>([
    ['0 message-not-empty', [{ role: 'user', content: ' \n' }]],
    ['1 message-not-empty', [hello, assistant(), hello]],
    ['0 text-not-empty', [assistant(text(''), text('x')), hello]],
    ['1 text-not-empty', [assistant(use('a')), user(result('a', { content: [text(' ')] }))]],
    ['0 call-answered', [assistant(use('a'))]],
    ['0 call-answered', [assistant(use('a')), { role: 'user', content: 'stop' }]],
    ['0 call-answered', [assistant(use('a'), use('b')), user(result('a'))]],
    ['0 result-has-call', [user(result('a'))]],
    ['3 result-has-call', [assistant(use('a')), user(result('a')), assistant(text('x')), user(result('a'))]],
    ['1 one-result-per-call', [assistant(use('a')), user(result('a'), result('a'))]],
    ['1 results-first', [assistant(use('a')), user(text('wait'), result('a'))]],
    ['2 call-id', [assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a'))]],
    ['0 call-id', [assistant({ type: 'tool_use', id: 'a', input: {} }), user(result('a'))]],
    ['0 call-arguments', [assistant(use('a', '{"pa')), user(result('a'))]],
    ['0 call-arguments', [assistant(use('a', [])), user(result('a'))]],
    ['0 call-arguments', [assistant(use('a', null)), user(result('a'))]],
    ['0 thinking-signed', [assistant({ type: 'thinking', thinking: 'half' }, text('x')), hello]],
    ['0 thinking-signed', [assistant({ type: 'redacted_thinking', data: '' }, text('x')), hello]],
    ['0 thinking-not-last', [assistant(text('x'), { type: 'thinking', thinking: 'y', signature: 's' }), hello]],
    ['0 no-trailing-space', [{ role: 'assistant', content: 'Hi. ' }]],
    ['1 no-trailing-space', [hello, assistant(text('Hi.\n'))]],
    ['1 error-says-why', [assistant(use('a')), user(result('a', { content: '', is_error: true }))]],
    ['1 error-says-why', [assistant(use('a')), user(result('a', { content: [], is_error: true }))]],
    ['0 server-call-answered', [assistant(search), hello]],
    ['0 server-call-answered', [assistant(found, text('x')), hello]],
    ['0 server-call-answered', [assistant(search, search)]],
    ['1 server-call-answered', [hello, assistant({ ...search, type: 'mcp_tool_use' }, text('x')), hello]],
    ['1 one-result-per-call', [hello, assistant(search, found, found, text('x')), hello]],
    ['0 block-by-model', [user(use('a'), text('x'))]],
    ['0 block-by-model', [user({ type: 'thinking', thinking: 'x', signature: 's' }, text('x'))]],
    ['0 block-by-model', [user(search, text('x'))]],
    ['1 block-by-model', [hello, user(found, text('x'))]],
    ['1 error-is-text', [assistant(use('a')), user(result('a', { content: [text('x'), image], is_error: true }))]],
    ['0 call-answered', [assistant(use('a')), { role: 'system', content: 'Be brief.' }]],
  ])('%s %#', (violation, messages) => {
    expect(check(...messages)).toEqual([violation]);
  });

  it('finds a result that stands in an assistant message, and that its call stays open', () => {
    expect(check(assistant(use('a')), assistant(result('a')))).toEqual(['0 call-answered', '1 result-has-call']);
  });

  it('finds results that are spread over two messages', () => {
    expect(check(assistant(use('a'), use('b')), user(result('a')), user(result('b')))).toEqual([
      '0 call-answered',
      '2 result-has-call',
    ]);
  });
});

it('takes a conversation that begins with the model, as one of the last messages does', () => {
  const messages = [user(result('a')), assistant(text('Done.')), hello];
  const settled = repairWith(messages, { dialect: anthropic });
  expect(settled.messages).toEqual(messages.slice(1));
  expect(checkTranscript(settled.messages, { dialect: anthropic })).toEqual([]);
});
