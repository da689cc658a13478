import { describe, expect, it } from 'vitest';

import { abortedReply, keepWhatWasSaid, keptReply, resultOf, shownOf } from '../../../src/adapters/pi/words.ts';
import { createReason } from '../../../src/core/foundation/reason.ts';
import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { callPart, replyOf, textPart } from './support/fake-pi.ts';

const reason = createReason('user');
const row = { id: 'x', name: 'pay', call: {}, ms: 1 };
const value = { content: [textPart('paid')], details: { receipt: 4711 } };

describe.each([
  ['openai-chat', openaiChat],
  ['anthropic', anthropic],
])('the words of %s', (_name, dialect) => {
  it.each([
    ['not-started', /not started/],
    ['stopped', /stopped/],
    ['unknown', /may still complete/],
  ] as const)('say of a call that was %s what is known', (status, words) => {
    expect(() => resultOf(dialect, { ...row, status, reason }, reason)).toThrow(words);
  });
});

it('the loop’s messages get what is kept of a cut reply in its place, or lose it', () => {
  const [asked, whole, half, nothing, kept] = ['go', 'whole', 'half', '', 'half, cut'].map((text) =>
    replyOf(textPart(text)),
  );
  const state = { messages: [asked, whole, half, nothing] as object[] };
  keepWhatWasSaid(
    state,
    new Map([
      [half as object, kept],
      [nothing as object, undefined],
    ]),
  );
  expect(state.messages).toEqual([asked, whole, kept]);
});

it('a result before the stop stays as the tool gave it', () => {
  expect(resultOf(openaiChat, { ...row, status: 'completed', value }, undefined)).toBe(value);
});

it('a result after the stop says so, and keeps its words and its details', () => {
  const told = resultOf(openaiChat, { ...row, status: 'completed', value, afterStop: true }, reason);
  expect(told).toMatchObject({ details: { receipt: 4711 } });
  expect(JSON.stringify(told.content)).toMatch(/paid.*after it had been told to stop/);
});

it.each([
  [value, 'paid'],
  ['half of it', 'half of it'],
  [{ content: [textPart('see'), { type: 'image' }], details: {} }, [textPart('see'), { type: 'image' }]],
])('of the result %j the model may see %j, and no details', (result, shown) => {
  expect(shownOf(result)).toEqual(shown);
});

it('a failure is what the tool threw', () => {
  const error = new RangeError('too much');
  expect(() => resultOf(openaiChat, { ...row, status: 'failed', error }, reason)).toThrow(error);
});

it('a no of the person is told in their words', () => {
  const outcome = { ...row, status: 'declined', userMessage: 'not on Fridays' } as const;
  expect(() => resultOf(openaiChat, outcome, undefined)).toThrow('not on Fridays');
});

it('of a cut reply what was said is kept, as a whole reply without calls', () => {
  const reply = abortedReply(replyOf(textPart('one '), callPart('x'), textPart('two')));
  expect(reply).toMatchObject({ stopReason: 'aborted', errorMessage: 'Request cancelled' });
  expect(keptReply(reply)).toEqual(replyOf(textPart('one two')));
  expect(keptReply(reply, (said) => `${said}!`)).toEqual(replyOf(textPart('one two!')));
});

it('of a cut reply that had said nothing nothing is kept', () => {
  expect(keptReply(replyOf(callPart('x'), textPart(' \n')))).toBeUndefined();
});

it('a result after the stop keeps its parts that are no words', () => {
  const image = { type: 'image', data: 'iVBO', mimeType: 'image/png' };
  const seen = { content: [image], details: {} };
  const told = resultOf(openaiChat, { ...row, status: 'completed', value: seen, afterStop: true }, reason);
  expect(told.content).toEqual([
    image,
    { type: 'text', text: expect.stringContaining('after it had been told') as string },
  ]);
});
