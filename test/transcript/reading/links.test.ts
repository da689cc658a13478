import { describe, expect, it } from 'vitest';

import { createLinks, withUniqueIds } from '../../../src/transcript/reading/links.ts';
import type { NameCalls } from '../../../src/transcript/reading/id-book.ts';

describe('createLinks', () => {
  it('links a result to the nearest call before it', () => {
    const links = createLinks<string>();
    const first = links.open(0, 'a', 'read', {});
    links.close(1, 'a', 'one');
    const second = links.open(2, 'a', 'read', {});
    expect(links.close(3, 'a', 'two')).toBe(second);
    expect(links.close(4, 'a', 'again')).toBe(second);
    expect(first.results).toEqual([{ result: 'one', at: 1, order: 0 }]);
    expect(second.results.map((one) => one.result)).toEqual(['two', 'again']);
  });

  it('knows a result without a call', () => {
    const links = createLinks<string>();
    expect(links.close(0, 'a', 'early')).toBeUndefined();
    links.open(1, 'a', 'read', {});
    expect(links.close(2, undefined, 'nobody')).toBeUndefined();
  });
});

interface Line {
  readonly call?: string;
  readonly result?: string;
  readonly isFixed?: boolean;
}

const nameCalls: NameCalls<Line> = (line, ids) => {
  if (line.call !== undefined) {
    const call = ids.call(line.call, 'read', () => '', line.isFixed);
    return call === line.call ? line : { ...line, call };
  }
  const result = ids.result(line.result);
  return result === line.result || result === undefined ? line : { ...line, result };
};

function named(lines: readonly Line[], longest?: number): readonly Line[] {
  return withUniqueIds(lines, nameCalls, longest);
}

const round = (id: string): readonly Line[] => [{ call: id }, { result: id }];

describe('withUniqueIds', () => {
  it('a call whose id comes again has one of its own, and its result goes with it', () => {
    const lines = named([...round('a'), ...round('a_copy2'), ...round('a'), ...round('b')]);
    expect(lines.map(({ call, result }) => call ?? result)).toEqual([
      'a',
      'a',
      'a_copy2',
      'a_copy2',
      'a_copy3',
      'a_copy3',
      'b',
      'b',
    ]);
    expect(named(lines)).toBe(lines);
  });

  it('what needs no other id comes out as the same objects', () => {
    const lines = [...round('a'), ...round('b')];
    expect(named(lines).every((line, i) => line === lines[i])).toBe(true);
    const again = [...lines, ...round('a')];
    expect(
      named(again)
        .slice(0, 4)
        .every((line, i) => line === lines[i]),
    ).toBe(true);
  });

  it('no copy has more characters than there is room for', () => {
    const long = 'x'.repeat(40);
    const id = named([...round(long), ...round(long)], 40).at(-1)?.result ?? '';
    expect(id.length).toBeLessThanOrEqual(40);
    expect(id).toMatch(/_copy2$/);
  });

  it('results of two calls in a row go to them in their order', () => {
    const lines = named([{ call: 'a' }, { call: 'a' }, { result: 'a' }, { result: 'a' }]);
    expect(lines.map(({ call, result }) => call ?? result)).toEqual(['a', 'a_copy2', 'a', 'a_copy2']);
  });

  it('a call that its provider knows by an id keeps it, and its result', () => {
    const fixed = [{ call: 'a', isFixed: true }, { result: 'a' }];
    const lines = named([...round('a'), ...round('a'), ...fixed]);
    expect(lines.map(({ call, result }) => call ?? result)).toEqual(['a', 'a', 'a_copy2', 'a_copy2', 'a', 'a']);
  });
});
