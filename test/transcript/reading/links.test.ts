import { describe, expect, it } from 'vitest';

import { createIds, createLinks, originalsBeside, originalsOf } from '../../../src/transcript/reading/links.ts';

describe('createLinks', () => {
  it('links a result to the nearest call before it', () => {
    const links = createLinks<string>();
    const first = links.open(0, 'a', 'read');
    links.close(1, 'a', 'one');
    const second = links.open(2, 'a', 'read');
    expect(links.close(3, 'a', 'two')).toBe(second);
    expect(links.close(4, 'a', 'again')).toBe(second);
    expect(first.results).toEqual([{ result: 'one', at: 1, order: 0 }]);
    expect(second.results.map((one) => one.result)).toEqual(['two', 'again']);
    expect(links.sites).toEqual([first, second]);
  });

  it('knows a result without a call', () => {
    const links = createLinks<string>();
    expect(links.close(0, 'a', 'early')).toBeUndefined();
    links.open(1, 'a', 'read');
    expect(links.close(2, undefined, 'nobody')).toBeUndefined();
  });
});

describe('createIds', () => {
  it('leaves the first its id and derives the others, around ids that exist', () => {
    const links = createLinks<never>();
    const sites = ['a', 'a', 'a_copy2', 'b', 'a'].map((id, at) => links.open(at, id, 'x'));
    const idOf = createIds(sites, undefined, []);
    expect(sites.map(idOf)).toEqual(['a', 'a_copy3', 'a_copy2', 'b', 'a_copy4']);
    expect(new Set(sites.map(createIds(sites, undefined, [])))).toEqual(new Set(sites.map(idOf)));
  });
});

describe('originalsOf', () => {
  it.each([
    ['a', 'a', true],
    ['a_copy2', 'a', true],
    ['a_copy2_copy13', 'a', true],
    ['a_2', 'a', false],
    ['a_copy', 'a', false],
    ['a_copy2x', 'a', false],
    ['ab', 'a', false],
    ['a', 'a_copy2', false],
  ])('%s of %s: %s', (id, original, is) => {
    expect(originalsOf(id).includes(original)).toBe(is);
  });

  it('takes an id that is nothing but copies for no more than a hundred repairs (G26)', () => {
    const id = `a${'_copy2'.repeat(100_000)}`;
    expect(originalsOf(id)).toHaveLength(101);
    expect(originalsOf(`b${'_copy2'.repeat(100)}`).at(-1)).toBe('b');
  });
});

describe('originalsBeside', () => {
  it('takes the id of a row for a call of its own, however it looks', () => {
    const row = { id: 'b_copy2', name: 'pay', call: undefined, ms: 1, status: 'completed', value: 1 } as const;
    const originals = originalsBeside([row]);
    expect(originals('b_copy2')).toEqual(['b_copy2']);
    expect(originals('b_copy3')).toEqual(['b_copy3', 'b']);
  });
});
