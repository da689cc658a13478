import { describe, expect, it } from 'vitest';

import '../../src/adapters/ambient/index.ts';
import { guardTool, toolContextOf } from '../../src/guard/index.ts';
import { isCancelledError } from '../../src/core/foundation/errors.ts';
import { CancellationTokenSource, type InterruptEvent, type TurnReport } from '../../src/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { callGuarded, type GuardOptions } from '../../src/guard/guarded-call.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { call, deaf, errorOf, stage, tick, withReported } from '../core/interrupt/kit.ts';

type Args = readonly unknown[];

/** Calls a tool that says what it was given. */
function guarded(args: Args, run: (...own: never[]) => unknown = () => 'done', options: GuardOptions = {}) {
  return callGuarded({ name: 'search', args, options, run: (own) => run(...(own as never[])) });
}

const rows = (report: TurnReport<unknown>): string[] => report.calls.map(({ id, status }) => `${id} ${status}`);

class Options {
  readonly signal: AbortSignal;
  readonly depth = 2;
  constructor(signal: AbortSignal) {
    this.signal = signal;
  }
}

describe('the signal', () => {
  it.each([
    ['AI SDK', (signal: AbortSignal) => ['in', { abortSignal: signal, toolCallId: 'a1' }], 'a1'],
    ['LangChain', (signal: AbortSignal) => ['in', { signal, toolCall: { id: 'l1' } }], 'l1'],
    [
      'a loop of one’s own, with ids of others in its input',
      (signal: AbortSignal) => [{ toolCallId: 'x1', requestId: 'x2' }, { signal }],
      'search-1',
    ],
    ['OpenAI Agents', (signal: AbortSignal) => [{}, '{}', { signal, toolCall: { callId: 'o1' } }], 'o1'],
    ['Mastra', (signal: AbortSignal) => ['in', { abortSignal: signal, agent: { toolCallId: 'm1' } }], 'm1'],
    ['MCP', (signal: AbortSignal) => ['in', { signal, requestId: 7 }], '7'],
    ['MCP 2', (signal: AbortSignal) => ['in', { mcpReq: { signal, id: 7 }, http: {} }], '7'],
    ['an argument of its own', (signal: AbortSignal) => ['in', signal], 'search-1'],
  ])('the signal is found as %s hands it over, and so is the id', async (_who, argsFor, id) => {
    const { agent } = stage();
    const report = await agent.runTurn(({ signal }) => {
      const args: Args = argsFor(signal);
      return guarded(args, (...own: Args) => {
        type Own = { signal?: AbortSignal; abortSignal?: AbortSignal; mcpReq?: { signal: AbortSignal } };
        const last = own.at(-1) as AbortSignal | Own;
        const given = last instanceof AbortSignal ? last : (last.abortSignal ?? last.signal ?? last.mcpReq?.signal);
        expect(given).toBeInstanceOf(AbortSignal);
        expect(given).not.toBe(signal);
        // Nothing else in it has changed, and nothing of the caller's was touched.
        if (!(last instanceof AbortSignal)) expect(Object.keys(last)).toEqual(Object.keys(args.at(-1) as object));
        return given?.aborted;
      });
    });
    expect(report.unwrap()).toBe(false);
    expect(rows(report)).toEqual([`${id} completed`]);
  });

  it('the signal of an instance is found, and the instance handed over as it is', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ signal }) => {
      const options = new Options(signal);
      return guarded([options], (own) => own === options && options.signal === signal);
    });
    expect(report.unwrap()).toBe(true);
    expect(rows(report)).toEqual(['search-1 completed']);
  });

  it.each<[string, Args, string]>([
    ['its first argument', ['call_9', 'in'], 'call_9'],
    ['its first argument, rather than what is found', ['call_9', { toolCallId: 'a1' }], 'call_9'],
    ['what is found, where it says nothing', ['', { abortSignal: undefined, toolCallId: 'a1' }], 'a1'],
    ['a made one, where it says nothing and nothing is found', [7, 'in'], 'search-1'],
  ])('the id of a call is, by identify, %s', async (_what, args, id) => {
    const { agent } = stage();
    const identify = ([first]: Args): unknown => first;
    const report = await agent.runTurn((turn) => guarded(args, () => 1, { turn, identify }));
    expect(rows(report)).toEqual([`${id} completed`]);
  });

  it('an identify that throws fails the call, and the tool is not run', async () => {
    const { agent } = stage();
    const identify = (): never => {
      throw new Error('what call?');
    };
    let ran = false;
    const report = await agent.runTurn((turn) => guarded(['in'], () => (ran = true), { turn, identify }));
    expect([report.status, ran, report.calls]).toEqual(['failed', false, []]);
  });

  it('the signal is not needed where the turn is given', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      await guarded(['in'], () => 1, { turn });
      agent.cancel();
      return errorOf(guarded(['in'], () => 1, { turn }));
    });
    expect(rows(report)).toEqual(['search-1 completed', 'search-2 not-started']);
  });

  it('the signal that is missing leaves the call as it was', async () => {
    expect(await guarded(['in', { other: 1 }], (...own: Args) => own)).toEqual(['in', { other: 1 }]);
  });
});

