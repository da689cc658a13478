import { describe, expect, it } from 'vitest';

import {
  callOf,
  geminiTurns,
  isEmptyPart,
  keyOf,
  partsOf,
  requireContent,
  responseOf,
  saidIn,
  withoutThoughts,
} from '../../../../src/transcript/dialects/gemini/content.ts';

const model = (...parts: object[]) => ({ role: 'model', parts });

describe('reading a content', () => {
  it('knows who speaks, and says something for the model', () => {
    expect(['user', 'model', 'system'].map((role) => geminiTurns.isPrompt({ role, parts: [{ text: 'x' }] }))).toEqual([
      true,
      false,
      false,
    ]);
    expect(geminiTurns.isPrompt({ role: 'user', parts: [{ functionResponse: { name: 'a' } }] })).toBe(false);
    expect([geminiTurns.isReply(model()), geminiTurns.isReply({ role: 'user' })]).toEqual([true, false]);
    expect(geminiTurns.say('x')).toEqual(model({ text: 'x' }));
  });

  it('leaves out of a cut reply what cannot go back', () => {
    const half = { functionCall: { name: 'b', willContinue: true } };
    const signed = { text: '', thoughtSignature: 's' };
    expect(withoutThoughts(model({ text: 'Hm', thought: true }, { text: 'Half' }, half, signed))).toEqual(
      model({ text: 'Half' }, signed),
    );
    expect(withoutThoughts(model({ text: ' ' }, signed))).toEqual(model());
  });

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
