import { expect, it } from 'vitest';

import {
  argumentsOf,
  each,
  given,
  inputOf,
  outputOf,
  textOf,
  userSays,
  writeRound,
  type Writer,
} from '../../../../../src/testing/fast-check/transcripts/writers/writer.ts';

const call = { mark: '7', id: undefined, name: 'read', isHalf: false };
const result = { mark: '7', id: undefined, name: 'read', isOrphan: false };

it('a field with an id is there exactly if the id is, also an empty one', () => {
  expect([given('a', 'id'), given('', 'id'), given(undefined, 'id')]).toEqual([{ id: 'a' }, { id: '' }, {}]);
});

it('what a call was given and what its tool gave carry its mark, also cut', () => {
  const half = { ...call, isHalf: true };
  expect([argumentsOf(call), textOf(call), inputOf(call)]).toEqual([{ of: 'call<7>' }, '{"of":"call<7>"}', { of: 'call<7>' }]); // prettier-ignore
  expect([textOf(half), inputOf(half), outputOf(result)]).toEqual(['{"of":"call<7', '{"of":"call<7', 'result<7>']);
});

it('each result is written by itself, in order', () => {
  const write = each(({ mark }) => ({ mark }));
  expect([write([]), write([result, { ...result, mark: '8' }])]).toEqual([[], [{ mark: '7' }, { mark: '8' }]]);
});

it('a round is its prompt, its replies, its results, and each reply sees the results', () => {
  const seen: unknown[] = [];
  const writer: Writer = {
    prompt: userSays,
    reply: ({ text }, results) => {
      seen.push(results);
      return [{ text }];
    },
    results: (results) => results.map(() => ({ result: true })),
  };
  const replies = ['one', 'two'].map((text) => ({ text, calls: [] }));
  expect(writeRound(writer, { prompt: 'go', replies, results: [result] })).toEqual([
    { role: 'user', content: 'go' },
    { text: 'one' },
    { text: 'two' },
    { result: true },
  ]);
  expect(seen).toEqual([[result], [result]]);
});
