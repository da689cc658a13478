import { describe, expect, it } from 'vitest';

import { guardTool, toolContextOf } from '../../../src/guard/index.ts';
import { startGuarded } from '../../../src/guard/pieces/guarded-stream.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { deaf, errorOf, stage, tick } from '../../core/interrupt/kit.ts';

function pieces(signal: AbortSignal, run: () => AsyncGenerator) {
  const call = { name: 'tail', args: [{ signal }], options: { graceMs: 20 }, run };
  return startGuarded(call, async function* () {}) as AsyncGenerator;
}

async function collect(stream: AsyncIterable<unknown>, seen: unknown[] = []): Promise<unknown[]> {
  for await (const piece of stream) seen.push(piece);
  return seen;
}

async function* count(to: number): AsyncGenerator<number, string> {
  for (let n = 1; n <= to; n++) yield await Promise.resolve(n);
  return 'counted';
}

/** A tool of nine pieces, with a note of its end. */
function nine(closed: string[]) {
  return async function* (): AsyncGenerator<number> {
    try {
      yield* count(9);
    } finally {
      closed.push('closed');
    }
  };
}

describe('a tool that gives its result in pieces', () => {
  it('a tool that gives its result in pieces is one call, from the first piece to the last', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ signal }) => collect(pieces(signal, () => count(3))));
    expect(report.unwrap()).toEqual([1, 2, 3]);
    expect(report.calls).toMatchObject([{ name: 'tail', status: 'completed', value: 'counted' }]);
  });

  it.each(['ok', { ok: true }])(
    'a tool that gives its result in pieces ends late with one that stands for its value, if a form is made of the last: %j',
    async (value) => {
      const { agent } = stage();
      const tool = {
        inputSchema: {},
        toModelOutput: ({ output }: { readonly output: unknown }) => ({ type: 'json', value: output }),
        execute: async function* (_input: object, _options: object): AsyncGenerator {
          yield await Promise.resolve('half');
          yield value;
          agent.cancelCall('a', 'user');
          await tick();
        },
      };
      const { execute, toModelOutput } = guardTool(tool, { dialect: openaiChat });
      const report = await agent.runTurn(({ signal }) =>
        collect(execute({}, { abortSignal: signal, toolCallId: 'a', messages: [] })),
      );
      const last = report.unwrap().at(-1);
      expect(last).not.toBe(value);
      expect(JSON.stringify(toModelOutput({ output: last, toolCallId: 'a' } as never))).toContain('told to stop');
      expect(JSON.stringify(toModelOutput({ output: value, toolCallId: 'a' } as never))).not.toContain('told to stop');
    },
  );

  it('a tool that gives its result in pieces and returns nothing has its last piece as its value', async () => {
    const { agent } = stage();
    const pay = async function* (): AsyncGenerator<string> {
      yield await Promise.resolve('paying');
      yield 'receipt 42';
    };
    const report = await agent.runTurn(({ signal }) => collect(pieces(signal, pay)));
    expect(report.unwrap()).toEqual(['paying', 'receipt 42']);
    expect(report.calls).toMatchObject([{ name: 'tail', status: 'completed', value: 'receipt 42' }]);
  });

  it.each([true, false])(
    'a tool that gives its result in pieces whose reader leaves; stopped: %o',
    async (isStopped) => {
      const { agent } = stage();
      const report = await agent.runTurn(async ({ signal }) => {
        for await (const piece of pieces(signal, () => count(3)))
          if (piece === 2) {
            if (isStopped) agent.cancel('user');
            break;
          }
      });
      const call = isStopped ? { status: 'stopped', partial: 2 } : { status: 'completed', value: 2 };
      expect(report.calls).toMatchObject([{ name: 'tail', ...call }]);
    },
  );

  it('a tool that gives its result in pieces that nobody reads is no call at all', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ signal }) => void pieces(signal, () => count(3)));
    expect(report.calls).toEqual([]);
  });

  it('a tool that gives its result in pieces does not open after the stop', async () => {
    const { agent } = stage();
    let opened = 0;
    const report = await agent.runTurn(async ({ signal }) => {
      agent.cancel();
      await errorOf(collect(pieces(signal, () => (opened++, count(1)))));
    });
    expect([opened, report.calls[0]?.status]).toEqual([0, 'not-started']);
  });

  it('a tool that gives its result in pieces that is stuck is left behind within its grace, its last piece kept', async () => {
    const { agent, clock } = stage();
    const seen: unknown[] = [];
    let error: unknown;
    const turn = agent.runTurn(async ({ signal }) => {
      const stuck = async function* (): AsyncGenerator<string> {
        yield 'half';
        await deaf();
      };
      error = await errorOf(collect(pieces(signal, stuck), seen));
    });
    await tick();
    agent.cancel();
    await clock.advance(20);
    const report = await turn;
    expect(seen).toEqual(['half']);
    expect(error).toMatchObject({ name: 'AbortError', abandoned: { name: 'tail' } });
    expect(report.calls).toMatchObject([{ status: 'unknown', partial: 'half' }]);
  });

  it('a tool that gives its result in pieces fails with its own error', async () => {
    const { agent } = stage();
    const broken = new Error('broken');
    const report = await agent.runTurn(
      ({ signal }) =>
      errorOf(collect(pieces(signal, async function* () { yield await Promise.reject(broken); }))), // prettier-ignore
    );
    expect(report.unwrap()).toBe(broken);
    expect(report.calls).toMatchObject([{ status: 'failed', error: broken }]);
  });

  it('a tool that gives its result in pieces is over when its reader leaves, and its source is told', async () => {
    const { agent } = stage();
    const closed = deferred<string>();
    const report = await agent.runTurn(async ({ signal }) => {
      const source = async function* (): AsyncGenerator<number> {
        try {
          yield* count(9);
        } finally {
          closed.resolve('closed');
        }
      };
      for await (const piece of pieces(signal, source)) if (piece === 2) break;
      return closed.promise;
    });
    expect(report.unwrap()).toBe('closed');
    expect(report.calls).toMatchObject([{ status: 'completed' }]);
  });

  const held = async (signal: AbortSignal): Promise<never> =>
    await new Promise((_resolve, reject) => {
      const stop = (): void => {
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', stop, { once: true });
    });

  it.each<[string, RegExp, (signal: AbortSignal) => Promise<unknown>]>([
    ['stopped', /^This call was stopped part-way/, held],
    ['declined', /Their words: no/, async (signal) => await Promise.resolve(toolContextOf(signal)?.decline('no'))],
    ['unknown', /may still complete/, deaf],
  ])(
    'a tool that gives its result in pieces and is %s ends with the words of the dialect',
    async (status, words, go) => {
      const { agent, clock } = stage();
      const source = async function* (_input: object, { signal }: { readonly signal: AbortSignal }) {
        yield 'half';
        await go(signal);
      };
      const running = agent.runTurn(({ signal }) => {
        const guarded = guardTool(source, { dialect: openaiChat, graceMs: 20 });
        return collect(guarded({}, { signal, toolCallId: 'a' } as never));
      });
      await tick();
      agent.cancelCall('a', 'user');
      await clock.advance(20);
      const report = await running;
      expect(report.unwrap()).toEqual(['half', expect.stringMatching(words)]);
      expect(report.calls).toMatchObject([{ status }]);
    },
  );

  it.each([true, false])(
    'a tool that gives its result in pieces gives none once it was left behind; dialect: %o',
    async (hasWords) => {
      const { agent, clock } = stage();
      const seen: unknown[] = [];
      const late = deferred();
      const source = async function* (_given: object) {
        try {
          yield 'half';
        } finally {
          await late.promise;
          yield 'late';
        }
      };
      const report = await agent.runTurn(async ({ signal }) => {
        const guarded = guardTool(source, { dialect: hasWords ? openaiChat : undefined, graceMs: 20 });
        const pieces = guarded({ signal, toolCallId: 'a' });
        const first = await pieces.next();
        // The reader is busy with it while the call is stopped and given up.
        agent.cancelCall('a', 'user');
        await clock.advance(20);
        late.resolve();
        await tick();
        seen.push(first.value);
        await collect(pieces, seen).catch((error: unknown) => seen.push(error));
      });
      expect(report.calls).toMatchObject([{ status: 'unknown', partial: 'half' }]);
      const last: unknown = hasWords
        ? expect.stringContaining('may still complete')
        : expect.objectContaining({ abandoned: { name: 'source' } });
      expect(seen).toEqual(['half', last]);
    },
  );

  it('a tool that gives its result in pieces and is left behind is named until its generator has unwound', async () => {
    const { agent, clock } = stage();
    const late: unknown[] = [];
    agent.onEvent((event) => event.type === 'late-settled' && late.push([event.name, event.status]));
    const work = deferred();
    const turn = agent.runTurn(({ signal }) => {
      const busy = async function* (): AsyncGenerator<string> {
        yield 'half';
        await work.promise;
        yield 'written';
      };
      return collect(pieces(signal, busy));
    });
    await tick();
    const stop = agent.cancel('user');
    await clock.advance(20);
    const report = await turn;
    expect([report.calls[0]?.status, (await stop.settled).abandoned]).toEqual(['unknown', ['tail']]);
    await tick();
    expect([late, agent.takeLateOutcomes()]).toEqual([[], []]);
    work.resolve();
    await tick();
    expect(late).toEqual([['tail', 'cancelled']]);
    expect(agent.takeLateOutcomes()).toMatchObject([{ name: 'tail', status: 'stopped' }]);
  });

  it('a tool that gives its result in pieces is closed by a stop where it stands, and has stopped', async () => {
    const { agent, clock } = stage();
    const closed: string[] = [];
    const turn = agent.runTurn(async ({ signal }) => {
      // Its reader has left without a word.
      return (await pieces(signal, nine(closed)).next()).value;
    });
    await tick();
    const stop = agent.cancel('user');
    await clock.advance(20);
    expect((await stop.settled).abandoned).toEqual([]);
    expect(closed).toEqual(['closed']);
    expect((await turn).calls).toMatchObject([{ status: 'stopped', partial: 1 }]);
  });

  it.each<[string, (pieces: AsyncGenerator) => Promise<unknown>]>([
    ['sends values', async (it) => [await it.next('lost'), await it.next('b'), await it.next(), await it.next()]],
    [
      'throws what the generator handles',
      async (it) => [await it.next(), await it.throw(new Error('no')), await it.next()],
    ],
    ['throws before it begins', async (it) => [await errorOf(it.throw(new Error('early'))), await it.next()]],
    ['leaves', async (it) => [await it.next(), await it.return('enough'), await it.next()]],
    ['leaves before it begins', async (it) => [await it.return('enough'), await it.next()]],
    ['asks for all at once', (it) => Promise.all([it.next(), it.next('b'), it.next(), it.return(1), it.next()])],
  ])(
    'a tool that gives its result in pieces is to a reader that %s what it is without its guard',
    async (_what, use) => {
      const told = async (guarded: boolean): Promise<unknown[]> => {
        const log: unknown[] = [];
        const source = async function* (_given: object) {
          try {
            log.push(yield 1);
            yield 2;
          } catch (error) {
            yield String(error);
          } finally {
            await tick();
            log.push('closed');
          }
          return 'all';
        };
        const { agent } = stage();
        const report = await agent.runTurn(({ signal }) => use((guarded ? guardTool(source) : source)({ signal })));
        return [report.unwrap(), log];
      };
      expect(await told(true)).toEqual(await told(false));
    },
  );

  it('a tool that gives its result in pieces and is stuck in its clean-up keeps a reader that leaves for its grace', async () => {
    const { agent, clock } = stage();
    const leaving = agent.runTurn(async ({ signal }) => {
      const source = async function* (): AsyncGenerator<number> {
        try {
          yield* count(9);
        } finally {
          await deaf();
        }
      };
      const reading = pieces(signal, source);
      await reading.next();
      return reading.return('enough');
    });
    await tick();
    agent.cancel('user');
    await clock.advance(20);
    const report = await leaving;
    expect(report.calls).toMatchObject([{ status: 'unknown', partial: 1 }]);
    expect(report).toMatchObject({ status: 'cancelled', completed: { value: { done: true, value: 'enough' } } });
  });

  it.each([true, false])(
    'a tool that gives its result in pieces and cannot be closed says so to its reader; stopped: %o',
    async (isStopped) => {
      const { agent } = stage();
      const broken = new Error('could not close');
      const report = await agent.runTurn(async ({ signal }) => {
        const source = async function* (): AsyncGenerator<number> {
          try {
            yield* count(9);
          } finally {
            await tick();
            throw broken;
          }
        };
        const reading = pieces(signal, source);
        await reading.next();
        const leaving = errorOf(reading.return(undefined));
        if (isStopped) agent.cancel('user');
        return leaving;
      });
      expect(report.calls).toMatchObject([{ status: 'failed', error: broken }]);
      expect(isStopped || report.unwrap() === broken).toBe(true);
    },
  );

  class Hits {
    readonly query = 'x';
    async *[Symbol.asyncIterator](): AsyncGenerator<string> {
      yield await Promise.resolve('searching');
      yield `${this.query}: 3 hits`;
    }
  }

  it.each<[string, (given: object) => AsyncIterable<unknown>]>([
    ['a generator', () => new Hits()[Symbol.asyncIterator]()],
    ['an instance of a class', () => new Hits()],
    ['a literal', () => ({ query: 'x', [Symbol.asyncIterator]: () => new Hits()[Symbol.asyncIterator]() })],
  ])('a tool that gives its result in pieces may return them at once, as %s', async (_what, tool) => {
    const { agent } = stage();
    const bare = tool({});
    const report = await agent.runTurn(async ({ signal }) => {
      const given = guardTool(tool, { graceMs: 20 })({ signal });
      const like = [Object.prototype.toString.call(given), given.constructor, Reflect.get(given, 'query')];
      expect(like).toEqual([Object.prototype.toString.call(bare), bare.constructor, Reflect.get(bare, 'query')]);
      return await collect(given);
    });
    expect(report.unwrap()).toEqual(['searching', 'x: 3 hits']);
    expect(report.calls).toMatchObject([{ name: 'tool', status: 'completed', value: 'x: 3 hits' }]);
  });

  it('a tool that gives its result in pieces and has returned them is stopped where nobody reads them', async () => {
    const { agent } = stage();
    const running = agent.runTurn(({ signal }) => {
      guardTool((_given: object) => new Hits(), { graceMs: 20 })({ signal });
    });
    await tick();
    agent.cancel('user');
    expect((await running).calls).toMatchObject([{ status: 'stopped' }]);
  });

  /** What is read by an iterator that is written by hand, and counts on whatever it is told. */
  const handWritten: readonly (readonly [string, object])[] = [
    ['has no way to be left', {}],
    ['goes on after it was left', { return: () => Promise.resolve({ done: true, value: undefined }) }],
  ];

  it.each(handWritten)(
    'a tool that gives its result in pieces by an iterator that %s is not read on after its stop',
    async (_what, leaving) => {
      const { agent } = stage();
      let asked = 0;
      const next = () => Promise.resolve({ done: asked > 20, value: ++asked });
      const tail = (_given: object): AsyncIterable<number> => ({
        [Symbol.asyncIterator]: () => ({ next, ...leaving }),
      });
      const seen: unknown[] = [];
      let error: unknown;
      const report = await agent.runTurn(async ({ signal }) => {
        const reading = (async () => {
          for await (const piece of guardTool(tail, { graceMs: 20 })({ signal, toolCallId: 'a' })) {
            seen.push(piece);
            if (piece === 2) agent.cancelCall('a', 'user');
          }
        })();
        error = await errorOf(reading);
      });
      expect([seen, asked, (error as Error).name]).toEqual([[1, 2], 2, 'AbortError']);
      expect(report.calls).toMatchObject([{ status: 'stopped', partial: 2 }]);
    },
  );

  it('a tool that gives its result in pieces by an iterator that ends its reads when it is left has stopped', async () => {
    const { agent } = stage();
    let end: (piece: IteratorResult<string>) => void = () => undefined;
    const over = { done: true, value: undefined } as const;
    const events = (_given: object): AsyncIterable<string> => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise((resolve) => (end = resolve)),
        return: async () => await Promise.resolve((end(over), over)),
      }),
    });
    const running = agent.runTurn(({ signal }) => errorOf(collect(guardTool(events)({ signal, toolCallId: 'a' }))));
    await tick();
    agent.cancelCall('a', 'user');
    const report = await running;
    expect(report.unwrap()).toMatchObject({ name: 'AbortError' });
    expect(report.calls).toMatchObject([{ status: 'stopped' }]);
  });

  it('a tool that gives its result in pieces by an iterator without a way out is waited for while it reads', async () => {
    const { agent, clock } = stage();
    const stuck = (_given: object): AsyncIterable<string> => ({
      [Symbol.asyncIterator]: () => ({ next: deaf as never }),
    });
    const running = agent.runTurn(({ signal }) => collect(guardTool(stuck, { graceMs: 20 })({ signal })));
    await tick();
    agent.cancel('user');
    await clock.advance(20);
    expect((await running).calls).toMatchObject([{ status: 'unknown' }]);
  });

  it('a tool that gives its result in pieces and returns them twice over is one call, of the first reader', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ signal }) => {
      const given = guardTool((_given: object) => new Hits())({ signal });
      return [await collect(given), await collect(given)];
    });
    expect(report.unwrap()).toEqual([
      ['searching', 'x: 3 hits'],
      ['searching', 'x: 3 hits'],
    ]);
    expect(report.calls).toHaveLength(1);
  });

  it('a tool that gives its result in pieces and can be waited for as well is waited for', async () => {
    const { agent } = stage();
    const both = (_given: object) => Object.assign(Promise.resolve('ended'), new Hits(), { [Symbol.asyncIterator]: () => count(3) }); // prettier-ignore
    const report = await agent.runTurn(({ signal }) => guardTool(both)({ signal }));
    expect(report.unwrap()).toBe('ended');
    expect(report.calls).toMatchObject([{ status: 'completed', value: 'ended' }]);
  });
});
