import { afterEach, describe, expect, it, vi } from 'vitest';
import { guardNode, guardRunnable } from '../../../src/adapters/langchain/index.ts';
import type { Turn } from '../../../src/index.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { deaf, errorOf, stage, tick } from '../../core/interrupt/kit.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

interface Config {
  readonly signal?: AbortSignal;
  readonly tags?: string[];
}

function runnable(run: (input: number, config?: Config) => Promise<unknown>) {
  return {
    name: 'fetcher',
    invoke: run,
    stream(input: number, config?: Config): AsyncIterable<unknown> {
      return this._streamIterator(input, config);
    },
    async *_streamIterator(input: number, config?: Config): AsyncGenerator {
      for (let i = 0; i < input; i++) yield await run(i, config);
    },
  };
}

describe('a guarded runnable', () => {
  it('runs under a signal of its own, with the rest of its config', async () => {
    const stop = new CancellationTokenSource();
    const guarded = guardRunnable(runnable((_input, config) => Promise.resolve(config)));
    const config = (await guarded.invoke(1, { signal: stop.signal, tags: ['x'] })) as Config;
    expect(config.tags).toEqual(['x']);
    expect(config.signal).not.toBe(stop.signal);
    stop.cancel();
    expect(config.signal?.aborted).toBe(false);
  });

  it('does not start after a stop of the signal or of the turn', async () => {
    const { agent } = stage();
    const run = vi.fn(() => Promise.resolve(1));
    const stop = new CancellationTokenSource();
    stop.cancel('user');
    expect(await errorOf(guardRunnable(runnable(run)).invoke(1, { signal: stop.signal }))).toBe(stop.signal.reason);
    const report = await agent.runTurn((turn) => {
      agent.cancel('user');
      return guardRunnable(runnable(run), { turn }).invoke(1);
    });
    expect(report.status).toBe('cancelled');
    expect(run).not.toHaveBeenCalled();
  });

  it('that is deaf is left behind after its grace, by name', async () => {
    const stop = new CancellationTokenSource({ clock });
    const running = errorOf(guardRunnable(runnable(deaf), { graceMs: 30 }).invoke(1, { signal: stop.signal }));
    stop.cancel('user');
    await clock.advance(30);
    expect(await running).toMatchObject({ reason: { kind: 'user' }, abandoned: { name: 'fetcher' } });
  });

  it.each(['runnable', 'node'])(
    'and the framework leaves with the stop, is named in the report of the turn; a %s',
    async (kind) => {
      const { agent, clock: own } = stage();
      const options = (turn: Turn) => ({ turn, graceMs: 200, name: 'migrate' });
      const running = agent.runTurn(async (turn) => {
        const work =
          kind === 'node'
            ? guardNode(deaf, options(turn))({}, { signal: turn.signal })
            : guardRunnable(runnable(deaf), options(turn)).invoke(1, { signal: turn.signal });
        work.catch(() => undefined);
        // What a graph does.
        await new Promise((_resolve, reject) => {
          turn.token.onCancelled(() => {
            reject(turn.signal.reason as Error);
          });
        });
      });
      await tick();
      const { settled } = agent.cancel('user');
      let isSettled = false;
      void settled.then(() => (isSettled = true));
      await own.advance(199);
      expect(isSettled).toBe(false);
      await own.advance(1);
      expect((await running).status).toBe('cancelled');
      expect((await settled).abandoned).toEqual(['migrate']);
      expect((await settled).operations).toMatchObject([{ kind, name: 'migrate', outcome: 'abandoned' }]);
    },
  );

  it('streams, until it is stopped', async () => {
    const stop = new CancellationTokenSource({ clock });
    const guarded = guardRunnable(runnable((input) => (input < 2 ? Promise.resolve(input) : deaf())));
    const seen: unknown[] = [];
    const reading = errorOf(
      (async () => {
        for await (const chunk of guarded.stream(5, { signal: stop.signal })) seen.push(chunk);
      })(),
    );
    await tick();
    stop.cancel('user');
    expect(await reading).toMatchObject({ name: 'AbortError' });
    expect(seen).toEqual([0, 1]);
    // What is deaf has the grace of a source that is closed; its reader does not wait for it.
    await clock.advance(1000);
  });

  it('streams to its end, and a reader that leaves ends it', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const guarded = guardRunnable(
      runnable((input, config) => {
        signals.push(config?.signal);
        return Promise.resolve(input);
      }),
    );
    const seen: unknown[] = [];
    for await (const chunk of guarded.stream(3)) seen.push(chunk);
    for await (const chunk of guarded.stream(3)) if (chunk === 0) break;
    expect(seen).toEqual([0, 1, 2]);
    expect(signals.at(-1)?.aborted).toBe(true);
  });
});

describe('a guarded node', () => {
  it('is given its state, and its config with a signal of its own', async () => {
    const stop = new CancellationTokenSource();
    const node = guardNode((state: { n: number }, config: Config) => [state.n, config.tags, config.signal?.aborted]);
    expect(await node({ n: 1 }, { signal: stop.signal, tags: ['x'] })).toEqual([1, ['x'], false]);
    const signalOf = guardNode((_state: object, config: Config) => config.signal);
    expect(await signalOf({}, { signal: stop.signal })).not.toBe(stop.signal);
  });

  it('has the grace it was given', async () => {
    const stop = new CancellationTokenSource({ clock });
    const node = guardNode((_state: object, _config: Config) => deaf(), { graceMs: 30 });
    const failed = errorOf(node({}, { signal: stop.signal }));
    stop.cancel('user');
    await clock.advance(30);
    expect(await failed).toMatchObject({ name: 'AbortError', abandoned: { name: 'runnable' } });
    expect(clock.pending).toBe(0);
  });

  it('does not start after a stop, and is left behind when it is deaf', async () => {
    const { agent, clock: own } = stage();
    const second = vi.fn();
    const running = agent.runTurn(async (turn) => {
      await guardNode(
        function plan(_state: object, _config: Config) {
          return deaf();
        },
        { turn, graceMs: 5 },
      )({}, {}).catch(second);
      return await guardNode(second, { turn })({}, {});
    });
    await tick();
    agent.cancel('user');
    await own.runAll();
    expect((await running).status).toBe('cancelled');
    expect(second).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ abandoned: { name: 'plan' } }));
  });
});

it('refuses what cannot be guarded', () => {
  expect(() => guardRunnable({} as never)).toThrow('runnable must be a runnable of LangChain');
  expect(() => guardRunnable(runnable(deaf), { graceMs: -1 })).toThrow('graceMs');
  expect(() => guardRunnable(runnable(deaf), { turn: {} as never })).toThrow('turn must be a turn');
  expect(() => guardNode('x' as never)).toThrow('node must be a function, got "x"');
});

it('a stream whose reader leaves is closed, and one after a stop is not opened', async () => {
  const returned = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }));
  const opened = vi.fn(() => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: false, value: 'one' }), return: returned }),
  }));
  const source = { ...runnable(deaf), _streamIterator: opened as never };
  const stop = new CancellationTokenSource();
  const guarded = guardRunnable(source) as unknown as ReturnType<typeof runnable>;
  for await (const chunk of guarded._streamIterator(1, { signal: stop.signal })) {
    expect(chunk).toBe('one');
    break;
  }
  expect(returned).toHaveBeenCalledOnce();
  stop.cancel('user');
  expect(await errorOf(guarded._streamIterator(1, { signal: stop.signal }).next())).toBe(stop.signal.reason);
  expect(opened).toHaveBeenCalledOnce();
});
