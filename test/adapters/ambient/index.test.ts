import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';

import { describe, expect, it, vi } from 'vitest';

import { bind, currentToken, runWithToken } from '../../../src/adapters/ambient/index.ts';
import {
  CancellationToken,
  CancellationTokenSource,
  InterruptController,
  withCancellation,
  type ToolContext,
  type Turn,
} from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';

const none = CancellationToken.none;
const named = (name: string): CancellationTokenSource => new CancellationTokenSource({ name });
const name = (): string | undefined => currentToken().name;

describe('runWithToken', () => {
  it('gives back what the function returns or throws, and ends with it', async () => {
    const { token } = named('turn');
    expect(runWithToken(token, () => currentToken())).toBe(token);
    expect(() =>
      runWithToken(token, () => {
        throw new Error(name());
      }),
    ).toThrow('turn');
    expect(await runWithToken(token, async () => name())).toBe('turn');
    expect(currentToken()).toBe(none);
  });

  it('nests: the innermost counts, and none takes the outer away', () => {
    const [outer, inner] = [named('outer'), named('inner')];
    const seen = runWithToken(outer.token, () => [
      name(),
      runWithToken(inner.token, name),
      runWithToken(null, currentToken),
      runWithToken(undefined, currentToken),
      name(),
    ]);
    expect(seen).toEqual(['outer', 'inner', none, none, 'outer']);
  });

  it('does not link the inner token to the outer one; a child of it is', () => {
    const [outer, inner] = [named('outer'), named('inner')];
    const child = runWithToken(outer.token, () => currentToken().child());
    outer.cancel('user');
    expect(runWithToken(outer.token, () => runWithToken(inner.token, currentToken)).isCancelled).toBe(false);
    expect(child.token.reason).toBe(outer.reason);
  });

  it('takes a signal, whose token it is', () => {
    const { signal } = new AbortController();
    expect(runWithToken(signal, currentToken)).toBe(CancellationToken.from(signal));
  });

  it('runs the function under a cancelled token too, and shows the cancel wherever it is made', async () => {
    const source = named('turn');
    const go = deferred();
    const flow = runWithToken(source.token, async () => {
      await go.promise;
      return currentToken().reason;
    });
    source.cancel('user');
    go.resolve();
    expect(await flow).toBe(source.reason);
    expect(runWithToken(source.token, () => currentToken().isCancelled)).toBe(true);
  });

  it('refuses what is no token or no function', () => {
    const fn = vi.fn(() => 7);
    expect(() => runWithToken('token' as never, fn)).toThrow(TypeError);
    expect(fn).not.toHaveBeenCalled();
    expect(() => runWithToken(null, 7 as never)).toThrow(new TypeError('fn must be a function, got 7'));
  });
});

describe('flows', () => {
  it('side by side do not mix', async () => {
    const gates = Array.from({ length: 20 }, () => deferred());
    const flows = gates.map((gate, n) =>
      runWithToken(named(`flow ${n}`).token, async () => {
        const seen = [name()];
        await gate.promise;
        seen.push(name());
        await Promise.resolve();
        return [...seen, name()];
      }),
    );
    for (const gate of gates.toReversed()) gate.resolve();
    expect(await Promise.all(flows)).toEqual(gates.map((_, n) => Array<string>(3).fill(`flow ${n}`)));
  });

  it('go on in promises, microtasks, ticks, immediates and timers', async () => {
    const seen: (string | undefined)[] = [];
    const note = (): void => void seen.push(name());
    await runWithToken(named('turn').token, async () => {
      void Promise.resolve().then(note);
      queueMicrotask(note);
      process.nextTick(note);
      await new Promise<void>((resolve) => {
        setTimeout(() => resolve(note()), 0);
      });
      await new Promise<void>((resolve) => {
        setImmediate(() => resolve(note()));
      });
      note();
    });
    expect(seen).toEqual(Array(6).fill('turn'));
  });

  it('go on in an async generator that is read under the token', async () => {
    async function* numbers(): AsyncGenerator<string | undefined> {
      yield name();
      await Promise.resolve();
      yield name();
    }
    const seen = await runWithToken(named('turn').token, async () => {
      const all: (string | undefined)[] = [];
      for await (const one of numbers()) all.push(one);
      return all;
    });
    expect(seen).toEqual(['turn', 'turn']);
  });

  it('are those of the emitter in its listeners', () => {
    const emitter = new EventEmitter();
    const seen: (string | undefined)[] = [];
    runWithToken(named('listener').token, () => emitter.on('data', () => seen.push(name())));
    emitter.emit('data');
    runWithToken(named('emitter').token, () => emitter.emit('data'));
    expect(seen).toEqual([undefined, 'emitter']);
  });

  it('reach work under another token, which keeps its own', async () => {
    const outer = named('turn');
    const seen = await runWithToken(outer.token, () =>
      withCancellation(outer.token, async ({ token }) => [name(), runWithToken(token, currentToken) === token]),
    );
    expect(seen).toEqual(['turn', true]);
  });
});

