import { describe, expect, it } from 'vitest';

import { lazyMembers } from '../../../../src/core/combinators/engine/lazy-members.ts';

interface Thing {
  readonly id: number;
  readonly now: number;
  readonly add: (n: number) => number;
}

interface Host {
  count: number;
}

function thing() {
  const made: string[] = [];
  const make = lazyMembers<Host, Thing>(() => ({
    id: ({ count }) => {
      made.push('id');
      return count;
    },
    now: (host) => ++host.count,
    add: (host) => {
      made.push('add');
      return (n) => (host.count += n);
    },
  }));
  return { made, make };
}

describe('an object of lazy members', () => {
  it('an object of lazy members makes a member when it is read, and a function once', () => {
    const { make, made } = thing();
    const one = make({ count: 1 });
    expect(made).toEqual([]);
    expect([one.id, one.id]).toEqual([1, 1]);
    expect(one.add).toBe(one.add);
    expect(made).toEqual(['id', 'id', 'add']);
  });

  it('an object of lazy members reads a value anew each time, and a taken function works alone', () => {
    const { make } = thing();
    const one = make({ count: 1 });
    const { add } = one;
    expect([one.now, one.now, add(5), one.now]).toEqual([2, 3, 8, 9]);
  });

  it('an object of lazy members has its members as fields of its own: it can be listed, copied and asked', () => {
    const { make } = thing();
    const one = make({ count: 1 });
    expect(Object.keys(one)).toEqual(['id', 'now', 'add']);
    const copy = { ...one, more: true };
    expect([copy.id, copy.add, copy.more]).toEqual([1, one.add, true]);
    expect(['id' in one, 'other' in one, Object.hasOwn(one, 'id'), Object.hasOwn(one, 'other')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('an object of lazy members is like any object where it has no member', () => {
    const { make } = thing();
    const one = make({ count: 1 }) as Thing & Record<string, unknown>;
    expect([Object.prototype.toString.call(one), one['nothing'], one.hasOwnProperty('id')]).toEqual([
      '[object Object]',
      undefined,
      true,
    ]);
  });

  it('an object of lazy members is one of its own for each host', () => {
    const { make } = thing();
    const [one, two] = [make({ count: 1 }), make({ count: 10 })];
    expect([one.add(1), two.add(1), one.add === two.add]).toEqual([2, 11, false]);
  });
});
