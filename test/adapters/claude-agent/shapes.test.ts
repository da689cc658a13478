import { expect, it } from 'vitest';

import { blocksOf, isFrame, textsIn } from '../../../src/adapters/claude-agent/shapes.ts';

it('a message of the executable has a type', () => {
  expect([{ type: 'user' }, {}, null, 'text', { type: 7 }].map(isFrame)).toEqual([true, false, false, false, false]);
});

it('the parts of a message are the objects of its list', () => {
  const part = { type: 'text', text: 'a' };
  expect(blocksOf({ type: 'user', message: { content: [part, null, 7] } })).toEqual([part]);
  expect(
    [{ content: 'text' }, {}, null].map((message) => blocksOf({ type: 'user', message: message as never })),
  ).toEqual([[], [], []]);
});

it('the texts of a list are those of its members that are texts', () => {
  expect([textsIn(['a', 7, undefined]), textsIn('a'), textsIn(undefined)]).toEqual([['a'], [], []]);
});