describe('a call of a turn', () => {
  it('a call of a turn has one row, also when it is made inside a call that has one', async () => {
    const { agent } = stage();
    const report = await agent.runTurn((turn) =>
      turn.tool(call('c1'), async (_call, { signal }) => [
        await guarded([{ signal }]),
        await guarded([{ signal }], () => 'given', { turn }),
      ]),
    );
    expect(rows(report)).toEqual(['c1 completed']);
    expect(report.unwrap()).toMatchObject({ value: ['done', 'given'] });
  });

  it.each([true, false])(
    'a call of a turn that a guarded call makes has its own row; the turn is named: %s',
    async (isNamed) => {
      const { agent, clock } = stage({ graceMs: 40 });
      const seen: unknown[] = [];
      const running = agent.runTurn(async (turn) => {
        const given = isNamed ? { turn } : {};
        const inner = (id: string, run: () => unknown) => (signal: AbortSignal) =>
          guardTool({ name: 'pay', execute: (_input: object, _own: object) => run() }, given).execute(
            {},
            { abortSignal: signal, toolCallId: id },
          );
        const outer = guardTool(
          {
            name: 'research',
            execute: async (_input: object, { abortSignal }: { abortSignal: AbortSignal; toolCallId: string }) => {
              seen.push(await inner('c2', () => 'paid')(abortSignal));
              // Of the same name, and without an id: nothing says that it is the same call.
              seen.push(await inner('c1', () => 'same')(abortSignal));
              await inner('c3', deaf)(abortSignal);
            },
          },
          given,
        );
        await outer.execute({}, { abortSignal: turn.signal, toolCallId: 'c1' });
      });
      await tick();
      const { settled } = agent.cancel('user');
      await clock.advance(40);
      const report = await running;
      expect(rows(report)).toEqual(['c1 stopped', 'c2 completed', 'c3 unknown']);
      expect(report.calls.map(({ call: made }) => (made as { within?: string }).within)).toEqual([
        undefined,
        'c1',
        'c1',
      ]);
      expect([seen, (await settled).abandoned]).toEqual([['paid', 'same'], ['pay']]);
    },
  );

  it.each([
    ['passes nothing on', []],
    ['passes on a signal of its own', [{ signal: new AbortController().signal }]],
  ])('a call of a turn that a guarded call makes has its own row where it %s', async (_title, args: Args) => {
    const { agent, clock } = stage({ graceMs: 40 });
    const seen: unknown[] = [];
    const inner = (run: () => unknown, name = 'pay') => callGuarded({ name, args, options: {}, run });
    const running = agent.runTurn(({ signal }) =>
      guarded([{ signal, toolCallId: 'c1' }], async () => {
        seen.push(await inner(() => 'paid'));
        // Of the same name, and without an id: nothing says that it is the same call.
        seen.push(await inner(() => 'same', 'search'));
        await inner(deaf);
      }).catch(() => undefined),
    );
    await tick();
    const { settled } = agent.cancelCall('c1', 'not this one');
    await clock.advance(40);
    expect((await settled).operations).toMatchObject([{ name: 'search', outcome: 'cancelled' }]);
    const report = await running;
    expect([rows(report), seen]).toEqual([
      ['c1 stopped', 'pay-2 completed', 'search-3 completed', 'pay-4 unknown'],
      ['paid', 'same'],
    ]);
    expect(report.calls[3]).toMatchObject({ call: { within: 'c1' }, reason: { message: 'not this one' } });
  });

  it('a call of a turn that a call of the loop makes says so', async () => {
    const { agent } = stage();
    const within = (report: TurnReport<unknown>): unknown[] =>
      report.calls.map(({ call: made }) => (made as { within?: string }).within);
    const report = await agent.runTurn(async (turn) => {
      await guarded(['first'], () => 'done', { turn });
      await turn.tool(call('c1'), async () => {
        await guarded(['inner'], () => 'done', { turn });
        await guarded(['other', { abortSignal: undefined, toolCallId: 'c2' }], () => 'done', { turn });
      });
    });
    expect([rows(report), within(report)]).toEqual([
      ['search-1 completed', 'c1 completed', 'search-3 completed', 'c2 completed'],
      [undefined, undefined, 'c1', 'c1'],
    ]);
  });

  it.each<[string, (ok: (value: string) => void) => unknown]>([
    ['nothing', (ok) => void queueMicrotask(() => ok('rows'))], // prettier-ignore
    ['another value', (ok) => (ok('rows'), 42)],
  ])('a call of a turn may return what is waited for by a `then` that returns %s', async (_what, then) => {
    const { agent } = stage();
    const report = await agent.runTurn(({ signal }) => guarded([{ signal }], () => ({ then })));
    expect(report.unwrap()).toBe('rows');
    expect(report.calls).toMatchObject([{ status: 'completed', value: 'rows' }]);
  });

  it('a call of a turn that ignores the stop is answered within its grace, and named', async () => {
    const { agent, clock } = stage();
    let error: unknown;
    const turn = agent.runTurn(async ({ signal }) => {
      error = await errorOf(guarded([{ signal }], deaf, { graceMs: 50 }));
    });
    agent.cancel({ message: 'enough' });
    await clock.advance(49);
    expect(error).toBeUndefined();
    await clock.advance(1);
    const report = await turn;
    expect(error).toMatchObject({ name: 'AbortError', reason: { kind: 'user' }, abandoned: { name: 'search' } });
    expect(report.stop?.abandoned).toEqual(['search']);
    expect(rows(report)).toEqual(['search-1 unknown']);
  });

  it('a call of a turn that ends after the stop is kept, and nothing may follow it', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ signal }) =>
      errorOf(
        guarded([{ signal }], () => {
          agent.cancel();
          return 'written';
        }),
      ),
    );
    expect(report.calls[0]).toMatchObject({ status: 'completed', value: 'written' });
    expect(report.status === 'cancelled' && report.completed?.value).toMatchObject({ completed: { value: 'written' } });
  });

  it('a call of a turn that fails fails, and one that is not to start says why', async () => {
    const { agent } = stage();
    const broken = new Error('broken');
    const report = await agent.runTurn(async ({ signal }) => {
      expect(await errorOf(guarded([{ signal }], () => Promise.reject(broken)))).toBe(broken);
      agent.interject('other', { delivery: 'after-current-tool' });
      expect(await errorOf(guarded([{ signal }]))).toMatchObject({ reason: { kind: 'interjection' } });
    });
    expect(rows(report)).toEqual(['search-1 failed', 'search-2 skipped']);
  });

  it('a message skips the next call of the loop, and none that a running call makes or that is made aside', async () => {
    const { agent } = stage();
    const inner = (signal: AbortSignal) =>
      callGuarded({ name: 'read', args: [{ signal }], options: {}, run: () => 'read' });
    const report = await agent.runTurn(async ({ signal }) => {
      await guarded([{ signal }], (own: { signal: AbortSignal }) => {
        agent.interject('other', { delivery: 'after-current-tool' });
        return inner(own.signal);
      });
      await guarded([{ signal }], () => 'a title', { aside: true });
      await errorOf(guarded([{ signal }]));
    });
    expect(rows(report)).toEqual(['search-1 completed', 'read-2 completed', 'search-3 completed', 'search-4 skipped']);
  });

  it('a call of a turn outlives the cut of the output that asked for it, unless it says otherwise', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ model }) => {
      await model(async ({ signal }) => {
        const heard = (own: { signal: AbortSignal }): Promise<string> =>
          new Promise((resolve) => {
            own.signal.addEventListener('abort', () => {
              resolve('heard');
            });
            setImmediate(() => setImmediate(resolve, 'finished'));
          });
        const both = [guarded([{ signal }], heard), guarded([{ signal }], heard, { onInterject: 'cancel' })];
        agent.interject('now', { delivery: 'now' });
        await Promise.all(both);
        await errorOf(guarded([{ signal }]));
      });
    });
    expect(report.calls.map((row) => row.status === 'completed' ? row.value : row.status)).toEqual(['finished', 'heard', 'skipped']); // prettier-ignore
  });

  it('a call of a turn is stopped by a limit that a framework laid between the turn and the call', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(async ({ token }) => {
      const limited = token.child({ timeoutMs: 30 });
      const error = await errorOf(guarded([{ signal: limited.signal }], deaf, { graceMs: 0 }));
      expect(error).toMatchObject({ reason: { kind: 'deadline' } });
      expect(await errorOf(guarded([{ signal: limited.signal }]))).toMatchObject({ reason: { kind: 'deadline' } });
    });
    await clock.advance(31);
    const report = await turn;
    expect(report.status).toBe('completed');
    expect(rows(report)).toEqual(['search-1 unknown', 'search-2 not-started']);
  });

  it('a call of a turn does not start when its turn is over', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ signal }) => signal);
    let starts = 0;
    const { result: error, errors } = await withReported(() =>
      errorOf(guarded([{ signal: report.unwrap() }], () => starts++)),
    );
    expect(error).toMatchObject({ name: 'AbortError', reason: { kind: 'ended' } });
    expect(errors.map(String)).toEqual([expect.stringContaining('after the body of turn 1 had ended')]);
    expect(starts).toBe(0);
  });
});

