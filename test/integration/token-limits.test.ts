/** Sizes at which a recursion overflows and a quadratic loop hangs. Real memory and real time. */
import { afterEach, describe, expect, it } from 'vitest';

import { systemClock } from '../../src/core/foundation/clock.ts';
import { CancellationToken, CancellationTokenSource } from '../../src/index.ts';
import { tokenOf } from '../../src/core/token/bridge/linked-tokens.ts';
import { Source } from '../../src/core/token/source.ts';
import { shieldOf } from '../../src/core/token/token.ts';
import { limitMs } from '../support/limit.ts';
import { runModule } from './support/run-module.ts';

const MILLION = 1_000_000;

function chain(length: number): CancellationTokenSource[] {
  const sources = [new CancellationTokenSource()];
  for (let i = 1; i < length; i++) sources.push(sources[i - 1]!.token.child());
  return sources;
}

/** Any of a child and something else, again and again: each level has several parents. */
function ladder(levels: number, start: CancellationToken): CancellationToken {
  const other = new CancellationTokenSource().token;
  let token = start;
  for (let i = 0; i < levels; i++) token = CancellationToken.any(token.child().token, other);
  return token;
}

/** Every level follows the one above in two ways: a walk of all ways would double at each. */
function lattice(levels: number, start: CancellationToken): CancellationToken {
  let token = start;
  for (let i = 0; i < levels; i++) token = CancellationToken.any(token.child().token, token.child().token);
  return token;
}

/** Makes every live node look up again. */
function stir(): void {
  const elsewhere = new CancellationTokenSource();
  elsewhere.token.child();
  elsewhere.cancel();
}

afterEach(() => {
  globalThis.gc?.();
});

describe('a chain of a million (I8)', () => {
  it('is cancelled, read, killed and released, with a listener at the end', () => {
    const sources = chain(MILLION);
    const leaf = sources.at(-1)!;
    const heard: string[] = [];
    leaf.token.onCancelled(() => void heard.push('cancel'));
    leaf.token.onKilled(() => void heard.push('kill'));
    expect([leaf.isCancelled, leaf.token.deadlineAt, leaf.token.canBeCancelled]).toEqual([false, Infinity, true]);
    sources[0]!.cancel('user');
    expect([leaf.isCancelled, leaf.reason]).toEqual([true, sources[0]!.reason]);
    sources[0]!.kill();
    expect(leaf.token.isKilled).toBe(true);
    for (const source of sources) source.release();
    expect(heard).toEqual(['cancel', 'kill']);
  });

  it('is read where nobody listens, and released from the end', () => {
    const sources = chain(MILLION);
    stir();
    expect(sources.at(-1)!.isCancelled).toBe(false);
    sources[0]!.cancel('user');
    expect(sources.at(-1)!.reason).toBe(sources[0]!.reason);
    const live = chain(MILLION);
    live.at(-1)!.token.onCancelled(() => {});
    for (const source of live.reverse()) source.release();
    expect(tokenOf(live.at(-1)!.token).extra?.watch ?? 0).toBe(0);
  });

  it('is unwound from the end after a cancel, as nested work does', () => {
    const sources = chain(200_000);
    sources[0]!.cancel('user');
    for (const source of sources.reverse()) source.release();
    expect(sources.every((source) => source.isCancelled)).toBe(true);
  });
});

describe('a fan of a million (I8)', () => {
  it('is cancelled, read and released', () => {
    const parent = new CancellationTokenSource();
    const kids = Array.from({ length: MILLION }, () => parent.token.child());
    let heard = 0;
    for (const kid of kids) kid.token.onCancelled(() => void heard++);
    parent.cancel('user');
    expect(heard).toBe(MILLION);
    expect(kids.every((kid) => kid.isCancelled)).toBe(true);
    for (const kid of kids) kid.release();
  });

  it('lets go of its listeners in any order, and is a relay for the others once it is released', () => {
    const parent = new CancellationTokenSource();
    const registrations = Array.from({ length: MILLION }, () => parent.token.child().token.onCancelled(() => {}));
    const half = registrations.splice(0, MILLION / 2);
    for (const registration of registrations.reverse()) registration.unregister();
    for (const registration of half) registration.unregister();
    expect(tokenOf(parent.token).extra?.watch).toBe(0);
    for (let i = 0; i < MILLION; i++) parent.token.child().token.onCancelled(() => {});
    parent.release();
    expect(tokenOf(parent.token).extra?.watch).toBe(MILLION);
  });

  it.each(['onCancelled', 'onKilled'] as const)('%s: 200,000 on one token, taken out backwards, and run', (method) => {
    const source = new CancellationTokenSource();
    const registrations = Array.from({ length: 200_000 }, () => source.token[method](() => {}));
    for (const registration of registrations.reverse()) registration.unregister();
    let heard = 0;
    for (let i = 0; i < 200_000; i++) source.token[method](() => void heard++);
    source.kill();
    expect(heard).toBe(200_000);
  });
});

