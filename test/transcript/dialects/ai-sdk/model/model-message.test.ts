import { describe, expect, it } from 'vitest';

import type { AISDKMessage } from '../../../../../src/transcript/dialects/ai-sdk/message.ts';
import {
  callIdOf,
  isServerCall,
  nameOf,
  partsOf,
  replyOf,
  wholeInput,
} from '../../../../../src/transcript/dialects/ai-sdk/model/model-message.ts';

const call = (more: object = {}) => ({ type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {}, ...more });
const reply = (...content: { type: string }[]): AISDKMessage => ({ role: 'assistant', content });

describe('reading a message', () => {
  it('reads content as parts, whatever form it has', () => {
    expect(partsOf({ role: 'user', content: 'x' })).toEqual([{ type: 'text', text: 'x' }]);
    expect(partsOf({ role: 'tool', content: 'x' })).toEqual([]);
    expect(partsOf(reply(call()))).toEqual([call()]);
  });

  it('reads a call', () => {
    expect([callIdOf(call()), nameOf(call()), isServerCall(call())]).toEqual(['a', 'read', false]);
    expect([callIdOf(call({ toolCallId: '' })), nameOf(call({ toolName: 7 }))]).toEqual([undefined, undefined]);
    expect(isServerCall(call({ providerExecuted: true }))).toBe(true);
  });

  it.each([
    [{ path: 1 }, { path: 1 }],
    ['{"path":1}', { path: 1 }],
    ['ls -la', 'ls -la'],
    ['{"pa', undefined],
    [' ', undefined],
    [[], undefined],
    [undefined, undefined],
  ])('the input %j is whole as %j', (input, whole) => {
    expect(wholeInput(call({ input }))).toEqual(whole);
  });
});

describe('replyOf', () => {
  it.each([
    ['x', { role: 'assistant', content: 'x' }],
    [reply(call()), reply(call())],
    [{ role: 'assistant', content: 7 }, undefined],
    [{ role: 'user', content: 'x' }, undefined],
    [7, undefined],
  ])('takes %j for a partial as %j', (value, message) => {
    expect(replyOf(value)).toEqual(message);
  });
});
