/** The invariants of `node.ts`, one by one, through the front door. Random forests: test/properties/token.test.ts. */
import { describe, expect, it, vi } from 'vitest';

import { CancellationToken, CancellationTokenSource } from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { EPOCH, Extra, extraOf, parentsOf, rareOf } from '../../../../src/core/token/tree/node.ts';
import { Source } from '../../../../src/core/token/source.ts';
import { Token, shieldOf } from '../../../../src/core/token/token.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

describe('the invariants', () => {
  it('I1 a node goes live, cancelled, killed: each at most once, never back', () => {
    const source = new CancellationTokenSource();
    const heard: string[] = [];
    source.token.onCancelled(() => void heard.push('cancelled'));
    source.token.onKilled(() => void heard.push('killed'));
    const states: string[] = [];
    for (const act of ['cancel', 'cancel', 'kill', 'cancel', 'kill', 'release', 'cancel', 'kill'] as const) {
      source[act]();
      states.push(source.token.isKilled ? 'killed' : source.token.isCancelled ? 'cancelled' : 'live');
    }
    expect(states).toEqual(['cancelled', 'cancelled', ...Array<string>(6).fill('killed')]);
    expect(heard).toEqual(['cancelled', 'killed']);
  });

  it('I2 the first reason wins, the same object for everybody it reached; of several parents the earliest', () => {
    const [one, two] = [new CancellationTokenSource({ name: 'one' }), new CancellationTokenSource({ name: 'two' })];
    const any = CancellationToken.any(one.token, two.token);
    const both = new CancellationTokenSource({ parent: [one.token, two.token] });
    const early = two.token.child();
    early.cancel('budget');
    two.cancel('user');
    one.cancel('shutdown');
    expect(any.reason).toBe(two.reason);
    expect(both.cancel('unknown')).toBe(false);
    expect(both.reason).toBe(two.reason);
    expect(early.reason?.kind).toBe('budget');
    expect(both.token.child().reason).toBe(two.reason);
  });

  it('I3 a cancel marks everything, then notifies', () => {
    const root = new CancellationTokenSource();
    const leaves = [root.token.child(), root.token.child().token.child()];
    leaves[1]!.token.onCancelled(() => {});
    const seen = vi.fn();
    root.token.onCancelled(() => void seen(...leaves.map((leaf) => leaf.isCancelled)));
    root.cancel();
    expect(seen).toHaveBeenCalledExactlyOnceWith(true, true);
  });

  it('I4 a child’s cancel, kill or release touches neither parent nor sibling', () => {
    for (const act of ['cancel', 'kill', 'release'] as const) {
      const root = new CancellationTokenSource();
      const [child, sibling] = [root.token.child(), root.token.child()];
      const heard = vi.fn();
      for (const one of [root, sibling]) one.token.onCancelled(heard);
      child.token.onCancelled(() => {});
      child[act]();
      expect([root.isCancelled, sibling.isCancelled]).toEqual([false, false]);
      expect(heard).not.toHaveBeenCalled();
      expect(child.isCancelled).toBe(act !== 'release');
    }
  });

  it.each(['before', 'after'])(
    'I5 a shield made %s the parent’s cancel does not see it; its own limit and kill it does',
    (when) => {
      const clock = new VirtualClock();
      const root = new CancellationTokenSource({ clock });
      if (when === 'after') root.cancel('user');
      const shield = new Source(shieldOf(tokenOf(root.token)), { timeoutMs: 10 });
      const other = new Source(shieldOf(tokenOf(root.token)));
      const below = other.token.child();
      root.cancel('user');
      expect([shield.isCancelled, other.isCancelled, below.isCancelled]).toEqual([false, false, false]);
      clock.advanceSync(10);
      expect([shield.reason?.kind, other.isCancelled]).toEqual(['deadline', false]);
      root.kill();
      expect([other.token.isKilled, below.token.isKilled, shield.token.isKilled]).toEqual([true, true, true]);
      expect(below.reason).toBe(root.reason);
      expect(shield.reason?.kind).toBe('deadline');
    },
  );

  it('I5 a shield of a killed parent is killed', () => {
    const root = new CancellationTokenSource();
    root.kill('shutdown');
    const shield = shieldOf(tokenOf(root.token));
    expect([shield.isCancelled, shield.isKilled, shield.reason]).toEqual([true, true, root.reason]);
  });

  it.each(['cancel', 'kill', 'release'] as const)('I6 nothing is linked where nobody listens, after %s', (act) => {
    const root = new CancellationTokenSource();
    const source = root.token.child();
    const child = source.token.child();
    const node = tokenOf(source.token);
    expect(tokenOf(root.token).extra).toBeUndefined();
    const heardBelow = child.token.onCancelled(() => {});
    // The second one stands in a list, beside the inline first.
    for (const fn of [() => {}, () => {}]) source.token.onCancelled(fn);
    expect(node.extra?.rare?.slots).toHaveLength(1);
    expect(tokenOf(root.token).extra?.watch).toBe(1);
    if (act === 'release') heardBelow.unregister();
    source[act]();
    expect(tokenOf(root.token).extra).toMatchObject({ watch: 0, kids: undefined });
    expect(node.extra).toMatchObject({ watch: 0, first: undefined, kids: undefined });
    const { slots = [], holes } = node.extra?.rare ?? {};
    expect({ slots, holes }).toEqual({ slots: [], holes: 0 });
  });

  it('I6 a cancelled node keeps its path for kill, and loses it with kill', () => {
    const root = new CancellationTokenSource();
    const child = root.token.child();
    child.token.onKilled(() => {});
    child.cancel();
    expect(tokenOf(root.token).extra?.watch).toBe(1);
    root.kill();
    expect(tokenOf(root.token).extra?.watch).toBe(0);
  });

  it('I6 what hangs below nothing is kept by nothing', () => {
    const child = CancellationToken.none.child();
    const [first, second] = [child.token.onCancelled(() => {}), child.token.onKilled(() => {})];
    const joined = new CancellationTokenSource({
      parent: [CancellationToken.none, new CancellationTokenSource().token],
    });
    const third = joined.token.onCancelled(() => {});
    expect(tokenOf(CancellationToken.none).extra?.watch ?? 0).toBe(0);
    expect(tokenOf(CancellationToken.none).extra?.kids).toBeUndefined();
    for (const registration of [first, second, third]) registration.unregister();
  });

  it('I7 every callback runs, in registration order, then the children’s in link order', () => {
    const errors: unknown[] = [];
    const root = new CancellationTokenSource({ onCallbackError: (error) => void errors.push(error) });
    const ran: string[] = [];
    const [a, b] = [root.token.child(), root.token.child()];
    b.token.onCancelled(() => void ran.push('b'));
    a.token.onCancelled(() => void ran.push('a'));
    for (const name of ['1', '2', '3']) {
      root.token.onCancelled(() => {
        ran.push(name);
        throw new Error(name);
      });
    }
    expect(root.cancel()).toBe(true);
    expect(ran).toEqual(['1', '2', '3', 'b', 'a']);
    expect(errors.map(String)).toEqual(['Error: 1', 'Error: 2', 'Error: 3']);
  });

  it('I8 depth costs no stack (a million: test/integration/token-limits.test.ts)', () => {
    const root = new CancellationTokenSource();
    let leaf = root;
    for (let i = 0; i < 20_000; i++) leaf = leaf.token.child();
    const heard = vi.fn();
    leaf.token.onKilled(heard);
    root.cancel();
    expect(leaf.isCancelled).toBe(true);
    root.kill();
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('I9 late callbacks run at once and their handle is inert; cancel inside a callback is a no-op, kill upgrades', () => {
    const source = new CancellationTokenSource();
    const heard = vi.fn();
    source.token.onCancelled(() => {
      expect(source.cancel()).toBe(false);
      expect(source.token.onCancelled(heard).unregister()).toBe(false);
      expect(source.kill()).toBe(true);
    });
    source.cancel('user');
    expect(heard).toHaveBeenCalledExactlyOnceWith(source.reason);
    expect(source.token.isKilled).toBe(true);
  });
});

describe('a node', () => {
  it('a node is small until it is used', () => {
    const node = new Token(undefined);
    expect(node.extra).toBeUndefined();
    expect(extraOf(node)).toBe(extraOf(node));
    expect(extraOf(node)).toBeInstanceOf(Extra);
    expect(rareOf(node)).toBe(rareOf(node));
  });

  it('a node knows its parents, also when it is released', () => {
    const [one, two] = [new CancellationTokenSource(), new CancellationTokenSource()];
    const child = one.token.child();
    const both = new CancellationTokenSource({ parent: [one.token, two.token] });
    expect(parentsOf(tokenOf(one.token))).toEqual([]);
    expect(parentsOf(tokenOf(child.token))).toEqual([one.token]);
    expect(parentsOf(tokenOf(both.token))).toEqual([one.token, two.token]);
    for (const source of [child, both]) source.release();
    expect(parentsOf(tokenOf(child.token))).toEqual([one.token]);
    expect(parentsOf(tokenOf(both.token))).toEqual([one.token, two.token]);
  });

  it('a node shares one epoch with every copy of the package that has the same layout', async () => {
    vi.resetModules();
    const copy = await import('../../../../src/core/token/tree/node.ts');
    expect(copy.Extra).not.toBe(Extra);
    expect(copy.EPOCH).toBe(EPOCH);
  });
});
