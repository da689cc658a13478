import { beforeEach, expect, it } from 'vitest';

import { readOwedAnswer, type OwedAnswerHost } from '../../../../../src/adapters/internal/keyboard/mode/owed-answer.ts';

const ANSWER = '\x1b[0n';

let now: number;
let files: number;

beforeEach(() => {
  now = 0;
  files = 0;
});

/** A terminal in which these bytes arrive, each at its instant. */
function terminal(bytes: [at: number, text: string][]): OwedAnswerHost {
  return {
    open: () => (files += 1),
    close: () => (files -= 1),
    now: () => now,
    sleep: (ms) => {
      now += ms;
    },
    read: () => {
      const [next] = bytes;
      if (next === undefined || next[0] > now) return undefined;
      bytes.shift();
      return next[1];
    },
  };
}

it('is waited for, and nothing behind it is read', () => {
  const bytes = Array.from(`x${ANSWER}ls`, (text): [number, string] => [100, text]);
  readOwedAnswer(ANSWER, terminal(bytes));
  expect([bytes.map(([, text]) => text).join(''), now, files]).toEqual(['ls', 100, 0]);
});

it('is given up after a while', () => {
  readOwedAnswer(ANSWER, terminal([[5000, 'x']]));
  expect([now, files]).toEqual([300, 0]);
});

it('is nothing where the terminal has gone', () => {
  const gone = (): never => {
    throw new Error('EIO');
  };
  readOwedAnswer(ANSWER, { ...terminal([]), open: gone });
  readOwedAnswer(ANSWER, { ...terminal([]), read: gone });
  expect([now, files]).toEqual([0, 0]);
});
