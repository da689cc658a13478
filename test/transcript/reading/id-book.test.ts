import { describe, expect, it } from 'vitest';

import { createIdBook, type NameCalls } from '../../../src/transcript/reading/id-book.ts';
import { anyId } from '../../../src/transcript/reading/ids.ts';

it('pairs calls and results without ids by their order, and by the names of their tools', () => {
  const book = createIdBook(anyId, 'normalise');
  expect([book.call(undefined, 'a', () => '{}'), book.call('', 'b', () => '{}')]).toEqual(['call_1', 'call_2']);
  expect([book.result(undefined, 'b'), book.result('')]).toEqual(['call_2', 'call_1']);
});

it('tells a copy from another call by name and arguments', () => {
  const book = createIdBook(anyId, 'normalise');
  expect(['{}', '{}', '{"n":1}'].map((input) => book.call('a', 'x', () => input))).toEqual(['a', 'a', 'a_copy2']);
  expect(['a', 'a', 'a'].map((id) => book.result(id))).toEqual(['a', 'a_copy2', 'a_copy2']);
});

it.each([40, 41, 300])('leaves room for the mark of a copy in an id of %i characters', (length) => {
  const book = createIdBook(anyId, 'normalise');
  const ids = ['1', '2', '3'].map((input) => book.call('c'.repeat(length), 'x', () => input));
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
  expect(ids.map(() => book.result('c'.repeat(length)))).toEqual(ids);
});

it('keeps the ids of a server that has its own, and remembers older replies', () => {
  const book = createIdBook(anyId, 'keep');
  expect(book.call('f:0', 'x', () => '{}')).toBe('f:0');
  book.beginReply();
  expect([book.result('f:0'), book.result('g:0'), book.result('')]).toEqual(['f:0', 'g:0', undefined]);
});

it('no copy has the id of a call before it, which a result may still name', () => {
  const book = createIdBook(anyId, 'normalise');
  book.call('a_copy2', 'x', () => '{}');
  book.beginReply(true);
  expect(['{}', '{"n":1}'].map((input) => book.call('a', 'x', () => input))).toEqual(['a', 'a_copy3']);
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

function named(lines: readonly Line[], longest = Infinity): readonly Line[] {
  const book = createIdBook(
    { ...anyId, longest },
    'normalise',
    new Set(lines.flatMap(({ call, isFixed }) => (isFixed === true ? [call] : []))),
  );
  return lines.map((line) => nameCalls(line, book));
}

const round = (id: string): readonly Line[] => [{ call: id }, { result: id }];

describe('a book in which all replies are one', () => {
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
    expect(named(lines)).toEqual(lines);
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

  it('a call after a copy with the same id has another one', () => {
    const lines = named([...round('a'), ...round('a'), ...round('a_copy2'), ...round('a')]);
    expect(new Set(lines.map(({ call, result }) => call ?? result)).size).toBe(4);
    expect(named(lines)).toEqual(lines);
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
    const later = named([...round('a'), ...round('a'), { call: 'a_copy2', isFixed: true }]);
    expect(later.map(({ call, result }) => call ?? result)).toEqual(['a', 'a', 'a_copy3', 'a_copy3', 'a_copy2']);
  });
});
