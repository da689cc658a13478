import { afterEach, describe, expect, it } from 'vitest';

import { DEFAULT_GRACE_MS, Grace, holdGrace, setHolder } from '../../../../src/core/combinators/engine/grace.ts';
import { runUntilCancelled } from '../../../../src/core/combinators/with-cancellation.ts';
import {
  CancellationTokenSource,
  delay,
  scope,
  shield,
  type CancelContext,
  type CancellationToken,
  type Clock,
} from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

const deaf = (): Promise<never> => new Promise(() => undefined);

/** What each level said, and after how many milliseconds from the stop. */
type Log = [name: string, status: string, ms: number][];

/** Work inside work, the last of them `leaf`; each level above cleans up for a while after what it waited for. */
async function nest(
  token: CancellationToken,
  levels: number,
  cleanUpMs: number,
  clock: VirtualClock,
  log: Log,
  leaf = deaf as (c: CancelContext) => unknown,
  graceMs?: number,
): Promise<void> {
  const name = `level ${String(levels)}`;
  const outcome = await runUntilCancelled(
    token,
    async (context) => {
      if (levels === 0) await leaf(context);
      else await nest(context.token, levels - 1, cleanUpMs, clock, log, leaf, graceMs);
      if (cleanUpMs > 0) await delay(context.graceToken, cleanUpMs);
      context.token.throwIfCancelled();
    },
    { name, graceMs },
  );
  log.push([name, outcome.status, clock.now()]);
}

let clock = new VirtualClock();
afterEach(() => {
  expect(clock.pending).toBe(0);
  clock = new VirtualClock();
});

describe('a default grace', () => {
  it('a default grace is what deaf work gets that was given none', async () => {
    const source = new CancellationTokenSource({ clock });
    const outcome = runUntilCancelled(source.token, deaf);
    source.cancel('user');
    await clock.advance(DEFAULT_GRACE_MS);
    expect([(await outcome).status, clock.now()]).toEqual(['abandoned', DEFAULT_GRACE_MS]);
  });

  it.each([
    [0, [1000, 1000, 1000, 1000]],
    [50, [1000, 1050, 1100, 1150]],
    [200, [1000, 1200, 1400, 1600]],
  ])(
    'a default grace of obedient work does not run out over one deaf leaf: clean-up of %i ms a level',
    async (cleanUpMs, at) => {
      const source = new CancellationTokenSource({ clock });
      const log: Log = [];
      const done = nest(source.token, 3, cleanUpMs, clock, log);
      source.cancel('user');
      await clock.advance(5_000);
      await done;
      expect(log).toEqual(at.map((ms, i) => [`level ${String(i)}`, i === 0 ? 'abandoned' : 'cancelled', ms]));
    },
  );

  it('a default grace of four deaf levels is one and three halves', async () => {
    const source = new CancellationTokenSource({ clock });
    const log: Log = [];
    const level = async (token: CancellationToken, depth: number): Promise<void> => {
      const name = `level ${String(depth)}`;
      const outcome = await runUntilCancelled(
        token,
        (context) => {
          if (depth > 0) void level(context.token, depth - 1);
          return deaf();
        },
        { name },
      );
      log.push([name, outcome.status, clock.now()]);
    };
    const done = level(source.token, 3);
    source.cancel('user');
    await clock.advance(5_000);
    await done;
    expect(log.map(([, status, ms]) => [status, ms])).toEqual([1000, 1500, 2000, 2500].map((ms) => ['abandoned', ms]));
  });

  it('a default grace gives its grace token as long as it lasts itself', async () => {
    const source = new CancellationTokenSource({ clock });
    const ended: number[] = [];
    const outer = runUntilCancelled(source.token, async ({ token, graceToken }) => {
      graceToken.onCancelled(() => ended.push(clock.now()));
      await runUntilCancelled(token, deaf);
      await deaf();
    });
    source.cancel('user');
    await clock.advance(5_000);
    expect([(await outer).status, ended]).toEqual(['abandoned', [1500]]);
  });

  it('a default grace is held by a shield, by a clean-up of a scope, and by a ladder of an adapter', async () => {
    for (const below of [
      (token: CancellationToken) => shield(token, (grace) => delay(grace, 1_800), { graceMs: 2_000 }),
      (token: CancellationToken) =>
        scope(
          token,
          async ({ defer, token: own }) => {
            defer((grace) => delay(grace, 1_800));
            await delay(own, 60_000);
          },
          { graceMs: 2_000 },
        ),
      (token: CancellationToken) =>
        new Promise<void>((resolve) => {
          token.onCancelled(() => {
            const held = holdGrace(token);
            clock.setTimer(
              () => {
                held.release();
                resolve();
              },
              1_800,
              { ref: true },
            );
          });
        }),
    ]) {
      const source = new CancellationTokenSource({ clock });
      const outcome = runUntilCancelled(source.token, async ({ token }) => {
        await below(token).catch(() => undefined);
        token.throwIfCancelled();
      });
      source.cancel('user');
      await clock.advance(5_000);
      expect((await outcome).status).toBe('cancelled');
    }
  });

  it('a default grace is over one turn after those below when all of them are killed', async () => {
    const source = new CancellationTokenSource({ clock });
    const log: Log = [];
    const done = nest(source.token, 3, 0, clock, log);
    source.cancel('user');
    await clock.advance(200);
    source.kill();
    await clock.advance(0);
    await done;
    expect(log.map(([, status, ms]) => [status, ms])).toEqual([
      ['abandoned', 200],
      ['cancelled', 200],
      ['cancelled', 200],
      ['cancelled', 200],
    ]);
  });
});

