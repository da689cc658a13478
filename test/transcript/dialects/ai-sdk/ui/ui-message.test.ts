import { describe, expect, it } from 'vitest';

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
