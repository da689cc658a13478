import { describe, expect, it } from 'vitest';

import { CancellationToken, CancellationTokenSource } from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { isKilled } from '../../../../src/core/token/tree/state.ts';
import { Source } from '../../../../src/core/token/source.ts';
import { shieldOf } from '../../../../src/core/token/token.ts';

/** Makes every live node look up again. */
function stir(): void {
  const elsewhere = new CancellationTokenSource();
  elsewhere.token.child();
  elsewhere.cancel();
}

describe('kill', () => {
  it('kill is looked up through chains, links and shields', () => {
    const root = new CancellationTokenSource();
    const other = new CancellationTokenSource();
    const leaf = root.token.child();
    const shielded = new Source(shieldOf(tokenOf(leaf.token))).token.child();
    const any = CancellationToken.any(leaf.token, other.token).child();
    const deep = CancellationToken.any(any.token, other.token.child().token).child();
    const all = CancellationToken.all(shielded.token, deep.token);
    root.cancel();
    expect([leaf, shielded, any, deep].map((one) => one.token.isKilled)).toEqual([false, false, false, false]);
    expect([shielded.isCancelled, all.isCancelled]).toEqual([false, false]);
    root.kill();
    stir();
    expect([leaf, shielded, any, deep].map((one) => one.token.isKilled)).toEqual([true, true, true, true]);
    expect([all.isCancelled, all.isKilled]).toEqual([true, true]);
    expect(isKilled(tokenOf(other.token))).toBe(false);
  });

  it('kill passes through a token that was released while it was cancelled, and leaves what that one says', () => {
    const root = new CancellationTokenSource();
    const middle = root.token.child();
    const leaf = middle.token.child();
    const below = leaf.token.child();
    middle.cancel('user');
    expect(below.isCancelled).toBe(true);
    leaf.release();
    const heard: string[] = [];
    middle.token.onKilled(() => void heard.push('killed'));
    root.token.onCancelled(() => void below.token.isKilled);
    root.kill();
    expect([below.token.isKilled, leaf.token.isKilled, middle.token.isKilled]).toEqual([true, false, true]);
    expect(heard).toEqual(['killed']);
  });

  it('kill implies cancel everywhere it is seen', () => {
    const root = new CancellationTokenSource();
    const early = root.token.child();
    early.cancel('budget');
    const all = CancellationToken.all(root.token, early.token);
    root.kill('shutdown');
    for (const token of [root.token, early.token, all])
      expect([token.isCancelled, token.isKilled]).toEqual([true, true]);
    expect(early.reason?.kind).toBe('budget');
    expect(all.reason).toBe(root.reason);
  });

  it('kill of a token of all comes with the last, also where those of others stand between', () => {
    const sources = Array.from({ length: 20 }, () => new CancellationTokenSource());
    const tokens = sources.map(({ token }, n) =>
      n % 5 === 0 ? CancellationToken.any(token, new CancellationTokenSource().token) : token,
    );
    const all = CancellationToken.all(...tokens);
    let heard = 0;
    all.onKilled(() => (heard += 1));
    for (const source of sources) source.cancel();
    const states = sources.map((source) => {
      source.kill();
      return all.isKilled;
    });
    expect([states.indexOf(true), heard, all.reason]).toEqual([19, 1, sources[19]!.reason]);
  });
});

it('I1 a look from beside several parents does not hide a kill through one of them', () => {
  const [a, b] = [new CancellationTokenSource(), new CancellationTokenSource()];
  const below = new CancellationTokenSource({ parent: [a.token, b.token] }).token.child();
  const beside = a.token.child();
  a.cancel('user');
  expect([below.token.isCancelled, beside.token.isCancelled]).toEqual([true, true]);
  b.kill('shutdown');
  expect([beside.token.isKilled, below.token.isKilled]).toEqual([false, true]);
});