describe('one turn of the event loop', () => {
  it('one turn of the event loop is all that settle: try waits, whatever is below inside its grace', async () => {
    const source = new CancellationTokenSource({ clock });
    const below: Promise<unknown>[] = [];
    const outer = runUntilCancelled(
      source.token,
      (context) => {
        below.push(runUntilCancelled(context.token, deaf));
        return deaf();
      },
      { settle: 'try' },
    );
    source.cancel('user');
    await clock.advance(0);
    expect([(await outer).status, clock.now()]).toEqual(['abandoned', 0]);
    await clock.advance(DEFAULT_GRACE_MS);
    expect(await Promise.all(below)).toMatchObject([{ status: 'abandoned' }]);
  });
});

describe('a grace that was given on the call', () => {
  it('a grace that was given on the call is kept to the letter, whatever is below', async () => {
    const source = new CancellationTokenSource({ clock });
    const outer = runUntilCancelled(source.token, ({ token }) => runUntilCancelled(token, deaf, { graceMs: 900 }), {
      graceMs: 300,
    });
    source.cancel('user');
    await clock.advance(300);
    expect([(await outer).status, clock.now()]).toEqual(['abandoned', 300]);
    await clock.advance(600);
  });

  it('a grace that was given on the call holds what is above all the same', async () => {
    const source = new CancellationTokenSource({ clock });
    const outer = runUntilCancelled(source.token, async ({ token }) => {
      await runUntilCancelled(token, deaf, { graceMs: 3_000 });
      token.throwIfCancelled();
    });
    source.cancel('user');
    await clock.advance(3_000);
    expect([(await outer).status, clock.now()]).toEqual(['cancelled', 3_000]);
  });
});

describe('a scope', () => {
  it('a scope does not give up its body while its forks unwind', async () => {
    const source = new CancellationTokenSource({ clock });
    const suppressed: unknown[] = [];
    const done = scope(
      source.token,
      async ({ fork, token }) => {
        await fork(deaf, { name: 'fork' }).catch(() => undefined);
        token.throwIfCancelled();
      },
      { onSuppressed: (error) => suppressed.push(error) },
    ).catch((error: unknown) => error);
    source.cancel('user');
    await clock.advance(5_000);
    expect(await done).toMatchObject({ name: 'AbortError', abandoned: { name: 'fork' } });
    expect(suppressed).toHaveLength(1);
  });
});

describe('an owner that decides itself', () => {
  it('names its grace on the token below which its calls stand, and is never held by itself', async () => {
    const source = new CancellationTokenSource({ clock });
    const token = tokenOf(source.token);
    const over: number[] = [];
    const grace = new Grace(clock, token, 100, false, () => over.push(clock.now()));
    setHolder(token, grace);
    const held = holdGrace(source.token.child().token);
    grace.start();
    await clock.advance(500);
    expect([over, grace.endsAt]).toEqual([[], Infinity]);
    held.release();
    held.release();
    expect(grace.endsAt).toBe(550);
    await clock.advance(500);
    expect(over).toEqual([550]);
    grace.end();
  });
});

describe('a loop that was held', () => {
  it.each([
    ['a moment', 49, 149],
    ['less than the grace', 60, 220],
    ['more than the grace', 400, 600],
  ])('a grace gives back the time for which the loop was held: %s', async (_, heldMs, endsAt) => {
    let behind = 0;
    const late: Clock = { now: () => clock.now() + behind, setTimer: clock.setTimer.bind(clock) };
    const over: number[] = [];
    const grace = new Grace(late, tokenOf(new CancellationTokenSource({ clock }).token), 100, true, () =>
      over.push(late.now()),
    );
    grace.start();
    behind = heldMs;
    await clock.advance(1_000);
    expect(over).toEqual([endsAt]);
    grace.end();
  });

  it('a grace gives it back once, and not after a kill', async () => {
    let behind = 0;
    const late: Clock = { now: () => clock.now() + behind, setTimer: clock.setTimer.bind(clock) };
    const over: number[] = [];
    const source = new CancellationTokenSource({ clock });
    const graceOf = (): Grace => new Grace(late, tokenOf(source.token), 100, false, () => over.push(late.now()));
    const grace = graceOf();
    grace.start();
    behind = 200;
    await clock.advance(100);
    behind = 400;
    await clock.advance(100);
    expect(over).toEqual([600]);
    grace.end();
    const killed = graceOf();
    killed.start();
    source.kill();
    behind = 700;
    await clock.advance(0);
    expect(over).toEqual([600, 900]);
    killed.end();
  });
});
