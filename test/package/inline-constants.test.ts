/** The step of the build that writes out the named bits of a token's state. */
import { describe, expect, it } from 'vitest';

import { inlineConstants } from '../../scripts/inline-constants.ts';

describe('inlineConstants', () => {
  it.each([
    ['a bit', 'var MANY = 8; f(node.flags & MANY);', 'f(node.flags & 8 /* MANY */);'],
    ['a negative number', 'var GONE = -3; f(index === GONE);', 'f(index === (-3) /* GONE */);'],
    ['constants that are joined', 'var A = 1, B = 4 | A; f(B);', 'f(5 /* B */);'],
  ])('inlineConstants writes out %s', (_what, code, expected) => {
    expect(inlineConstants(code)).toContain(expected);
  });

  it.each([
    ['a member of that name', 'var MANY = 8; f(node.MANY, { MANY: 1 }, class { MANY() {} });'],
    ['a shorthand', 'var MANY = 8; f({ MANY }, MANY);'],
    ['an export', 'var MANY = 8; export { MANY };'],
    ['a name that a parameter takes', 'var MANY = 8; function g(MANY) { return MANY; } g(MANY);'],
    ['a name that a local variable takes', 'var MANY = 8; function g() { let MANY = 1; return MANY; }'],
    ['a name that a pattern takes', 'var MANY = 8; const g = ({ x: MANY }) => MANY;'],
    ['what is written to', 'var COUNT = 0; COUNT += 1; f(COUNT);'],
    ['what is counted', 'var COUNT = 0; COUNT++; --COUNT; f(COUNT);'],
    ['an assignment by a pattern', 'var COUNT = 0; [COUNT] = [1]; ({ a: COUNT } = { a: 1 }); f(COUNT);'],
    ['the variable of a loop', 'var COUNT = 0; for (COUNT of [1]) f(COUNT);'],
    ['a long number', 'var LONGEST = 2147483647; f(LONGEST);'],
    ['a fraction, and a text', 'var HALF = 0.5; var TEXT = "x"; f(HALF, TEXT);'],
    ['what is not known', 'var MANY = 8 | other; f(MANY);'],
    ['a name in small letters', 'var many = 8; f(many);'],
  ])('inlineConstants leaves alone %s', (_what, code) => {
    expect(inlineConstants(code)).toBe(code);
  });
});
