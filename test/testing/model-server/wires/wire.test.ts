import { expect, it } from 'vitest';
import { anthropicWire } from '../../../../src/testing/model-server/wires/anthropic-wire.ts';
import { cutBlock, endpoint, planAnswer } from '../../../../src/testing/model-server/wires/wire.ts';

it.each([
  ['', undefined, []],
  ['one two  three', undefined, ['one', ' two', '  three']],
  ['trailing ', undefined, ['trailing ']],
  [' \n', undefined, [' \n']],
  ['abcdefg', 3, ['ab', 'cd', 'efg']],
  ['ab', 9, ['a', 'b']],
  ['👍👎', 2, ['👍', '👎']],
] as const)('a text %j is cut into %s', (whole, chunks, pieces) => {
  expect(cutBlock(whole, chunks)).toEqual({ whole, pieces });
});

it('an answer takes what the script left open from the request’s number alone', () => {
  const answer = {
    text: 'one two',
    toolCalls: [
      { name: 'a', input: { x: 1 } },
      { name: 'b', input: undefined, id: 'own' },
    ],
  };
  const plan = planAnswer(answer, anthropicWire, 7, 'opus', 1_500.9 * 1000);
  expect(plan.toolCalls.map(({ id, json }) => [id, json.whole])).toEqual([
    ['toolu_7_1', '{"x":1}'],
    ['own', '{}'],
  ]);
  expect(plan).toMatchObject({ n: 7, model: 'opus', createdAt: 1500, inputTokens: 10, outputTokens: 4 });
  expect(planAnswer(answer, anthropicWire, 7, 'opus', 1_500.9 * 1000)).toEqual(plan);
});

it('an answer bills at least one token, and what the script says before that', () => {
  expect(planAnswer({}, anthropicWire, 1, undefined, 0)).toMatchObject({ model: 'scripted', outputTokens: 1 });
  const billed = planAnswer({ text: 'a b', usage: { inputTokens: 3, outputTokens: 99 } }, anthropicWire, 1, 'm', 0);
  expect(billed).toMatchObject({ inputTokens: 3, outputTokens: 99 });
});

it('an endpoint routes one path and no other', () => {
  const route = endpoint('/v1/x');
  expect([route('/v1/x'), route('/x'), route('/v1/x/y')]).toEqual([{}, {}, undefined]);
});

it('an answer in parts has them in their order, the empty ones left out, and all of one kind together', () => {
  const toolCall = { name: 'a', input: {} };
  const parts = [{ text: 'one two' }, { toolCall }, { thinking: '' }, { thinking: 'hm' }, { text: 'three' }];
  const plan = planAnswer({ parts }, anthropicWire, 1, 'm', 0);
  expect(plan.parts.map(({ kind, block }) => [kind, block.whole])).toEqual([
    ['text', 'one two'],
    ['call', '{}'],
    ['thinking', 'hm'],
    ['text', 'three'],
  ]);
  expect([plan.text, plan.thinking.whole, plan.toolCalls.length]).toEqual([
    { whole: 'one twothree', pieces: ['one', ' two', 'three'] },
    'hm',
    1,
  ]);
});