describe('a call that is guarded for a turn', () => {
  it.each(['signal', 'flow'] as const)(
    'a call that is guarded for a turn is refused after it, also where its %s leads to another one',
    async (way) => {
      const { agent } = stage();
      let starts = 0;
      let pay: ((signal: AbortSignal) => Promise<unknown>) | undefined;
      await agent.runTurn((turn) => {
        pay = (signal) => guarded(way === 'signal' ? [{ signal }] : [], () => starts++, { turn });
      });
      const { result, errors } = await withReported(() =>
        agent.runTurn(({ signal }) => errorOf(pay?.(signal) ?? Promise.resolve())),
      );
      expect(result.unwrap()).toMatchObject({ name: 'AbortError', reason: { kind: 'ended' } });
      expect([starts, rows(result), errors.length]).toEqual([0, [], 1]);
    },
  );
});

describe('a call of nobody’s turn', () => {
  it('a call of nobody’s turn is stopped by its signal, before, during and after', async () => {
    const stop = new AbortController();
    let starts = 0;
    const during = errorOf(guarded([{ signal: stop.signal }], deaf, { graceMs: 0 }));
    const after = errorOf(
      guarded([{ signal: stop.signal }], async () => {
        await tick();
        return 'late';
      }),
    );
    stop.abort();
    expect(await during).toMatchObject({ name: 'AbortError', abandoned: { name: 'search' } });
    expect(await after).toMatchObject({ name: 'AbortError', completed: { value: 'late' } });
    expect(isCancelledError(await errorOf(guarded([{ signal: stop.signal }], () => starts++)))).toBe(true);
    expect(starts).toBe(0);
  });

  it('a call of nobody’s turn keeps the reason of a token of ours, also through AbortSignal.any', async () => {
    const source = new CancellationTokenSource();
    const derived = AbortSignal.any([source.signal, new AbortController().signal]);
    const error = errorOf(guarded([{ signal: derived }], deaf, { graceMs: 0 }));
    source.cancel({ kind: 'budget', message: 'spent' });
    expect(await error).toHaveProperty('reason', source.reason);
  });
});