describe('bind', () => {
  it('keeps the token of the place where it was bound', () => {
    const bound = runWithToken(named('bound').token, () => bind(name));
    expect(bound()).toBe('bound');
    expect(runWithToken(named('caller').token, bound)).toBe('bound');
    expect(name()).toBe(undefined);
  });

  it('bound outside, it keeps the caller out as well', () => {
    const bound = bind(currentToken);
    expect(runWithToken(named('caller').token, bound)).toBe(none);
  });

  it('passes on this, the arguments, the result and what is thrown', () => {
    const target = {
      base: 1,
      add: bind(function (this: { base: number }, a: number, b: number) {
        if (a < 0) throw new RangeError('negative');
        return this.base + a + b;
      }),
    };
    expect(target.add(2, 3)).toBe(6);
    expect(() => target.add(-1, 0)).toThrow(RangeError);
    expect(() => bind(7 as never)).toThrow(new TypeError('fn must be a function, got 7'));
  });

  it('leaves other async-local state to the call', () => {
    const trace = new AsyncLocalStorage<string>();
    const bound = trace.run('where bound', () => bind(() => trace.getStore()));
    expect(trace.run('where called', bound)).toBe('where called');
  });

  it('serves callbacks of a cancel, which run in the flow of whoever cancels', () => {
    const session = new CancellationTokenSource();
    const seen: Record<string, string | undefined> = {};
    runWithToken(named('tool').token, () => {
      session.token.onCancelled(() => (seen['plain'] = name()));
      session.token.onCancelled(bind(() => (seen['bound'] = name())));
      session.signal.addEventListener('abort', () => (seen['listener'] = name()));
      session.signal.addEventListener(
        'abort',
        bind(() => (seen['bound listener'] = name())),
      );
    });
    runWithToken(named('ui').token, () => session.cancel('user'));
    expect(seen).toEqual({ plain: 'ui', bound: 'tool', listener: 'ui', 'bound listener': 'tool' });
  });

  it('serves listeners of an emitter', () => {
    const emitter = new EventEmitter();
    const seen: unknown[] = [];
    runWithToken(named('tool').token, () => {
      emitter.once(
        'data',
        bind((chunk: string) => seen.push([chunk, name()])),
      );
    });
    emitter.emit('data', 'abc');
    expect(seen).toEqual([['abc', 'tool']]);
  });
});

describe('copies of the package', () => {
  it('share one storage', async () => {
    vi.resetModules();
    const copy = (await import('../../../src/adapters/ambient/index.ts')) as {
      currentToken: typeof currentToken;
      runWithToken: typeof runWithToken;
    };
    expect(copy.currentToken).not.toBe(currentToken);
    const source = named('turn');
    expect(runWithToken(source.token, () => copy.currentToken().name)).toBe('turn');
    expect(copy.runWithToken(source.token, name)).toBe('turn');
  });

  it('of another layout leave a token that ours understands through its signal', () => {
    const storage = (globalThis as Record<symbol, unknown>)[Symbol.for('desist.ambient')];
    // Whoever comes later uses what is there, so it has to be the real thing.
    const { AsyncLocalStorage: Real } = createRequire(import.meta.url)('node:async_hooks') as {
      AsyncLocalStorage: typeof AsyncLocalStorage;
    };
    expect(storage).toBeInstanceOf(Real);
    const controller = new AbortController();
    const foreign = { signal: controller.signal, onCancelled: () => {} };
    const seen = (storage as AsyncLocalStorage<unknown>).run(foreign, currentToken);
    controller.abort('elsewhere');
    expect(seen.reason?.message).toBe('elsewhere');
  });
});

describe('a turn that waits in line behind the turn that asks for it', () => {
  const queued = { whenBusy: 'queue' } as const;
  const next = (agent: InterruptController): Promise<unknown> => agent.runTurn(() => 1, queued);
  const inTool = async ({ tool }: Turn, work: (context: ToolContext) => unknown): Promise<unknown> => {
    const outcome = await tool({ id: 'c1', name: 'plan' }, (_call, context) => work(context as ToolContext));
    throw outcome.status === 'failed' ? outcome.error : new Error(outcome.status);
  };

  it.each<[string, (agent: InterruptController, turn: Turn) => unknown]>([
    ['in the first lines of the body', next],
    ['later in the body', (agent) => Promise.resolve().then(() => next(agent))],
    ['in a tool', (agent, turn) => inTool(turn, () => next(agent))],
    [
      'in a sub-agent',
      (agent, turn) =>
        inTool(turn, async ({ subagent }) => (await subagent('kid').runTurn(() => next(agent))).unwrap()),
    ],
  ])('a turn that waits in line behind itself is refused at once: %s', async (_where, use) => {
    const agent = new InterruptController();
    const report = await agent.runTurn((turn) => use(agent, turn));
    expect(() => report.unwrap()).toThrow('inside the turn that runs, which may wait for it');
    expect(agent.state).toBe('idle');
  });

  it('a turn that waits in line is taken from elsewhere, also while another agent asks', async () => {
    const [agent, other] = [new InterruptController(), new InterruptController()];
    const end = deferred();
    const first = agent.runTurn(() => end.promise);
    const second = other.runTurn(() => agent.runTurn(() => 2, queued));
    const third = agent.runTurn(() => 3, queued);
    end.resolve();
    expect((await first).status).toBe('completed');
    expect((await second).unwrap().unwrap()).toBe(2);
    expect((await third).unwrap()).toBe(3);
  });
});
