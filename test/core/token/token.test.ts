import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';

import { CancellationToken, CancellationTokenSource } from '../../../src/index.ts';
import { Token, childOf, isToken, shieldOf } from '../../../src/core/token/token.ts';
import { LAYOUT } from '../../../src/core/token/tree/layout.ts';

const tokenBrand = Symbol.for('desist.token');

describe('a token of ours', () => {
  it('a token of ours is known by its mark and its shape', () => {
    const parent = new Token(undefined);
    for (const token of [parent, childOf(parent), shieldOf(parent), CancellationToken.none])
      expect(isToken(token)).toBe(true);
    for (const other of [{}, null, undefined, 'x', new AbortController().signal]) expect(isToken(other)).toBe(false);
  });

  it('a token of ours is not whatever bears the mark: that is refused where a token belongs', () => {
    const forged = { [tokenBrand]: LAYOUT };
    expect(isToken(forged)).toBe(false);
    expect(() => new CancellationTokenSource({ parent: forged as never })).toThrow(
      /^a token must be a CancellationToken/,
    );
  });

  it('a hole among the parents counts as undefined: no parent', () => {
    const above = new CancellationTokenSource();
    const parents = new Array<CancellationToken>(2);
    parents[0] = above.token;
    const source = new CancellationTokenSource({ parent: parents });
    expect(source.isCancelled).toBe(false);
    above.cancel();
    expect(source.isCancelled).toBe(true);
  });
});

describe('what a log shows of a token', () => {
  const evil = 'a\u001b[2J\r\nFAKE LINE\u2028\u0085';

  it('what a log shows of a token has no control characters in it', () => {
    const source = new CancellationTokenSource({ name: evil });
    source.cancel({ kind: 'user', message: evil });
    expect(inspect(source.token)).toBe(
      'CancellationToken "a\\u001b[2J\\r\\nFAKE LINE\\u2028\\u0085" { cancelled: user, a\\u001b[2J\\u000d\\nFAKE LINE\\u2028\\u0085 }',
    );
  });
});