describe('the arguments of a call', () => {
  class Context {
    readonly #db = new Map([['key', 'value']]);
    readonly signal: AbortSignal;
    constructor(signal: AbortSignal) {
      this.signal = signal;
    }
    get(key: string): unknown {
      return this.#db.get(key);
    }
  }

  it('the arguments of a call can be used in its turn as without a guard', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const { signal } = turn;
      const written = { signal, result: '' };
      const request = new Request('http://x/');
      const used = [
        await guarded([new Context(signal)], (context: Context) => context.get('key')),
        await guarded([{}, Object.assign(new Map([[1, 'one']]), { signal })], (_in, map: Map<number, string>) =>
          map.get(1),
        ),
        await guarded([{}, request], (_in, given: Request) => [given === request, given.url], { turn }),
        await guarded([{}, written], (_in, given: typeof written) => (given.result = 'written')),
      ];
      return [...used, written.result];
    });
    expect(report.unwrap()).toEqual(['value', 'one', [true, 'http://x/'], 'written', 'written']);
    expect(report.calls.map(({ status }) => status)).toEqual(Array(4).fill('completed'));
  });

  it.each([true, false])(
    'the arguments of a call may be untouched, and a stop by their own signal is one; in a turn: %o',
    async (isInTurn) => {
      const { agent } = stage();
      const stop = new AbortController();
      const work = async ({ signal }: Context): Promise<never> => {
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve, { once: true });
        });
        throw signal.reason;
      };
      const made = (options: GuardOptions): Promise<unknown> => {
        const error = errorOf(guarded([new Context(stop.signal)], work, options));
        stop.abort(new Error('theirs'));
        return error;
      };
      const report = await agent.runTurn((turn) => (isInTurn ? made({ turn }) : undefined));
      expect(isInTurn ? report.unwrap() : await made({})).toMatchObject({ name: 'AbortError', message: 'theirs' });
      expect(rows(report)).toEqual(isInTurn ? ['search-1 stopped'] : []);
    },
  );

  it('the arguments of a call of no turn are handed over untouched', async () => {
    const { signal } = new AbortController();
    const args = [{ signal }, new Options(signal), { mcpReq: { signal } }];
    const given = (await guarded(args, (...own: Args) => own)) as Args;
    expect(given.map((arg, at) => arg === args[at])).toEqual([true, true, true]);
  });
});

