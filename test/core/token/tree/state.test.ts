import { describe, expect, it } from 'vitest';

import { CancellationToken, CancellationTokenSource } from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { EPOCH } from '../../../../src/core/token/tree/node.ts';
import { errorOf, isCancelled } from '../../../../src/core/token/tree/state.ts';

/** Makes every live node look up again. */
function stir(): void {
  const elsewhere = new CancellationTokenSource();
  elsewhere.token.child();
  elsewhere.cancel();
}

describe('looking up', () => {
  it('looking up is needed only after a cancel somewhere that has children', () => {
    const before = EPOCH.value;
    new CancellationTokenSource().cancel();
    expect(EPOCH.value).toBe(before);
    stir();
    expect(EPOCH.value).toBe(before + 1);
  });

  it('looking up stamps the path, so that the next look is one compare', () => {
    const root = new CancellationTokenSource();
    const middle = root.token.child();
    const leaf = middle.token.child();
    stir();
    expect(tokenOf(leaf.token).stamp).not.toBe(EPOCH.value);
    expect(leaf.isCancelled).toBe(false);
    for (const one of [root, middle, leaf]) expect(tokenOf(one.token).stamp).toBe(EPOCH.value);
  });

  it('looking up finds a cancel at any height, however often others were cancelled in between', () => {
    for (let height = 0; height < 6; height++) {
      const chain = [new CancellationTokenSource()];
      for (let i = 1; i < 6; i++) chain.push(chain[i - 1]!.token.child());
      stir();
      expect(chain[5]!.isCancelled).toBe(false);
      chain[height]!.cancel('user');
      stir();
      expect(chain.map((one) => one.isCancelled)).toEqual(chain.map((_, i) => i >= height));
      for (const one of chain.slice(height)) expect(one.reason).toBe(chain[height]!.reason);
    }
  });

  it('looking up is done once more before a cancel, a child, a listener and a release', () => {
    const root = new CancellationTokenSource();
    const make = (): CancellationTokenSource => root.token.child().token.child();
    const [a, b, c, d] = [make(), make(), make(), make()];
    root.cancel('user');
    expect(a.cancel('budget')).toBe(false);
    expect(b.token.child().isCancelled).toBe(true);
    let heard: unknown;
    c.token.onCancelled((reason) => (heard = reason));
    expect(heard).toBe(root.reason);
    d.release();
    expect(d.reason).toBe(root.reason);
  });

  it('looking up shares one error', () => {
    const root = new CancellationTokenSource();
    const leaf = root.token.child().token.child();
    root.cancel('user');
    expect(isCancelled(tokenOf(leaf.token))).toBe(true);
    expect(errorOf(tokenOf(leaf.token))).toBe(errorOf(tokenOf(root.token)));
  });
});

describe('several parents', () => {
  /** Four inputs in all orders of being cancelled. */
  const orders = permutations([0, 1, 2, 3]);

  it.each(['any', 'all', 'source'])('%s: who counts does not depend on who looks', (kind) => {
    for (const order of orders) {
      for (const look of [false, true]) {
        const inputs = [0, 1, 2, 3].map(() => new CancellationTokenSource());
        const tokens = inputs.map((one) => one.token.child().token);
        const joined =
          kind === 'any'
            ? CancellationToken.any(...tokens)
            : kind === 'all'
              ? CancellationToken.all(...tokens)
              : new CancellationTokenSource({ parent: tokens }).token;
        order.forEach((index, done) => {
          if (look) expect(joined.isCancelled).toBe(kind === 'all' ? false : done > 0);
          inputs[index]!.cancel();
        });
        expect(joined.reason).toBe(inputs[kind === 'all' ? order[3]! : order[0]!]!.reason);
      }
    }
  });

  it('several parents under one ancestor share its reason', () => {
    const root = new CancellationTokenSource();
    const tokens = [root.token.child().token, root.token.child().token.child().token];
    const [any, all] = [CancellationToken.any(...tokens), CancellationToken.all(...tokens)];
    stir();
    expect([any.isCancelled, all.isCancelled]).toEqual([false, false]);
    root.cancel('user');
    expect([any.reason, all.reason]).toEqual([root.reason, root.reason]);
  });

  it('several parents of several parents, one that was released says what it last said', () => {
    const [one, two] = [new CancellationTokenSource(), new CancellationTokenSource()];
    const [any, all] = [CancellationToken.any(one.token, two.token), CancellationToken.all(one.token, two.token)];
    one.release();
    two.cancel('user');
    expect([any.isCancelled, all.isCancelled]).toEqual([true, false]);
  });

  it('a source of its own can be cancelled before them, and stays so', () => {
    const [one, two] = [new CancellationTokenSource(), new CancellationTokenSource()];
    const source = new CancellationTokenSource({ parent: [one.token, two.token] });
    expect(source.cancel('budget')).toBe(true);
    one.cancel('user');
    expect(source.reason?.kind).toBe('budget');
    expect([one.reason?.kind, two.isCancelled]).toEqual(['user', false]);
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) => permutations(items.filter((_, j) => j !== i)).map((rest) => [item, ...rest]));
}
