import { describe, expect, it } from 'vitest';

import { runNested } from '../../../../src/core/combinators/engine/nesting.ts';

/** Calls itself so often, and says how deep it came. */
function descend(levels: number, level = 1): number {
  return levels === level ? level : runNested((next) => descend(levels, next), level + 1);
}

describe('work that is started inside other work', () => {
  it('work that is started inside other work runs, however often and one after the other', () => {
    for (let n = 0; n < 3; n += 1) expect(descend(101)).toBe(101);
  });

  it('work that is started inside other work is refused when it comes too deep, and leaves nothing behind', () => {
    for (let n = 0; n < 3; n += 1) expect(() => descend(102)).toThrow(/^100 calls and turns were started inside each/);
    expect(descend(101)).toBe(101);
  });
});
