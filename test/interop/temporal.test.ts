/** The recipe of a Temporal activity with a Stop button, as the page prints it: in the real package's own test environment. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { delay, type CancellationToken } from '../../src/index.ts';
import { memoryBackend, openStopBus } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { loadRecipe } from './support/recipes/page-module.ts';

type Work = (token: CancellationToken, ...args: never[]) => Promise<unknown>;

interface Recipe {
  stoppable(sessions: SessionRegistry, work: Work): (...args: unknown[]) => Promise<unknown>;
  sessionOf(info: {
    readonly activityId: string;
    readonly workflowExecution?: { readonly workflowId: string };
  }): string;
}

/** Its failures are what is tested, and need not be printed. */
const quiet = new DefaultLogger('ERROR');

/** What Temporal makes of an activity's end. */
const endOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    (value) => ['returned', value],
    (error: unknown) => {
      const { name, message, type, nonRetryable } = error as Error & { type?: string; nonRetryable?: boolean };
      const said = [name, message, type].filter((part) => part !== undefined);
      return nonRetryable === true ? [...said, 'for good'] : said;
    },
  );

describe('the recipe of a Temporal activity', () => {
  let recipe: Recipe;

  beforeAll(async () => {
    recipe = (await loadRecipe('docs/recipes/temporal-activity.md')) as Recipe;
  });

  /** A process that asks, and processes that run attempts of one activity. */
  async function stage() {
    const backend = memoryBackend();
    const openProcess = async (): Promise<SessionRegistry> => {
      const bus = await openStopBus(backend);
      const sessions = new SessionRegistry({ bus });
      onTestFinished(() => sessions.drain({ timeoutMs: 0 }).then(() => bus.close()));
      return sessions;
    };
    const front = await openProcess();
    const info = { activityId: 'agent', workflowExecution: { workflowId: 'order-7', runId: 'r' } };
    const attempt = async (work: Work, more: object = {}, worker?: SessionRegistry) => {
      const sessions = worker ?? (await openProcess());
      const env = new MockActivityEnvironment({ ...info, ...more }, { logger: quiet });
      return { env, sessions, run: (...args: unknown[]) => endOf(env.run(recipe.stoppable(sessions, work), ...args)) };
    };
    const stop = () => front.cancel(recipe.sessionOf(info), { kind: 'user', message: 'enough' }, { wait: 'settled' });
    return { attempt, stop };
  }

  it('S32 a Temporal activity is stopped by its id from another process, and not tried again', async () => {
    const { attempt, stop } = await stage();
    const started = deferred();
    let isGone = false;
    const { run } = await attempt(async (token) => {
      started.resolve(undefined);
      try {
        await delay(token, 60_000);
      } finally {
        isGone = true;
      }
    });
    const ended = run();
    await started.promise;
    expect([(await stop()).status, isGone]).toEqual(['settled', true]);
    expect(await ended).toEqual(['ApplicationFailure', 'enough', 'user', 'for good']);
  });

  it('D3 a Temporal activity that is stopped before its attempt begins nothing', async () => {
    const { attempt, stop } = await stage();
    const asked = stop();
    await new Promise((resolve) => setImmediate(resolve));
    let runs = 0;
    const { run } = await attempt(() => Promise.resolve(runs++));
    expect(await run()).toEqual(['ApplicationFailure', 'enough', 'user', 'for good']);
    expect([runs, (await asked).status]).toEqual([0, 'settled']);
  });

  it("a Temporal activity is cancelled by Temporal in Temporal's own words, and returns what it returns", async () => {
    const { attempt } = await stage();
    const started = deferred();
    const { env, run } = await attempt((token) => {
      started.resolve(undefined);
      return delay(token, 60_000);
    });
    const ended = run();
    await started.promise;
    env.cancel('CANCELLED');
    expect(await ended).toEqual(['CancelledFailure', 'CANCELLED']);
    const sum = await attempt((_token, a: number, b: number) => Promise.resolve(a + b));
    expect(await sum.run(3, 4)).toEqual(['returned', 7]);
  });

  it('D10 a Temporal activity that fails, or whose process drains, may be tried again, and a stop holds for the next attempt', async () => {
    const { attempt, stop } = await stage();
    const failing = await attempt(() => Promise.reject(new Error('busy')));
    expect(await failing.run()).toEqual(['Error', 'busy']);
    const started = deferred();
    const draining = await attempt((token) => {
      started.resolve(undefined);
      return delay(token, 60_000);
    });
    const ended = draining.run();
    await started.promise;
    await draining.sessions.drain({ timeoutMs: 0, willRetry: true });
    expect(await ended).toMatchObject(['ApplicationFailure', expect.any(String), 'shutdown']);
    expect(await draining.run()).toMatchObject(['TypeError', expect.stringContaining('drains')]);
    const asked = stop();
    await new Promise((resolve) => setImmediate(resolve));
    let runs = 0;
    expect(await (await attempt(() => Promise.resolve(runs++))).run()).toContain('for good');
    expect([runs, (await asked).status]).toEqual([0, 'settled']);
  });

  it('a Temporal activity whose attempt was given up is begun anew by the same worker, and neither ends the other', async () => {
    const { attempt, stop } = await stage();
    const tokens: CancellationToken[] = [];
    const first = await attempt((token) => {
      tokens.push(token);
      return delay(token, 60_000);
    });
    const ended = first.run();
    await expect.poll(() => tokens.length).toBe(1);
    const second = await attempt((token) => (tokens.push(token), delay(token, 60_000)), {}, first.sessions);
    const again = second.run();
    expect(await ended).toMatchObject(['ApplicationFailure', expect.any(String), 'superseded']);
    await expect.poll(() => tokens.length).toBe(2);
    expect(tokens[1]?.isCancelled).toBe(false);
    expect([(await stop()).status, await again]).toEqual([
      'settled',
      ['ApplicationFailure', 'enough', 'user', 'for good'],
    ]);
  });

  it('a Temporal activity sends heartbeats where it has a timeout for them, and none otherwise', async () => {
    const { attempt } = await stage();
    for (const [heartbeatTimeoutMs, isBeating] of [
      [30, true],
      [undefined, false],
    ] as const) {
      const release = deferred();
      const { env, run } = await attempt(() => release.promise, { heartbeatTimeoutMs });
      let beats = 0;
      env.on('heartbeat', () => beats++);
      const ended = run();
      if (isBeating) await expect.poll(() => beats).toBeGreaterThan(2);
      else await new Promise((resolve) => setTimeout(resolve, 50));
      release.resolve(undefined);
      await ended;
      expect(beats > 0).toBe(isBeating);
    }
  });
});
