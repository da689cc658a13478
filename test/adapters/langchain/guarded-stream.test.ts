import { afterEach, expect, it, vi } from 'vitest';
import { GuardedStream, type OpenStream } from '../../../src/adapters/langchain/guarded-stream.ts';
import type { Turn } from '../../../src/index.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { deaf, errorOf, hasSettled, stage, tick } from '../../core/interrupt/kit.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

async function* deafAfterOne(): AsyncGenerator {
  yield 'one';
  await deaf();
}

function streamOf(turn: Turn, open: OpenStream, graceMs?: number): GuardedStream {
  return new GuardedStream({ turn, token: turn.token, name: 'crawl', graceMs }, open);
}

it('ends as its source ends, and fails as it fails', async () => {
  const stop = new CancellationTokenSource({ clock });
  const owner = { turn: undefined, token: stop.token, name: 'crawl', graceMs: undefined };
  const seen: unknown[] = [];
  const words = async function* () {
    yield* await Promise.resolve(['a', 'b']);
  };
  for await (const word of new GuardedStream(owner, words)) seen.push(word);
  expect(seen).toEqual(['a', 'b']);
  const error = new Error('broke');
  const broken = new GuardedStream(owner, async function* () {
    yield await Promise.reject(error);
  });
  expect(await errorOf(broken.next())).toBe(error);
  expect(await broken.return()).toEqual({ done: true, value: undefined });
});

it('is not opened after a stop, and is no row of a turn then', async () => {
  const { agent } = stage();
  const open = vi.fn(deafAfterOne);
  let left: unknown;
  const report = await agent.runTurn(async (turn) => {
    const stream = streamOf(turn, open);
    agent.cancel('user');
    left = await errorOf(stream.next());
  });
  expect(left).toMatchObject({ name: 'AbortError' });
  expect(open).not.toHaveBeenCalled();
  expect(report.stop?.operations).toEqual([]);
});

it('a read settles with the stop, and the turn waits for the source within the grace it was given', async () => {
  const { agent, clock: own } = stage({ graceMs: 1000 });
  const read = deferred();
  const running = agent.runTurn(async (turn) => {
    const stream = streamOf(turn, deafAfterOne, 300);
    await stream.next();
    const error = await errorOf(stream.next());
    read.resolve();
    throw error;
  });
  await tick();
  const { settled } = agent.cancel('user');
  await read.promise;
  await own.advance(299);
  expect(await hasSettled(settled)).toBe(false);
  await own.advance(1);
  expect(await settled).toMatchObject({
    abandoned: ['crawl'],
    operations: [{ kind: 'runnable', name: 'crawl', outcome: 'abandoned', ms: 300 }],
  });
  expect((await running).status).toBe('cancelled');
  expect(own.pending).toBe(0);
});

it('a source that unwinds is gone before the report, and is named by nobody', async () => {
  const { agent } = stage();
  const running = agent.runTurn(async (turn) => {
    const stream = streamOf(turn, async function* (signal) {
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve, { once: true });
      });
      yield 'too late';
    });
    await stream.next();
  });
  await tick();
  const report = await agent.cancel('user').settled;
  expect(report).toMatchObject({ abandoned: [], operations: [{ name: 'crawl', outcome: 'cancelled' }] });
  await running;
});

it('without a grace of its own has that of the turn, and later stops name it until it has ended', async () => {
  const { agent, clock: own, events } = stage({ graceMs: 50 });
  const page = deferred<string>();
  const running = agent.runTurn(async (turn) => {
    await streamOf(turn, async function* () {
      yield await page.promise;
    }).next();
  });
  await tick();
  const { settled } = agent.cancel('user');
  await own.advance(50);
  expect((await settled).abandoned).toEqual(['crawl']);
  await running;
  page.resolve('late');
  await tick();
  expect(events).toContainEqual(expect.objectContaining({ type: 'late-settled', name: 'crawl', status: 'cancelled' }));
  // The wait for the source of a reader that has gone.
  await own.runAll();
});

it('leaving a deaf source takes no longer than its grace, and is in the ledger', async () => {
  const { agent, clock: own } = stage();
  const outcomes: unknown[] = [];
  agent.onEvent((event) => event.type === 'operation-ended' && outcomes.push(event.outcome), { operations: true });
  const running = agent.runTurn(async (turn) => {
    const stream = streamOf(turn, deafAfterOne, 40);
    await stream.next();
    void stream.next();
    await stream.return();
  });
  await tick();
  await own.advance(39);
  expect(await hasSettled(running)).toBe(false);
  await own.advance(1);
  expect((await running).status).toBe('completed');
  expect(outcomes).toEqual(['abandoned']);
});

it('what its reader leaves is told by its signal, and holds the turn until it has ended', async () => {
  const { agent, clock: own } = stage();
  const page = deferred<string>();
  const signals: AbortSignal[] = [];
  const running = agent.runTurn(async (turn) => {
    const stream = streamOf(turn, async function* (signal) {
      signals.push(signal);
      yield 'one';
      yield await page.promise;
    });
    await stream.next();
    void stream.next();
    void stream.return();
  });
  await tick();
  expect(signals[0]?.aborted).toBe(true);
  await own.advance(5000);
  expect(await hasSettled(running)).toBe(false);
  page.resolve('late');
  expect((await running).status).toBe('completed');
});

it('at rest holds no turn', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(async (turn) => await streamOf(turn, deafAfterOne).next());
  expect(report).toMatchObject({ status: 'completed', value: { value: 'one' } });
});

it('a source that says it is closed while its read is pending has not ended', async () => {
  const { agent, clock: own } = stage();
  const running = agent.runTurn(async (turn) => {
    const open = () => ({
      [Symbol.asyncIterator]: () => ({ next: deaf, return: () => Promise.resolve({ done: true as const, value: 0 }) }),
    });
    await streamOf(turn, open, 20).next();
  });
  await tick();
  const { settled } = agent.cancel('user');
  await own.advance(20);
  expect((await settled).abandoned).toEqual(['crawl']);
  await running;
});

it('what is thrown into it comes out, once it is closed', async () => {
  const stop = new CancellationTokenSource({ clock });
  const closed = vi.fn();
  const stream = new GuardedStream(
    { turn: undefined, token: stop.token, name: 'x', graceMs: undefined },
    async function* () {
      try {
        yield* await Promise.resolve([1, 2]);
      } finally {
        closed();
      }
    },
  );
  await stream.next();
  const error = new Error('mine');
  expect(await errorOf(stream.throw(error))).toBe(error);
  expect(closed).toHaveBeenCalledOnce();
});