describe('the turn of a call', () => {
  const said = (events: readonly InterruptEvent[]): string[] =>
    events.flatMap((event) => (event.type === 'unledgered' ? [event.name] : []));

  it('the turn of a call that nothing leads to is told so by each turn that runs, once for each tool', async () => {
    const [one, other] = [stage(), stage()];
    await guarded(['before any runs']);
    const end = deferred();
    const turns = [one, other].map(({ agent }) => agent.runTurn(() => end.promise));
    await tick();
    await guarded(['in']);
    await guarded(['in', { signal: new AbortController().signal }]);
    await callGuarded({ name: 'write', args: [], options: {}, run: () => 'done' });
    end.resolve();
    expect((await Promise.all(turns)).map(rows)).toEqual([[], []]);
    for (const { events } of [one, other]) expect(said(events)).toEqual(['search', 'write']);
  });

  it('the turn of a call is found by the option, by its signal, or by the flow that it is part of', async () => {
    const { agent, events } = stage();
    const outer = stage();
    const report = await outer.agent.runTurn((above) =>
      agent.runTurn(async (turn) => {
        await guarded(['by signal', { signal: turn.signal, toolCallId: 'by signal' }]);
        await guarded(['by flow', { abortSignal: undefined, toolCallId: 'by flow' }]);
        await guarded(['by option', { abortSignal: undefined, toolCallId: 'by option' }], () => 'done', {
          turn: above,
        });
        await guarded(['both', { signal: turn.signal, toolCallId: 'both' }], () => 'done', { turn: above });
      }),
    );
    expect(rows(report.unwrap())).toEqual(['by signal completed', 'by flow completed']);
    expect(rows(report)).toEqual(['by option completed', 'both completed']);
    expect(said(events)).toEqual([]);
  });
});

