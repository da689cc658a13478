import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { learnLikeness } from '../../../../src/testing/program/conversation/likeness.ts';

const line = fc.array(fc.constantFrom('exit', '0', 'ms', ':', '"', 'ok', 'code', '=', 'done'), { maxLength: 12 });
const number = fc.nat(99_999).map(String);

test.prop([fc.array(line, { maxLength: 4 }), fc.array(number, { minLength: 3, maxLength: 3 })])(
  'a text is like those that it was learned from, and with another word in it it is not',
  (lines, [one = '', other = '', third = '']) => {
    const text = (id: string, word = 'end'): string =>
      [...lines.map((tokens) => tokens.join(' ')), `id ${id} ${word}`].join('\n');
    const isLike = learnLikeness([text(one), text(other)]);
    expect([isLike(text(one)), isLike(text(other)), isLike(text(third))]).toEqual([
      true,
      true,
      one !== other || third === one,
    ]);
    expect([isLike(text(one, 'interrupted')), isLike(`${text(one)}\ninterrupted`)]).toEqual([false, false]);
  },
);

it('a gap takes as many words as it had, and what stands between two gaps stays', () => {
  const isLike = learnLikeness(['in 12 ms, rc 0, at 3 of x', 'in 1.2 s, rc 0, at 4 of y']);
  expect([
    isLike('in 8 ms, rc 0, at 9 of z'),
    isLike('in 8 ms, rc 137, at 9 of z'),
    isLike('in 8 ms and more than that, rc 0, at 9 of z'),
  ]).toEqual([true, false, false]);
});

it.each([
  ['done1', 'done2', 'done33', 'halted3'],
  ['完成94abf43f', '完成3ba5c0c6', '完成52527297', '中止52527297'],
  ['run/07-done', 'run/19-done', 'run/20-done', 'run/20-gone'],
  ['7done', '19done', '3done', '3gone'],
  ['took 0.0 s', 'took 1.0 s', 'took 0.5 s', 'took 0.5 min'],
  ['took 7ms', 'took 1.0s', 'took 480ms', 'took over 480ms'],
  ['at 0:00:01, rc 0', 'at 0:01:02, rc 0', 'at 1:00:00, rc 0', 'at 1:00:00, rc 1'],
  ['1/1 done', '1/1 done', '1/1 done', '0/1 done'],
  ['id gd6atuxb, rc 0', 'id s9ol86mr, rc 0', 'id vsgvkryv, rc 0', 'id vsgvkryv, rc 130'],
  ['took 7', 'took 1012', 'took 480', 'took nothing'],
  ['took 0.01 s', 'took 1.01 s', 'took 0.48 s', 'took ? s'],
  ['{"at":17,"x":1}', '{"at":18,"x":1}', '{"at":19,"x":1}', '{"at":null,"x":1}'],
])('from %j and %j another one like %j is known, and %j is not', (one, other, like, unlike) => {
  const isLike = learnLikeness([one, other]);
  expect([isLike(like), isLike(unlike)]).toEqual([true, false]);
});

it('one text is known word for word, and what only one of two has may be there or not', () => {
  expect(['ok 1', 'ok 2', ''].map(learnLikeness(['ok 1']))).toEqual([true, false, false]);
  expect(['', ' ', 'ok'].map(learnLikeness(['']))).toEqual([true, true, false]);
  const isLike = learnLikeness(['ok', 'slow\nok']);
  expect(['ok', 'slow', 'slow\nok', 'fast\nok'].map(isLike)).toEqual([true, false, true, false]);
});

it('what says less than both is not like them', () => {
  const isLike = learnLikeness(['started 7\nfinished in 3 ms', 'started 8\nfinished in 1003 ms']);
  expect(['started 9\nfinished in 480 ms', 'started 9', 'finished in 3 ms', ''].map(isLike)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

it('a text of thousands of words is known word for word, at once', () => {
  const long = 'word '.repeat(20_000);
  const isLike = learnLikeness([`${long}1`, `${long}2`]);
  expect([isLike(`${long}1`), isLike(`${long}2`), isLike(`${long}3`)]).toEqual([true, true, false]);
});
