import { expect, it } from 'vitest';
import { TokenFloor, describeUsage, tokensIn } from '../../../src/adapters/llm/usage.ts';

it.each([
  [{ isExact: true, inputTokens: 10, outputTokens: 25 }, '10 input and 25 output tokens'],
  [{ isExact: true, inputTokens: undefined, outputTokens: undefined }, 'no tokens'],
  [{ isExact: false, inputTokens: 10, outputTokens: 3 }, 'unknown, at least 10 input and 3 output tokens'],
  [{ isExact: false, inputTokens: undefined, outputTokens: 3 }, 'unknown, at least 3 output tokens'],
  [{ isExact: false, inputTokens: undefined, outputTokens: undefined }, 'unknown'],
])('S16 says %o as %j', (usage, text) => {
  expect(describeUsage(usage)).toBe(text);
});

function floorOf(...pieces: string[]): TokenFloor {
  const floor = new TokenFloor();
  for (const piece of pieces) floor.add(piece);
  return floor;
}

it.each([
  ['nothing', [], undefined],
  ['only empty deltas', ['', ''], undefined],
  ['one character', ['a'], 1],
  ['one delta of many tokens', ['a long piece of many tokens'], 1],
  ['a delta per token', ['What', ' is', ' this', '?'], 4],
  ['a proxy that streams characters', [...'abcdefgh'], 2],
] as const)('S16 counts %s', (_name, pieces, atLeast) => {
  expect(floorOf(...pieces).atLeast(undefined)).toBe(atLeast);
});

it('S16 takes what the provider reported, if that is more', () => {
  expect(floorOf('a', ' b').atLeast(7)).toBe(7);
  expect(floorOf('a', ' bcde').atLeast(1)).toBe(2);
  expect(floorOf().atLeast(0)).toBeUndefined();
});

it('reads numbers only', () => {
  expect(tokensIn({ a: 5 }, 'a')).toBe(5);
  expect([tokensIn({ a: null }, 'a'), tokensIn(null, 'a'), tokensIn('x', 'length')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