describe('links', () => {
  it('any of a child, nested 100,000 deep: read, limited, cancelled, killed', () => {
    const source = new CancellationTokenSource({ timeoutMs: 1e9 });
    const token = ladder(100_000, source.token);
    stir();
    expect(token.isCancelled).toBe(false);
    expect(token.canBeCancelled).toBe(true);
    expect(token.deadlineAt).toBe(source.token.deadlineAt);
    expect(token.remainingMs()).toBeGreaterThan(0);
    const heard: string[] = [];
    token.onCancelled(() => void heard.push('cancel'));
    token.onKilled(() => void heard.push('kill'));
    source.cancel('user');
    expect([token.reason, token.isKilled]).toEqual([source.reason, false]);
    source.kill();
    expect(token.isKilled).toBe(true);
    expect(heard).toEqual(['cancel', 'kill']);
  });

  it('all of all, nested 100,000 deep', () => {
    const last = new CancellationTokenSource();
    let { token } = last;
    const others = Array.from({ length: 100_000 }, () => new CancellationTokenSource());
    for (const other of others) token = CancellationToken.all(token, other.token);
    stir();
    expect([token.isCancelled, token.canBeCancelled, token.deadlineAt]).toEqual([false, true, Infinity]);
    for (const other of others) other.cancel();
    expect(token.isCancelled).toBe(false);
    last.cancel('user');
    expect(token.reason).toBe(last.reason);
  });

  it('100,000 shields inside each other: live through the cancel, gone with the kill', () => {
    const source = new CancellationTokenSource();
    let shield = new Source(shieldOf(tokenOf(source.token)));
    for (let i = 1; i < 100_000; i++) shield = new Source(shieldOf(shield.token));
    stir();
    expect(shield.isCancelled).toBe(false);
    source.cancel('user');
    expect(shield.isCancelled).toBe(false);
    source.kill();
    expect([shield.token.isKilled, shield.reason]).toEqual([true, source.reason]);
  });

  it('300,000 parents', () => {
    const top = new CancellationTokenSource();
    const parents = Array.from({ length: 300_000 }, () => top.token.child());
    const tokens = parents.map((parent) => parent.token);
    const joined = new CancellationTokenSource({ parent: tokens });
    const all = CancellationToken.all(...tokens.slice(0, 50_000));
    stir();
    for (const token of [joined.token, all]) {
      expect([token.isCancelled, token.deadlineAt, token.isKilled]).toEqual([false, Infinity, false]);
    }
    parents[150_000]!.cancel('user');
    expect(joined.reason).toBe(parents[150_000]!.reason);
    top.kill();
    expect([all.reason, all.isKilled, joined.token.isKilled]).toEqual([top.reason, true, true]);
  });

  it('a lattice is not walked along each of its ways', () => {
    const source = new CancellationTokenSource({ timeoutMs: 1e9 });
    const token = lattice(26, source.token);
    const before = performance.now();
    let heard = 0;
    token.onKilled(() => void heard++);
    expect(token.deadlineAt).toBe(source.token.deadlineAt);
    source.cancel('user');
    expect(token.isCancelled).toBe(true);
    source.kill();
    expect([token.isKilled, heard]).toEqual([true, 1]);
    expect(performance.now() - before).toBeLessThan(limitMs(5_000));
  });
});

describe('time', () => {
  it('10,000 limits beyond what a timer can hold do not fire, nor warn', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on('warning', hear);
    const sources = Array.from({ length: 10_000 }, (_, i) => new CancellationTokenSource({ timeoutMs: 2 ** 31 + i }));
    sources.push(new CancellationTokenSource({ timeoutMs: Number.MAX_VALUE }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.off('warning', hear);
    expect(warnings).toEqual([]);
    expect(sources.filter((source) => source.isCancelled)).toEqual([]);
    for (const source of sources) source.release();
  });

  it('10,000 limits pass in order, each once, and not before their time', async () => {
    const rang: number[] = [];
    const early: number[] = [];
    await Promise.all(
      Array.from({ length: 10_000 }, (_, i) => {
        const { token } = new CancellationTokenSource({ timeoutMs: 20 + ((i * 7) % 100) });
        const { deadlineAt } = token;
        token.onCancelled(() => {
          rang.push(deadlineAt);
          if (systemClock.now() < deadlineAt) early.push(deadlineAt - systemClock.now());
        });
        return token.whenCancelled();
      }),
    );
    expect(early).toEqual([]);
    expect(rang.length).toBe(10_000);
    expect(rang.every((at, i) => i === 0 || at >= rang[i - 1]!)).toBe(true);
  });

  it.each<[string, (i: number) => number, number]>([
    ['the same', () => 900_000, 1],
    ['ever later', (i) => 700_000 + i, 1],
    ['mixed', (i) => 500_000 + ((i * 7919) % 100_000), 100],
    ['ever earlier', (i) => 400_000 - i, 100_000],
  ])('100,000 limits, each %s, hold one timer of the host at a time', async (_title, ms, made) => {
    // In a process of its own: a function that takes the place of `setTimeout` later is taken for fake timers.
    const { stdout } = await runModule(`
      const { setTimeout: start, clearTimeout: stop } = globalThis;
      const open = new Set();
      let [count, most] = [0, 0];
      globalThis.setTimeout = (fn, delay) => {
        const timer = start(fn, delay);
        open.add(timer);
        count += 1;
        most = Math.max(most, open.size);
        return timer;
      };
      globalThis.clearTimeout = (timer) => {
        open.delete(timer);
        stop(timer);
      };
      const { CancellationTokenSource } = await import('./src/index.ts');
      const ms = ${String(ms)};
      const sources = Array.from({ length: 100_000 }, (_, i) => new CancellationTokenSource({ timeoutMs: ms(i) }));
      for (const source of sources) source.release();
      console.log(JSON.stringify({ count, most }));`);
    const { count, most } = JSON.parse(stdout) as { count: number; most: number };
    expect(most).toBe(1);
    expect(count).toBeLessThanOrEqual(made);
  });

  it('a pending limit does not keep the process alive', async () => {
    const { stdout } = await runModule(`
      const { CancellationToken } = await import('./src/index.ts');
      CancellationToken.timeout(60_000).onCancelled(() => {});
      console.log('end');`);
    expect(stdout.trim()).toBe('end');
  });
});
