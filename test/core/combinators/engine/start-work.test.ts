import { describe, expect, it, vi } from 'vitest';

import { startWork } from '../../../../src/core/combinators/engine/start-work.ts';
import { Token } from '../../../../src/core/token/token.ts';

describe('startWork', () => {
  it('startWork tells the outcome once, with the token that the work had', () => {
    const parent = new Token(undefined);
    const done = vi.fn();
    startWork(parent, ({ token }) => token, { name: 'x' }, done);
    expect(done.mock.calls).toHaveLength(1);
    const [outcome, { token }] = done.mock.calls[0] as [{ readonly value: unknown }, { readonly token: Token }];
    expect([outcome.value, token.name]).toEqual([token, 'x']);
  });

  it.each([
    [{ settle: 'never' }, TypeError],
    [{ graceMs: -1 }, RangeError],
    [{ idleMs: '1' }, TypeError],
    [{ onLateSettle: 1 }, TypeError],
    [{ timeoutMs: Number.NaN }, RangeError],
  ])('startWork refuses %o before anything is started', (options, error) => {
    const work = vi.fn();
    expect(() => startWork(new Token(undefined), work, options as object, () => undefined)).toThrow(error);
    expect(work).not.toHaveBeenCalled();
  });
});
