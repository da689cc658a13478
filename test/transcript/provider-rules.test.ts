import { describe, expect, it } from 'vitest';

import { createReason } from '../../src/core/foundation/reason.ts';
import type { ToolOutcome } from '../../src/core/interrupt/public-types/outcomes.ts';
import { refuseAnthropic, refuseOpenAIChat } from '../../src/testing/model-server/transcript-rules/index.ts';
import { settleTranscript, wordingTable } from '../../src/transcript/index.ts';
import { anthropic, type AnthropicMessage } from '../../src/transcript/dialects/anthropic/index.ts';
import { openaiChat, type OpenAIChatMessage } from '../../src/transcript/dialects/openai-chat/index.ts';

/** Each sentence of what a provider demands: broken, refused; settled, accepted, and nothing completed is lost. */
const reason = createReason({ kind: 'user', at: 1 });

describe('anthropic', () => {
  const hello = { role: 'user', content: 'Hello' } as const;
  const use = (id: string) => ({ type: 'tool_use', id, name: 'read', input: {} });
  const result = (id: string, content = 'ok') => ({ type: 'tool_result', tool_use_id: id, content });
  const says = (...content: { readonly type: string }[]): AnthropicMessage => ({ role: 'assistant', content });
  const answers = (...content: { readonly type: string }[]): AnthropicMessage => ({ role: 'user', content });
  const text = { type: 'text', text: 'And now?' };
  const signed = { type: 'thinking', thinking: 'Hm.', signature: 'sig' };
  const words = (id: string) => ({ ...result(id, wordingTable.unknown.unrecorded), is_error: true });

  it.each<[string, AnthropicMessage[], AnthropicMessage[]]>([
    [
      'every tool_use is answered in the immediately following user message',
      [hello, says(use('a')), hello],
      [hello, says(use('a')), answers(words('a'), { type: 'text', text: 'Hello' } as never)],
    ],
    ['no result without its use', [hello, answers(result('z'), text)], [hello, answers(text)]],
    [
      'results come first in that message, text after',
      [hello, says(use('a')), answers(text, result('a'))],
      [hello, says(use('a')), answers(result('a'), text)],
    ],
    [
      'one result per id',
      [hello, says(use('a')), answers(result('a'), result('a'))],
      [hello, says(use('a')), answers(result('a'))],
    ],
    [
      'all results of one assistant turn in one message',
      [hello, says(use('a'), use('b')), answers(result('a')), answers(result('b'), text)],
      [hello, says(use('a'), use('b')), answers(result('a'), result('b')), answers(text)],
    ],
    [
      'a block cut before its signature is removed',
      [hello, says({ type: 'thinking', thinking: 'H', signature: '' } as never, text), hello],
      [hello, says(text), hello],
    ],
    [
      'and an assistant message that held nothing else goes with it',
      [hello, says({ type: 'thinking', thinking: 'H', signature: '' } as never), hello],
      [hello, hello],
    ],
    [
      'no empty text blocks',
      [hello, says({ type: 'text', text: '' } as never, text), hello],
      [hello, says(text), hello],
    ],
    [
      'final assistant text does not end in white space',
      [hello, { role: 'assistant', content: 'Half a ' }],
      [hello, { role: 'assistant', content: 'Half a' }],
    ],
  ])('%s', (_rule, broken, expected) => {
    const body = (messages: readonly AnthropicMessage[]) => ({ model: 'm', max_tokens: 1, messages });
    expect(refuseAnthropic(body(broken))).toBeDefined();
    const { messages, changes } = settleTranscript(broken, { dialect: anthropic });
    expect(messages).toEqual(expected);
    expect(refuseAnthropic(body(messages))).toBeUndefined();
    for (const { what } of changes) expect(what).toMatch(/^\w+ .{10,}/);
    expect(changes).not.toEqual([]);
  });

  it('a signed thinking block is replayed byte-identical while its tool cycle is open', () => {
    const open = says(signed, use('a'));
    const { messages } = settleTranscript([hello, open], { dialect: anthropic });
    expect(messages[1]).toBe(open);
  });

  it('interrupted results carry is_error: true, and real ones do not', () => {
    const row = { name: 'read', call: {}, ms: 1 };
    const outcomes: ToolOutcome[] = [
      { ...row, id: 'a', status: 'stopped', reason },
      { ...row, id: 'b', status: 'completed', value: 'real' },
    ];
    const { messages } = settleTranscript([hello, says(use('a'), use('b'))], { dialect: anthropic, outcomes });
    expect(messages[2]?.content).toEqual([
      { ...result('a', wordingTable.user.stopped), is_error: true },
      result('b', 'real'),
    ]);
  });
});

describe('openai-chat', () => {
  const hello: OpenAIChatMessage = { role: 'user', content: 'Hello' };
  const call = (id: string, args = '{}') => ({ id, type: 'function', function: { name: 'read', arguments: args } });
  const calls = (...tool_calls: object[]) => ({ role: 'assistant', content: null, tool_calls }) as OpenAIChatMessage;
  const tool = (tool_call_id: string, content = 'ok') => ({ role: 'tool', tool_call_id, content }) as OpenAIChatMessage;

  it.each<[string, OpenAIChatMessage[], OpenAIChatMessage[]]>([
    [
      'every tool_calls[].id has a tool message before any other role',
      [hello, calls(call('a')), hello, tool('a')],
      [hello, calls(call('a')), tool('a'), hello],
    ],
    ['no tool message without its call', [hello, tool('a')], [hello]],
    ['half-streamed arguments: drop the call', [hello, calls(call('a', '{"pa'))], [hello]],
    [
      'an assistant message with neither content nor calls is dropped',
      [hello, { role: 'assistant', content: null }, hello],
      [hello, hello],
    ],
  ])('%s', (_rule, broken, expected) => {
    expect(refuseOpenAIChat({ model: 'm', messages: broken })).toBeDefined();
    const { messages, changes } = settleTranscript(broken, { dialect: openaiChat });
    expect(messages).toEqual(expected);
    expect(refuseOpenAIChat({ model: 'm', messages })).toBeUndefined();
    for (const { what } of changes) expect(what).toMatch(/^\w+ .{10,}/);
    expect(changes).not.toEqual([]);
  });

  it('or replace them by {} when an outcome exists', () => {
    const outcomes: ToolOutcome[] = [{ id: 'a', name: 'read', call: {}, ms: 1, status: 'stopped', reason }];
    const { messages } = settleTranscript([hello, calls(call('a', '{"pa'))], { dialect: openaiChat, outcomes });
    expect(messages.slice(1)).toEqual([calls(call('a')), tool('a', wordingTable.user.stopped)]);
  });
});