describe('with a dialect', () => {
  const dialect = openaiChat;
  const stopped = 'This call was stopped part-way: the user cancelled. What it had already done may remain.';

  it('what became of a call is its result in the words of the table, while the turn goes on', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const stop = (_input: object, { signal }: { readonly signal: AbortSignal }): never => {
        agent.cancelCall('a', { kind: 'user', message: 'not this one' });
        throw signal.reason;
      };
      const decline = (_input: object, { signal }: { readonly signal: AbortSignal }): unknown =>
        toolContextOf(signal)?.decline('not on Fridays');
      const options = { signal: turn.signal };
      return [
        await guardTool(async (...args: Parameters<typeof stop>) => await Promise.resolve(stop(...args)), {
          turn,
          dialect,
        })({}, { ...options, toolCallId: 'a' } as never),
        await guardTool(async (...args: Parameters<typeof decline>) => await Promise.resolve(decline(...args)), {
          turn,
          dialect,
        })({}, options),
      ];
    });
    const [first, second] = report.unwrap() as string[];
    expect(first).toContain(stopped);
    expect(second).toContain('declined this call');
    expect(second).toContain('not on Fridays');
    expect(report.calls).toMatchObject([{ status: 'stopped' }, { status: 'declined' }]);
  });

  it('a failure is the tool’s own to word, and after a stop of the turn nothing is a result', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const fail = guardTool(() => Promise.reject(new Error('no money')), { turn, dialect });
      await expect(fail()).rejects.toThrow('no money');
      const stop = guardTool(
        () => {
          agent.cancel('user');
          return Promise.reject(turn.signal.reason as Error);
        },
        { turn, dialect },
      );
      await stop();
    });
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
  });

  it('what became of a call is given to its caller in the form that this takes', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      const tool = (_input: object, { signal }: { readonly signal: AbortSignal }): unknown =>
        toolContextOf(signal)?.decline('no');
      const toResult = (text: string): unknown => [text, undefined];
      return await guardTool(tool, { turn, dialect, toResult })({}, { signal: turn.signal });
    });
    expect(report.unwrap()).toEqual([expect.stringContaining('declined this call'), undefined]);
  });

  it('what is no dialect is refused, and so is a form without words', () => {
    expect(() => guardTool(() => 1, { dialect: {} as never })).toThrow(TypeError);
    expect(() => guardTool(() => 1, { dialect, toResult: 'text' as never })).toThrow('toResult must be a function');
    expect(() => guardTool(() => 1, { toResult: (text) => text })).toThrow('the words of options.dialect, got none');
  });
});
