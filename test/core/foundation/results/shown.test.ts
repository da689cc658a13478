import { describe, expect, it } from 'vitest';

import { notShown, shownAs, shownOf } from '../../../../src/core/foundation/results/shown.ts';

describe('what the model may see of a result', () => {
  it('what is shown is the value itself where nobody says otherwise', () => {
    for (const call of [undefined, 'x', {}, { [Symbol.for('desist.modelOutput')]: 1 }]) {
      expect(shownOf(call, 'secret', true)).toBeUndefined();
    }
  });

  it('what is shown is what the call says', () => {
    const call = Object.defineProperties(
      {},
      shownAs((value, isWhole) => (isWhole ? [value] : undefined)),
    );
    expect(shownOf(call, 1, true)).toEqual({ value: [1] });
    expect(shownOf(call, 1, false)).toEqual({ value: undefined });
    expect(JSON.stringify(call)).toBe('{}');
  });

  it('what is shown is words, or nothing of what came before the end, where saying it fails', () => {
    const fails = (): never => {
      throw new Error('no form');
    };
    const call = Object.defineProperties({}, shownAs(fails));
    expect(shownOf(call, 1, true)).toEqual({ value: notShown });
    expect(shownOf(call, 1, false)).toEqual({ value: undefined });
  });
});
