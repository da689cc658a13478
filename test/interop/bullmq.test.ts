/** The recipe of a BullMQ job with a Stop button, as the page prints it: the real package over a real Redis. */
import { DelayedError, Queue, QueueEvents, type Job, type Worker, type WorkerOptions } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { redisBackend } from '../../src/adapters/redis/index.ts';
import { delay, type CancellationToken } from '../../src/index.ts';
import { openStopBus } from '../../src/remote/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { hasRedis, startRedis, type Engine } from '../support/engines/redis.ts';
import { loadRecipe } from './support/recipes/page-module.ts';

interface Recipe {
  agentWorker(
    queue: string,
    sessions: SessionRegistry,
    work: (job: Job, token: CancellationToken) => Promise<unknown>,
    options: WorkerOptions,
  ): Worker;
  sessionOf(queue: string, jobId: string | undefined): string;
}

describe.runIf(hasRedis())('the recipe of a BullMQ job', () => {
  let engine: Engine;
  let recipe: Recipe;
  let queues = 0;

  beforeAll(async () => {
    engine = await startRedis();
    recipe = (await loadRecipe('docs/recipes/bullmq-worker.md')) as Recipe;
  });
  afterAll(() => engine.stop());

  /** A queue, and processes that each have a registry over a bus of their own. */
  async function stage() {
    const name = `agents-${String(++queues)}`;
    const connection = { host: '127.0.0.1', port: engine.port, maxRetriesPerRequest: null };
    const client = new Redis(engine.port, '127.0.0.1');
    const backend = redisBackend({ client, namespace: name });
    const [queue, events] = [new Queue(name, { connection }), new QueueEvents(name, { connection })];
    const closers: (() => Promise<unknown>)[] = [];
    await events.waitUntilReady();
    onTestFinished(async () => {
      for (const close of closers.reverse()) await close();
      await Promise.all([queue.close(), events.close()]);
      client.disconnect();
    });
    const openProcess = async (): Promise<SessionRegistry> => {
      const bus = await openStopBus(backend);
      const sessions = new SessionRegistry({ bus });
      closers.push(() => sessions.drain({ timeoutMs: 0 }).then(() => bus.close()));
      return sessions;
    };
    const startWorker = async (
      work: (job: Job, token: CancellationToken) => Promise<unknown>,
      options: Partial<WorkerOptions> = {},
    ) => {
      const sessions = await openProcess();
      const worker = recipe.agentWorker(name, sessions, work, { connection, ...options });
      worker.on('error', () => undefined);
      closers.push(() => worker.close());
      await worker.waitUntilReady();
      return { sessions, worker };
    };
    const front = await openProcess();
    const add = async (options = {}) => {
      const job = await queue.add('run', {}, { attempts: 3, ...options });
      const id = recipe.sessionOf(name, job.id);
      const ended = job.waitUntilFinished(events, 20_000).then(
        (value: unknown) => `completed ${String(value)}`,
        (error: unknown) => `failed ${(error as Error).message}`,
      );
      const read = async () => (await queue.getJob(String(job.id))) as Job;
      return { job, id, ended, read, stop: () => front.cancel(id, 'enough', { wait: 'settled', timeoutMs: 15_000 }) };
    };
    return { add, front, startWorker };
  }

  it('S32 a BullMQ job that runs in another process is stopped by its id, once and for good', async () => {
    const { add, startWorker } = await stage();
    const started = deferred();
    let runs = 0;
    let isGone = false;
    await startWorker(async (_job, token) => {
      runs++;
      started.resolve(undefined);
      try {
        await delay(token, 60_000);
      } finally {
        isGone = true;
      }
    });
    const { ended, read, stop } = await add();
    await started.promise;
    const { status } = await stop();
    expect([status, isGone, await ended]).toEqual(['settled', true, 'failed enough']);
    const job = await read();
    expect([await job.getState(), job.attemptsMade, runs]).toEqual(['failed', 1, 1]);
  });

  it('D3 a BullMQ job that is stopped while it waits never begins', async () => {
    const { add, front, startWorker } = await stage();
    const { ended, id, stop } = await add();
    const asked = stop();
    let runs = 0;
    await expect.poll(async () => (await front.look(id)).stop?.status).toBe('pending');
    await startWorker(() => Promise.resolve(runs++));
    expect([await ended, runs, (await asked).status]).toEqual(['failed enough', 0, 'settled']);
  });

  it('D10 a BullMQ job that is stopped between two attempts is not tried again', async () => {
    const { add, startWorker } = await stage();
    let runs = 0;
    await startWorker(() => Promise.reject(new Error(`attempt ${String(++runs)}`)));
    const { ended, read, stop } = await add({ backoff: { type: 'fixed', delay: 1_500 } });
    await expect.poll(async () => (await read()).attemptsMade).toBe(1);
    const { status } = await stop();
    expect([await ended, runs, status]).toEqual(['failed enough', 1, 'settled']);
  });

  it('a BullMQ job that fails is tried again, as without us', async () => {
    const { add, startWorker } = await stage();
    let runs = 0;
    await startWorker(() => (++runs < 3 ? Promise.reject(new Error('busy')) : Promise.resolve('fine')));
    expect([await (await add()).ended, runs]).toEqual(['completed fine', 3]);
    expect([await (await add({ attempts: 1 })).ended, runs]).toEqual(['completed fine', 4]);
  });

  it('D10 a BullMQ job that is stopped between two of its steps does not take the next one', async () => {
    const { add, startWorker } = await stage();
    const steps: number[] = [];
    await startWorker(async (job) => {
      const { step } = job.data as { step?: number };
      steps.push(step ?? 1);
      if (step !== undefined) return 'paid';
      await job.updateData({ step: 2 });
      await job.moveToDelayed(Date.now() + 1_500, job.token);
      throw new DelayedError();
    });
    const { ended, read, stop } = await add({ attempts: 1 });
    await expect.poll(async () => (await read()).getState()).toBe('delayed');
    const asked = stop();
    expect([await ended, steps, (await asked).status]).toEqual(['failed enough', [1], 'settled']);
  });

  it('a BullMQ job that is taken again by its own process, which lost it, supersedes the attempt that runs there', async () => {
    const { add, startWorker } = await stage();
    const tokens: CancellationToken[] = [];
    const { worker } = await startWorker((_job, token) => {
      tokens.push(token);
      return tokens.length > 1 ? Promise.resolve('again') : token.whenCancelled();
    });
    const { ended, read } = await add();
    await expect.poll(() => tokens.length).toBe(1);
    // As BullMQ does with a job whose lock was not renewed in time.
    const { processFn } = worker as unknown as { processFn: (job: Job, lock: string) => Promise<unknown> };
    expect(await processFn(await read(), 'another lock')).toBe('again');
    expect(tokens[0]?.reason?.kind).toBe('superseded');
    expect(await ended).toBe('completed again');
  });

  it('a BullMQ job whose process ends is given back with its attempts, and can be stopped where it goes on', async () => {
    const { add, front, startWorker } = await stage();
    const started = [deferred(), deferred()] as const;
    let runs = 0;
    const work = (_job: Job, token: CancellationToken) => {
      started[runs++]?.resolve(undefined);
      return delay(token, 60_000);
    };
    const first = await startWorker(work);
    const { ended, id, read, stop } = await add();
    await started[0].promise;
    const closed = first.worker.close();
    await first.sessions.drain({ timeoutMs: 0, willRetry: true });
    await closed;
    expect([(await read()).attemptsMade, (await front.look(id)).state]).toEqual([0, 'absent']);
    await startWorker(work);
    await started[1].promise;
    expect([(await stop()).status, await ended, runs]).toEqual(['settled', 'failed enough', 2]);
  });

  it('a BullMQ job that is taken while its process drains is given back untouched', async () => {
    const { add, startWorker } = await stage();
    let runs = 0;
    const first = await startWorker(() => Promise.resolve(runs++));
    await first.sessions.drain({ timeoutMs: 0 });
    const { ended, read } = await add();
    await expect.poll(async () => (await read()).attemptsStarted).toBeGreaterThan(0);
    await first.worker.close();
    expect([runs, (await read()).attemptsMade]).toEqual([0, 0]);
    await startWorker(() => Promise.resolve('elsewhere'));
    expect(await ended).toBe('completed elsewhere');
  });

  it('cancelJob of a BullMQ worker is a stop like any other', async () => {
    const { add, startWorker } = await stage();
    const started = deferred();
    const { worker } = await startWorker((_job, token) => {
      started.resolve(undefined);
      return delay(token, 60_000);
    });
    const { ended, job } = await add();
    await started.promise;
    expect(worker.cancelJob(String(job.id), 'from BullMQ')).toBe(true);
    expect(await ended).toMatch(/^failed /);
  });
});
