import { describe, expect, it, vi } from 'vitest';

import { CancellationToken, CancellationTokenSource, type Clock } from '../../../src/index.ts';
import { tokenOf } from '../../../src/core/token/link.ts';
import { expire } from '../../../src/core/token/expire.ts';
import { Source, shieldOf } from '../../../src/core/token/source.ts';

/** A clock whose time goes on while no timer fires, as in a synchronous loop. */
function busyClock(): Clock & { at: number; armed: number } {
  const clock = {
    at: 0,
    armed: 0,
    now: () => clock.at,
    setTimer: () => {
      clock.armed++;
      return { release: () => void clock.armed-- };
    },
  };
  return clock;
}

function expired(token: CancellationToken): boolean {
  expire(tokenOf(token));
  return token.isCancelled;
}

describe('expire', () => {
  it('cancels what a timer would have cancelled by now, and nothing before its time', () => {
    const clock = busyClock();
    const source = new CancellationTokenSource({ name: 's', timeoutMs: 10, clock });
    const heard = vi.fn();
    source.token.onCancelled(heard);
    clock.at = 9.9;
    expect(expired(source.token)).toBe(false);
    clock.at = 10;
    expect(expired(source.token)).toBe(true);
    expect(source.reason).toMatchObject({ kind: 'deadline', source: 's' });
    expect(expired(source.token)).toBe(true);
    expect(heard).toHaveBeenCalledTimes(1);
    expect(clock.armed).toBe(0);
  });

  it('looks at everything above, and the earliest limit wins', () => {
    for (const [rootMs, leafMs, winner] of [
      [10, 20, 'root'],
      [20, 10, 'leaf'],
      [10, 10, 'root'],
    ] as const) {
      const clock = busyClock();
      const root = new CancellationTokenSource({ name: 'root', timeoutMs: rootMs, clock });
      const leaf = root.token.child().token.child({ name: 'leaf', timeoutMs: leafMs });
      clock.at = 30;
      expect(expired(leaf.token)).toBe(true);
      expect(leaf.reason?.source).toBe(winner);
    }
  });

  it('stops at a shield, at a released token and where there is no limit', () => {
    const clock = busyClock();
    const root = new CancellationTokenSource({ timeoutMs: 10, clock });
    const shield = new Source(shieldOf(tokenOf(root.token)));
    const own = new Source(shieldOf(tokenOf(root.token)), { timeoutMs: 20 });
    const released = root.token.child({ timeoutMs: 5 });
    released.release();
    clock.at = 30;
    expect([expired(shield.token), expired(released.token), expired(CancellationToken.none)]).toEqual([
      false,
      false,
      false,
    ]);
    expect([expired(own.token), root.isCancelled]).toEqual([true, false]);
    expect(expired(new CancellationTokenSource().token)).toBe(false);
  });

  it('of any is the earliest of its parents', () => {
    const clock = busyClock();
    const [one, two] = [20, 10].map((timeoutMs) => new CancellationTokenSource({ timeoutMs, clock }));
    const any = CancellationToken.any(one!.token, two!.token.child().token);
    const below = any.child({ timeoutMs: 1_000, clock });
    expect(expired(below.token)).toBe(false);
    clock.at = 30;
    expect(expired(below.token)).toBe(true);
    expect(below.reason).toBe(two!.reason);
  });

  it('of all needs every limit to have passed', () => {
    const clock = busyClock();
    const [one, two] = [20, 10].map((timeoutMs) => new CancellationTokenSource({ timeoutMs, clock }));
    const all = CancellationToken.all(one!.token, two!.token);
    clock.at = 15;
    expect(expired(all)).toBe(false);
    clock.at = 30;
    expect(expired(all)).toBe(true);
    expect(all.reason).toBe(one!.reason);
  });
});
