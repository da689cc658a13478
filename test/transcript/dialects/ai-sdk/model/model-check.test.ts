import { describe, expect, it } from 'vitest';

import { checkTranscript } from '../../../../../src/transcript/index.ts';
import { aiSDK } from '../../../../../src/transcript/dialects/ai-sdk/index.ts';
import type { AISDKMessage } from '../../../../../src/transcript/dialects/ai-sdk/message.ts';

type Parts = readonly { readonly type: string; readonly [field: string]: unknown }[];

const call = (toolCallId: string, more: object = {}) => ({
  ...{ type: 'tool-call', toolCallId, toolName: 'read', input: {} },
  ...more,
});
const server = (id: string) => call(id, { providerExecuted: true });
const result = (toolCallId: string, output: object | undefined = { type: 'text', value: 'x' }) => ({
  ...{ type: 'tool-result', toolCallId, toolName: 'read', output },
});
const ask = (toolCallId: string) => ({ type: 'tool-approval-request', approvalId: `q${toolCallId}`, toolCallId });
const decide = (id: string) => ({ type: 'tool-approval-response', approvalId: `q${id}`, approved: true });
const assistant = (...content: Parts): AISDKMessage => ({ role: 'assistant', content });
const tool = (...content: Parts): AISDKMessage => ({ role: 'tool', content });
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });
const reasoning = { type: 'reasoning', text: 'Hm' };
const hello: AISDKMessage = { role: 'user', content: 'Hello' };

function check(...messages: AISDKMessage[]): string[] {
  return checkTranscript(messages, { dialect: aiSDK }).map(({ at, rule }) => `${at} ${rule}`);
}

describe('a legal history', () => {
  it.each<[string, AISDKMessage[]]>([
    ['talk', [{ role: 'system', content: 'x' }, hello, { role: 'assistant', content: 'Hi.' }]],
    [
      'parallel calls, answered in any order and message',
      [assistant(call('a'), call('b')), tool(result('b')), tool(result('a')), hello],
    ],
    [
      'a tool of the provider by the id of another',
      [assistant(server('a'), result('a')), assistant(server('a'), result('a'), text('x'))],
    ],
    ['a decision that is about to be carried out', [assistant(call('a'), ask('a')), tool(decide('a'))]],
    ['a decision and its result', [assistant(call('a'), ask('a')), tool(decide('a'), result('a')), hello]],
    ['a tool of the provider', [assistant(server('a'), result('a'), text('x')), hello]],
    ['one whose result comes later', [assistant(server('a')), assistant(result('a'), text('x')), hello]],
    ['one that goes on', [hello, assistant(text('x'), server('a'))]],
    ['reasoning before what it led to', [assistant(reasoning, text('x'))]],
    ['an empty text that holds an id', [assistant(text('', { providerOptions: { openai: { itemId: 'm' } } }))]],
    ['a tool that takes any text', [assistant(call('a', { input: 'ls (' })), tool(result('a'))]],
  ])('%s', (_what, messages) => {
    expect(check(...messages)).toEqual([]);
  });
});

describe('each rule finds its breach', () => {
  it.each<[string, AISDKMessage[]]>([
    ['0 call-answered', [assistant(call('a'))]],
    ['0 call-answered', [assistant(call('a'), call('b')), tool(result('a')), hello]],
    ['0 call-answered', [assistant(call('a'), ask('a'))]],
    ['0 call-answered', [assistant(call('a'), ask('a')), tool(decide('a')), hello]],
    ['0 call-answered', [assistant(call('a'), ask('a'), call('b')), tool(decide('a')), tool(result('b'))]],
    ['0 result-has-call', [tool(result('a'))]],
    ['0 result-has-call', [assistant(result('a'), text('x'))]],
    ['1 result-has-call', [assistant(text('x')), tool(result('a'))]],
    ['1 one-result-per-call', [assistant(call('a')), tool(result('a'), result('a'))]],
    ['0 call-id', [assistant(call('a'), call('a')), tool(result('a'))]],
    ['0 call-id', [assistant(call('a', { toolName: '' })), tool(result('a'))]],
    ['2 call-id', [assistant(call('a')), tool(result('a')), assistant(call('a')), tool(result('a'))]],
    ['0 call-arguments', [assistant(call('a', { input: '{"pa' })), tool(result('a'))]],
    ['0 call-arguments', [assistant(call('a', { input: undefined })), tool(result('a'))]],
    ['0 approval-has-call', [assistant(text('x'), ask('a'))]],
    ['0 approval-has-call', [assistant(call('a'), ask('a'), { ...ask('a'), approvalId: 'r' }), tool(result('a'))]],
    ['0 approval-has-call', [tool(decide('a'))]],
    ['1 approval-has-call', [assistant(call('a'), ask('a')), tool(decide('a'), decide('a'), result('a'))]],
    ['0 server-call-answered', [assistant(server('a')), hello]],
    ['0 server-call-answered', [assistant(server('a')), assistant(server('a'), result('a'))]],
    ['0 message-not-empty', [assistant()]],
    ['0 message-not-empty', [{ role: 'assistant', content: ' ' }]],
    ['1 message-not-empty', [assistant(text('x')), tool()]],
    ['0 text-not-empty', [assistant(text(''), text('x'))]],
    ['0 text-not-empty', [assistant({ type: 'reasoning', text: '' }, text('x'))]],
    ['0 thinking-not-last', [assistant(reasoning)]],
    ['0 thinking-not-last', [assistant(call('a'), reasoning, ask('a')), tool(result('a'))]],
    ['1 result-content', [assistant(call('a')), tool({ type: 'tool-result', toolCallId: 'a' })]],
    ['1 result-content', [assistant(call('a')), tool(result('a', { type: 'content', value: 'x' }))]],
    ['1 result-content', [assistant(call('a')), tool(result('a', { type: 'nonsense' }))]],
  ])('%s %#', (violation, messages) => {
    expect(check(...messages)).toEqual([violation]);
  });
});
