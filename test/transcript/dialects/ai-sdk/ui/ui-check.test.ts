import { describe, expect, it } from 'vitest';

import { checkTranscript } from '../../../../../src/transcript/index.ts';
import { aiSDKUI } from '../../../../../src/transcript/dialects/ai-sdk/index.ts';
import type { AISDKUIMessage } from '../../../../../src/transcript/dialects/ai-sdk/message.ts';

const call = (toolCallId: string, state: string, more: object = {}) => ({
  ...{ type: 'tool-read', toolCallId, state, input: {} },
  ...more,
});
const done = (id: string, more: object = {}) => call(id, 'output-available', { output: 1, ...more });
const step = { type: 'step-start' };
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });
const reasoning = { type: 'reasoning', text: 'Hm', state: 'done' };
const reply = (...parts: { readonly type: string; readonly [field: string]: unknown }[]): AISDKUIMessage => ({
  id: 'm',
  role: 'assistant',
  parts,
});
const hello: AISDKUIMessage = { id: 'u', role: 'user', parts: [text('Hello')] };
const allowed = { approval: { id: 'q', approved: true } };

function check(...messages: AISDKUIMessage[]): string[] {
  return checkTranscript(messages, { dialect: aiSDKUI }).map(({ at, rule }) => `${at} ${rule}`);
}

describe('a legal history', () => {
  it.each<[string, AISDKUIMessage[]]>([
    ['talk', [hello, reply(step, reasoning, text('Hi.', { state: 'done' }))]],
    ['every end', [reply(done('a'), call('b', 'output-error', { errorText: 'no' })), hello]],
    ['a refusal', [reply(call('a', 'output-denied', { approval: { id: 'q', approved: false } })), hello]],
    ['a decision that is about to be carried out', [reply(step, call('a', 'approval-responded', allowed))]],
    [
      'a call without an end, by whose id the page is told it',
      [reply(step, done('a'), step, call('a', 'approval-responded', allowed))],
    ],
    ['a tool of the provider that goes on', [reply(call('a', 'input-available', { providerExecuted: true }))]],
    ['one of a run time', [reply({ ...done('a'), type: 'dynamic-tool', toolName: 'x' }, step, text('x'))]],
    ['sources after the end', [reply(text('x'), { type: 'source-url' })]],
    ['a file', [reply({ type: 'file' })]],
  ])('%s', (_what, messages) => {
    expect(check(...messages)).toEqual([]);
  });
});

describe('each rule finds its breach', () => {
  it.each<[string, AISDKUIMessage[]]>([
    ['0 call-answered', [reply(call('a', 'input-available'))]],
    ['0 call-answered', [reply(call('a', 'approval-requested', { approval: { id: 'q' } }))]],
    ['0 call-answered', [reply(call('a', 'approval-responded', allowed)), hello]],
    ['0 call-answered', [reply(call('a', 'approval-responded', allowed), step, text('x'))]],
    ['0 call-answered', [reply(call('a', 'approval-responded'))]],
    ['0 call-answered', [reply(done('a', { preliminary: true }))]],
    ['0 call-answered', [reply(call('a', 'vanished'))]],
    ['0 call-id', [reply(step, done('a'), step, done('a'))]],
    ['0 call-id', [reply(done('a'), done('a'))]],
    ['0 call-id', [reply(done(''))]],
    ['0 call-id', [reply({ ...done('a'), type: 'dynamic-tool' })]],
    ['0 call-arguments', [reply(call('a', 'input-streaming'))]],
    ['0 server-call-answered', [reply(call('a', 'input-available', { providerExecuted: true })), hello]],
    ['0 result-content', [reply(call('b', 'output-error', { errorText: ' ' }))]],
    ['0 result-content', [reply(call('a', 'output-error'))]],
    ['0 result-content', [reply(call('a', 'output-error', { errorText: 'x', approval: { id: 'q' } }))]],
    ['0 result-content', [reply(done('a', { approval: { id: 'q' } }))]],
    ['0 result-content', [reply(call('a', 'output-denied'))]],
    ['0 part-done', [reply(text('x', { state: 'streaming' }))]],
    ['0 text-not-empty', [reply(text(' '), text('x'))]],
    ['0 text-not-empty', [reply({ type: 'reasoning', text: '' }, text('x'))]],
    ['0 thinking-not-last', [reply(step, text('x'), reasoning, { type: 'source-url' })]],
    ['0 thinking-not-last', [reply(step, text('x'), reasoning, step, { type: 'data-x' })]],
    ['0 thinking-not-last', [reply(reasoning, { type: 'steering-message' }, text('x'))]],
    ['0 message-not-empty', [reply(step)]],
    ['0 message-not-empty', [{ id: 'u', role: 'user', parts: [] }]],
  ])('%s %#', (violation, messages) => {
    expect(check(...messages)).toEqual([violation]);
  });
});
