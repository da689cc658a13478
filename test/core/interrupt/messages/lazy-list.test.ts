import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';

import { lazyList } from '../../../../src/core/interrupt/messages/lazy-list.ts';

function listOf(...items: string[]) {
  let reads = 0;
  const list = lazyList(() => {
    reads += 1;
    return items;
  });
  return { list, reads: () => reads };
}

describe('a lazy list', () => {
  it('a lazy list is read once, when somebody looks into it', () => {
    const { list, reads } = listOf('a', 'b');
    expect([Array.isArray(list), { ...{ list } }.list === list, reads()]).toEqual([true, true, 0]);
    expect([list.length, list[1], reads()]).toEqual([2, 'b', 1]);
  });

  it.each<[string, (list: readonly string[]) => unknown, unknown]>([
    ['its items', (list) => list[0], 'a'],
    ['its methods', (list) => list.map((item) => `${item}!`), ['a!', 'b!']],
    ['an iteration', (list) => [...list], ['a', 'b']],
    ['a concatenation', (list) => ['x'].concat(list), ['x', 'a', 'b']],
    ['JSON', (list) => JSON.stringify({ list }), '{"list":["a","b"]}'],
    ['its keys', (list) => Object.keys(list), ['0', '1']],
    ['a question for an index', (list) => 1 in list, true],
    ['a question for a field', (list) => Object.hasOwn(list, '1'), true],
    ['a log', (list) => inspect({ list }), "{ list: [ 'a', 'b' ] }"],
  ])('a lazy list is an array to %s', (_what, look, seen) => {
    expect(look(listOf('a', 'b').list)).toEqual(seen);
  });

  it('a lazy list takes nothing from who made it', () => {
    const items = ['a'];
    const list = lazyList(() => items) as string[];
    list.push('b');
    expect([items, [...list]]).toEqual([['a'], ['a', 'b']]);
  });
});
