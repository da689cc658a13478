import { describe, expect, it } from 'vitest';

import {
  callOf,
  geminiReplies,
  isEmptyPart,
  keyOf,
  partsOf,
  requireContent,
  responseOf,
  saidIn,
} from '../../../../src/transcript/dialects/gemini/content.ts';

const model = (...parts: object[]) => ({ role: 'model', parts });

describe('reading a content', () => {
  it('takes its parts, calls and responses', () => {
    expect(partsOf({})).toEqual([]);
    expect([callOf({ functionCall: { name: 'a' } }), callOf({ functionCall: 7 })]).toEqual([{ name: 'a' }, undefined]);
    expect(responseOf({ functionResponse: { name: 'a' } })).toEqual({ name: 'a' });
    expect([keyOf({ id: '1', name: 'a' }), keyOf({ name: 'a' }), keyOf({})]).toEqual(['1', 'a', undefined]);
  });

  it('knows a part that holds nothing, and a text that was thought', () => {
    expect(
      [{}, { text: '' }, { thought: true }, { text: ' ' }, { text: '', thoughtSignature: 'x' }].map(isEmptyPart),
    ).toEqual([true, true, true, false, false]);
    expect([saidIn({ text: 'x' }), saidIn({ text: 'x', thought: true })]).toEqual(['x', undefined]);
  });

  it('reads a reply', () => {
    expect(
      geminiReplies.parts(
        model({ text: 'Half ' }, { text: 'a ' }, { functionCall: { name: 'b', willContinue: true } }),
      ),
    ).toEqual({
      prose: 'Half a',
      calls: ['b'],
      wholeCalls: [],
      seals: [],
    });
    expect(geminiReplies.parts({ role: 'user' })).toBeUndefined();
  });
});

it.each([
  ['x', 'messages[0] must be an object, got "x"'],
  [{ role: 7 }, 'messages[0].role must be a string, got 7'],
  [{ parts: 'x' }, 'messages[0].parts must be an array, got "x"'],
  [{ parts: ['x'] }, 'messages[0].parts[0] must be an object, got "x"'],
])('refuses %j', (value, message) => {
  expect(() => {
    requireContent('messages[0]', value);
  }).toThrow(new TypeError(message));
  requireContent('messages[0]', {});
});
