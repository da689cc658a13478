import { describe, expect, it } from 'vitest';

import { field, isRecord, parseRecord, recordsIn, textIn, without } from '../../../src/transcript/reading/fields.ts';

describe('reading what no type promises', () => {
  it('reads a field, there or not', () => {
    expect([field({ a: 1 }, 'a'), field({}, 'a')]).toEqual([1, undefined]);
  });

  it('knows an object with fields', () => {
    expect([{}, new Map(), [], null, undefined, 'x', 7].map(isRecord)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('takes a text that says something, and nothing else', () => {
    expect(['x', ' ', '', 7, null].map(textIn)).toEqual(['x', ' ', undefined, undefined, undefined]);
  });

  it('takes the objects of a list', () => {
    expect(recordsIn([{ a: 1 }, null, 'x', []])).toEqual([{ a: 1 }]);
    expect(recordsIn('x')).toEqual([]);
  });

  it('leaves fields out, and the object as it is where it has none of them', () => {
    const own = { a: 1, b: undefined, [Symbol.for('c')]: 3 };
    expect(without(own, 'b', 'z')).toStrictEqual({ a: 1, [Symbol.for('c')]: 3 });
    expect(without(own, 'z')).toBe(own);
  });

  it.each([['{"a":1}', { a: 1 }] as const, ['{"a":', undefined] as const, ['[]', undefined] as const])(
    'parses %s to an object or nothing',
    (json, value) => {
      expect(parseRecord(json)).toEqual(value);
    },
  );
});
