import { describe, expect, it, vi } from 'vitest';

import {
  CancellationToken,
  CancellationTokenSource,
  delay,
  moveOnAfter,
  pollUntil,
  retry,
  scope,
  withCancellation,
  type Clock,
} from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { cancelIfOverdue, expire } from '../../../../src/core/token/time/overdue.ts';
import { Source } from '../../../../src/core/token/source.ts';
import { shieldOf } from '../../../../src/core/token/token.ts';

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

it('to ask a token never reads the clock: it costs no more, and says no more, than a field', () => {
  const clock = busyClock();
  const { token } = new CancellationTokenSource({ clock, timeoutMs: 50 });
  const child = token.child();
  clock.at = 60;
  const now = vi.spyOn(clock, 'now');
  for (const each of [token, child.token]) {
    each.throwIfCancelled();
    expect([each.isCancelled, each.isKilled, each.reason, each.signal.aborted]).toEqual([
      false,
      false,
      undefined,
      false,
    ]);
  }
  expect(now).not.toHaveBeenCalled();
});

function expired(token: CancellationToken): boolean {
  expire(tokenOf(token));
  return token.isCancelled;
}

describe('expire', () => {
  it('expire cancels what a timer would have cancelled by now, and nothing before its time', () => {
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

  it('expire looks at everything above, and the earliest limit wins', () => {
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

  it('expire stops at a shield and where there is no limit, and passes through a released token', () => {
    const clock = busyClock();
    const root = new CancellationTokenSource({ timeoutMs: 10, clock });
    const shield = new Source(shieldOf(tokenOf(root.token)));
    const own = new Source(shieldOf(tokenOf(root.token)), { timeoutMs: 20 });
    const released = root.token.child({ timeoutMs: 5 });
    released.release();
    clock.at = 30;
    expect([expired(shield.token), expired(CancellationToken.none)]).toEqual([false, false]);
    expect([expired(own.token), root.isCancelled]).toEqual([true, false]);
    expect([expired(released.token.child().token), released.isCancelled]).toEqual([true, false]);
    expect(expired(new CancellationTokenSource().token)).toBe(false);
  });

  it('any expires with the earliest of its parents', () => {
    const clock = busyClock();
    const [one, two] = [20, 10].map((timeoutMs) => new CancellationTokenSource({ timeoutMs, clock }));
    const any = CancellationToken.any(one!.token, two!.token.child().token);
    const below = any.child({ timeoutMs: 1_000, clock });
    expect(expired(below.token)).toBe(false);
    clock.at = 30;
    expect(expired(below.token)).toBe(true);
    expect(below.reason).toBe(two!.reason);
  });

  it('all expires only when every limit has passed', () => {
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

describe('a start check', () => {
  it('a start check cancels what has passed, and reads no clock where there is no limit', () => {
    const clock = busyClock();
    const now = vi.spyOn(clock, 'now');
    const free = new CancellationTokenSource({ clock });
    expect(cancelIfOverdue(tokenOf(free.token))).toBe(false);
    expect(now).not.toHaveBeenCalled();
    const source = new CancellationTokenSource({ timeoutMs: 5, clock });
    const child = tokenOf(source.token.child().token);
    expect(cancelIfOverdue(child)).toBe(false);
    clock.at = 5;
    expect(cancelIfOverdue(child)).toBe(true);
    expect(child.reason).toBe(source.reason);
    expect(cancelIfOverdue(child)).toBe(true);
  });

  it('a start check leaves a limit to the parent whose limit passed first, when one is armed at its end', () => {
    const clock = busyClock();
    const parent = new CancellationTokenSource({ timeoutMs: 5, clock, name: 'parent' });
    clock.at = 10;
    const child = parent.token.child({ timeoutMs: 0, name: 'child' });
    expect(child.reason).toBe(parent.reason);
    expect(child.reason?.source).toBe('parent');
  });

  it('a start check is asked by everything that starts work: nothing is started under a limit that has passed', async () => {
    const clock = busyClock();
    const work = vi.fn();
    const late = (): CancellationToken => {
      clock.at = 0;
      const { token } = new CancellationTokenSource({ timeoutMs: 5, clock });
      clock.at = 20;
      return token;
    };
    for (const start of [
      () => withCancellation(late(), work),
      () => withCancellation(null, work, { timeoutMs: 0 }),
      () => scope(late(), work),
      () => retry(late(), work),
      () => pollUntil(late(), work),
      () => delay(late(), 1),
    ]) {
      await expect(start()).rejects.toMatchObject({ reason: { kind: 'deadline' } });
    }
    expect(await moveOnAfter(null, 0, work)).toMatchObject({ status: 'cancelled', reason: { kind: 'deadline' } });
    expect(work).not.toHaveBeenCalled();
  });
});
