import { describe, expect, it } from 'vitest';

import type { AISDKUIMessage } from '../../../../../src/transcript/dialects/ai-sdk/message.ts';
import {
  approvalOf,
  callIdOf,
  isBoundary,
  isCall,
  isFinished,
  isServerCall,
  nameOf,
  saysSomething,
  stateOf,
  uiReplies,
  wholeInput,
} from '../../../../../src/transcript/dialects/ai-sdk/ui/ui-message.ts';

const part = (type: string, more: object = {}) => ({ type, ...more });
const call = (state: string, more: object = {}) => part('tool-read', { toolCallId: 'a', state, ...more });

describe('reading a part', () => {
  it('knows calls, of tools by name and of those known at run time', () => {
    const dynamic = part('dynamic-tool', { toolCallId: 'b', toolName: 'run' });
    expect([call('x'), dynamic, part('text')].map(isCall)).toEqual([true, true, false]);
    expect([nameOf(call('x')), nameOf(dynamic), nameOf(part('tool-'))]).toEqual(['read', 'run', undefined]);
    expect([callIdOf(dynamic), stateOf(call('x')), approvalOf(call('x'))]).toEqual(['b', 'x', undefined]);
    expect(approvalOf(call('x', { approval: { id: 'q' } }))).toEqual({ id: 'q' });
  });

  it.each([
    [call('output-available'), true],
    [call('output-available', { preliminary: true }), false],
    [call('output-available', { preliminary: true, providerExecuted: true }), true],
    [call('output-error'), true],
    [call('output-denied'), true],
    [call('input-available'), false],
    [call('approval-responded'), false],
  ])('%j has its result: %s', (one, finished) => {
    expect(isFinished(one)).toBe(finished);
  });

  it.each([
    [call('input-available', { input: { x: 1 } }), { x: 1 }],
    [call('input-available'), {}],
    [call('input-streaming', { input: { x: 1 }, rawInput: '{"x":1' }), undefined],
    [call('input-streaming', { rawInput: '{"x":1}' }), { x: 1 }],
    [call('input-streaming', { input: { x: 1 } }), undefined],
  ])('the input of %j is whole as %j', (one, input) => {
    expect(wholeInput(one)).toEqual(input);
  });

  it('knows where a message for the model ends, and what says nothing', () => {
    expect(['step-start', 'steering-message', 'text'].map((type) => isBoundary(part(type)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(saysSomething([part('step-start'), part('text', { text: ' ' })])).toBe(false);
    expect(saysSomething([part('step-start'), part('file')])).toBe(true);
    expect(isServerCall(call('x', { providerExecuted: true }))).toBe(true);
  });
});

describe('uiReplies', () => {
  const reply = (...parts: { type: string }[]): AISDKUIMessage => ({ role: 'assistant', parts });

  it('reads what identifies a reply', () => {
    const parts = [
      part('reasoning', { text: 'Hm' }),
      part('text', { text: 'I ' }),
      call('input-available'),
      call('input-streaming', { toolCallId: 'b' }),
      call('input-available', { toolCallId: 's', providerExecuted: true }),
    ];
    expect(uiReplies.parts(reply(...parts))).toEqual({
      prose: 'I',
      calls: ['a', 'b'],
      wholeCalls: [expect.objectContaining({ id: 'a', name: 'read' })],
      seals: ['Hm'],
    });
    expect(uiReplies.parts({ role: 'user', parts: [] })).toBeUndefined();
    expect(uiReplies.isPrompt({ role: 'user', parts: [] })).toBe(true);
  });

  it('counts no call as whole that has the id of one of the provider in its step', () => {
    const server = call('input-streaming', { providerExecuted: true });
    const ours = call('output-available', { input: {} });
    const wholeCalls = (...parts: { type: string }[]) =>
      uiReplies.parts(reply(...parts))?.wholeCalls.map(({ id }) => id);
    expect(wholeCalls(server, ours)).toEqual([]);
    expect(wholeCalls(server, part('step-start'), ours)).toEqual(['a']);
  });

  const done = { state: 'done' };
  it.each([
    ['x', reply(part('text', { text: 'x', ...done }))],
    [reply(call('x')), reply(call('x'))],
    [{ role: 'assistant', content: 'x' }, reply(part('text', { text: 'x', ...done }))],
    [{ role: 'user', content: 'x' }, undefined],
    [{ role: 'assistant' }, undefined],
    [7, undefined],
  ])('takes %j for a partial as %j', (value, message) => {
    expect(uiReplies.fromPartial(value)).toEqual(message);
  });

  it('takes a message for the model as the user interface would keep it', () => {
    const options = { providerOptions: { anthropic: { signature: 's' } } };
    const metadata = { anthropic: { signature: 's' } };
    const content = [
      part('reasoning', { text: 'Hm', ...options }),
      part('tool-call', { toolCallId: 'a', toolName: 'read', input: {}, providerExecuted: true, ...options }),
      part('tool-call', { toolCallId: 'b', toolName: 'read', input: {} }),
      part('file'),
    ];
    expect(uiReplies.fromPartial({ role: 'assistant', content })).toEqual(
      reply(
        part('step-start'),
        part('reasoning', { text: 'Hm', ...done, providerMetadata: metadata }),
        call('input-available', { input: {}, providerExecuted: true, callProviderMetadata: metadata }),
        call('input-available', { toolCallId: 'b', input: {} }),
      ),
    );
  });
});
