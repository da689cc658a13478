import { describe, expect, it, vi } from 'vitest';

import {
  CancellationTokenSource,
  CancelledError,
  DeadlineExceededError,
  InterruptController,
  delay,
  moveOnAfter,
  pollUntil,
  raceCancellation,
  retry,
  scope,
  shield,
  withCancellation,
  yieldCheckpoint,
  type Turn,
} from '../../src/index.ts';
import { fromEvent } from '../../src/adapters/http-request/index.ts';
import { guardTools } from '../../src/guard/index.ts';
import { stage, tick } from './interrupt/kit.ts';

const { token } = new CancellationTokenSource();

describe('a token in the place of options', () => {
  const make = (options: unknown): unknown => new CancellationTokenSource(options as object);

  it.each<[string, unknown]>([
    ['a token', token],
    ['a source', new CancellationTokenSource()],
    ['a signal', new AbortController().signal],
    ['a controller', new AbortController()],
  ])('a token in the place of options is refused in words that say what to write: %s', (_what, given) => {
    for (const call of [() => make(given), () => token.child(given as object)])
      expect(call).toThrow(/options must be an object of options.*\{ parent: token \}/);
  });

  it('a token in the place of options is a type error', () => {
    // @ts-expect-error -- a token is no options
    expect(() => new CancellationTokenSource(token)).toThrow(TypeError);
    // @ts-expect-error -- nor of a child
    expect(() => token.child(token)).toThrow(TypeError);
    // @ts-expect-error -- nor is a signal
    expect(() => new CancellationTokenSource(new AbortController().signal)).toThrow(TypeError);
  });
});

const quiet = new CancellationTokenSource({ onCallbackError: () => undefined }).token;
const forkWith = (options: object): Promise<unknown> => scope(quiet, ({ fork }) => fork(() => 1, options));

describe('an option that there is not', () => {
  const agent = new InterruptController();
  const inTurn = (use: (turn: Turn) => unknown) => async (): Promise<unknown> =>
    (await new InterruptController().runTurn(async (turn) => use(turn))).unwrap();
  const call = { id: 'c1', name: 'pay' };

  it.each<[string, string, (options: object) => unknown]>([
    ['a source', 'parent, name, timeoutMs', (options) => new CancellationTokenSource(options)],
    ['a child', 'name, timeoutMs', (options) => token.child(options)],
    ['withCancellation', 'settle, graceMs', (options) => withCancellation(null, () => 1, options)],
    ['raceCancellation', 'onLateSettle', (options) => raceCancellation(null, Promise.resolve(1), options)],
    ['moveOnAfter', 'graceMs, name', (options) => moveOnAfter(null, 5, () => 1, options)],
    ['retry', 'attempts, backoff', (options) => retry(null, () => 1, options)],
    ['pollUntil', 'intervalMs', (options) => pollUntil(null, () => true, options)],
    ['scope', 'name, timeoutMs', (options) => scope(null, () => 1, options)],
    ['yieldCheckpoint', 'everyMs', (options) => yieldCheckpoint(null, options)],
    ['a controller', 'name, token', (options) => new InterruptController(options)],
    ['a sub-agent', 'detached', (options) => agent.child('kid', options)],
    ['a turn', 'ticket, token, whenBusy, budget', (options) => agent.runTurn(() => 1, options)],
    ['a message', 'delivery', (options) => agent.interject('wait', options)],
    ['background work', 'graceMs, timeoutMs', (options) => agent.background('build', () => 1, options)],
    ['a listener', 'operations', (options) => agent.onEvent(() => undefined, options)],
    ['a model call', 'name, idleMs', (options) => inTurn(({ model }) => model(() => 1, options))()],
    ['a tool call', 'identify, timeoutMs', (options) => inTurn(({ tool }) => tool(call, () => 1, options))()],
    ['a step', 'id, timeoutMs', (options) => inTurn(({ step }) => step('check', () => 1, options))()],
    ['a guard', 'turn, graceMs', (options) => guardTools({ pay: () => 1 }, options)],
    ['a question', 'timeoutMs', (options) => inTurn(async ({ tool }) => {
      const outcome = await tool(call, (_call, { ask }) => ask(() => undefined, options));
      throw outcome.status === 'failed' ? outcome.error : outcome;
    })()], // prettier-ignore
    ['shield', 'graceMs', (options) => shield(null, () => 1, options as never)],
    ['a commit', 'limitMs', (options) => withCancellation(null, ({ commit }) => commit(() => 1, options))],
    ['an error of a cancel', 'completed, abandoned', (options) => Promise.reject(new CancelledError('user', options))],
    ['an error of a limit', 'completed', (options) => Promise.reject(new DeadlineExceededError(5, {}, options))],
    ['a fork', 'name', (options) => forkWith(options)],
  ])('an option that there is not is refused, with those that there are: %s', async (_what, names, use) => {
    for (const name of ['signal', 'timeoutms', 'toString']) {
      const words = `options.${name} is no option: there are ${names}`;
      await expect(async () => use({ [name]: 5 }), name).rejects.toThrow(words);
    }
  });

  it.each<[string, unknown]>([
    ['a list', []],
    ['a promise of options', Promise.resolve({})],
    [
      'a thenable',
      new (class Later {
        then(): void {}
      })(),
    ],
    ['a map', new Map()],
    ['an instant', new Date(0)],
    ['an error', new Error('late')],
  ])('what has no options to read is refused in their place: %s', async (_what, given) => {
    const words = /must be an object of options, got an? (array|instance)/;
    await expect(withCancellation(null, () => 1, given as object)).rejects.toThrow(words);
    await expect(forkWith(given as object)).rejects.toThrow(words);
    expect(() => fromEvent(new EventTarget(), 'x', given as object)).toThrow(words);
  });

  it('options of a class of one\u2019s own, or of none, are read like others', async () => {
    class Limits {
      timeoutMs = 5;
    }
    expect(await withCancellation(null, () => 1, new Limits())).toBe(1);
    expect(await withCancellation(null, () => 1, Object.create(null) as object)).toBe(1);
  });

  it('a fork that is misused is reported, for nobody may await it', async () => {
    const reported = vi.fn();
    const source = new CancellationTokenSource({ onCallbackError: reported });
    await scope(source.token, ({ fork }) => {
      void fork(() => 1, { timeoutMs: 5 } as object);
    });
    expect(reported).toHaveBeenCalledExactlyOnceWith(new TypeError('options.timeoutMs is no option: there are name'));
  });

  it('of a stop is reported, and the stop happens as far as it is understood', () => {
    const reported = vi.fn();
    const source = new CancellationTokenSource({ onCallbackError: reported });
    const told = (): unknown[] => reported.mock.calls.splice(0).map(([error]) => String(error));
    expect(source.cancel('user', { gracems: 1 } as object)).toBe(true);
    expect(told()).toEqual(['TypeError: options.gracems is no option: there are graceMs']);
    source.token.child().cancel('user', 5 as never);
    expect(told()).toEqual(['TypeError: options must be an object, got 5']);
    const killed = new InterruptController({ token: new CancellationTokenSource({ onCallbackError: reported }).token });
    killed.background('build', () => new Promise(() => undefined));
    for (const options of [{ al: true }, { all: 'yes' }, 5, token]) {
      expect(killed.kill('user', options as object).accepted).toBe(false);
    }
    expect(told()).toHaveLength(4);
    expect(killed.kill('user', { all: true, al: 1 } as object).accepted).toBe(true);
    expect(told()).toEqual(['TypeError: options.al is no option: there are all']);
  });

  it('of what a call tells is refused: tracked work, and the count of a client without the one that is read', async () => {
    const tracked = inTurn(({ track }) =>
      track({ kind: 'process', name: 'x', outcome: 1 } as never, Promise.resolve()),
    );
    await expect(tracked()).rejects.toThrow('operation.outcome is no option: there are kind, name, outcomeOf');
    const tell = (usage: object): Promise<unknown> =>
      inTurn(({ model }) => model((ctx) => (ctx.usage(usage), 'told')))();
    await expect(tell({ outputToken: 5 })).rejects.toThrow('usage.outputToken is no option: there are outputTokens');
    expect(await tell({ inputTokens: 9, outputTokens: undefined })).toMatchObject({ value: 'told' });
  });

  it('a limit that there is not is refused, and a word of a recovery', async () => {
    const budget = { modelCall: 3 } as object;
    await expect(agent.runTurn(() => 1, { budget })).rejects.toThrow(
      'budget.modelCall is no option: there are modelCalls',
    );
    const recover = { attempts: 1, backOffMs: 5 };
    await expect(inTurn(({ model }) => model(() => 1, { recover }))()).rejects.toThrow(
      'recover.backOffMs is no option: there are attempts, backoffMs',
    );
  });

  it('a token in the place of options is refused where it is an option, and where it is an argument', async () => {
    await expect(agent.runTurn(() => 1, token as object)).rejects.toThrow('write { token: token }');
    await expect(withCancellation(null, () => 1, token as object)).rejects.toThrow('a token is an argument of its own');
  });
});

describe('what would never run', () => {
  it('a function or a list in the place of the promise of a race', async () => {
    await expect(raceCancellation(token, () => 1)).rejects.toThrow('call it, or use withCancellation');
    await expect(raceCancellation(token, [Promise.resolve(1)])).rejects.toThrow('Promise.all');
    expect(await raceCancellation(token, [1, 2])).toEqual([1, 2]);
  });

  it('a generator function as work, or as a tool', async () => {
    const run = function* (): Generator<number> {
      yield 1;
    };
    await expect(withCancellation(token, run)).rejects.toThrow('generator function');
    const { agent } = stage();
    const report = await agent.runTurn(({ tool }) =>
      tool({ id: 'c1', name: 'write' }, async function* () {
        yield 'half';
      }),
    );
    expect(report.calls).toMatchObject([
      { status: 'failed', error: { message: expect.stringContaining('write') as string } },
    ]);
  });

  it('a fork after the end of its scope: reported, for nobody may await it', async () => {
    const reported = vi.fn();
    const source = new CancellationTokenSource({ onCallbackError: reported });
    const late = await scope(source.token, ({ fork }) => ({ fork }));
    const rejected = expect(late.fork(() => 1)).rejects.toThrow('the scope has ended');
    const said = expect.objectContaining({ message: expect.stringContaining('has ended') as string }) as Error;
    expect(reported).toHaveBeenCalledExactlyOnceWith(said);
    await rejected;
  });

  it('a check of cancelled in the place of isCancelled: it throws, for every value would be wrong', () => {
    const unchecked = token as unknown as { readonly cancelled: boolean };
    expect(() => !unchecked.cancelled).toThrow('write isCancelled');
    expect(JSON.stringify({ ...unchecked })).not.toContain('cancelled');
  });

  it('work on what only inherits from a token', async () => {
    await expect(delay(Object.create(token) as typeof token, 1)).rejects.toThrow('a CancellationToken itself');
  });
});

describe('one stop', () => {
  it('one stop is one request at the root, also where something was left behind before', async () => {
    const { agent, clock, events } = stage({ graceMs: 200 });
    const turn = agent.runTurn(({ tool }) =>
      tool(
        { id: 'c1', name: 'plan' },
        async (_call, { subagent }) =>
          (await subagent('kid').runTurn((own) => own.model(() => new Promise(() => undefined)))).status,
        { timeoutMs: 20, graceMs: 0 },
      ),
    );
    await clock.advance(60);
    events.length = 0;
    agent.kill('enough');
    const asked = events.filter(({ type }) => type === 'interrupt-requested');
    expect(asked.map(({ agent: name, ...event }) => [name, 'reason' in event && event.reason.message])).toEqual([
      ['main', 'enough'],
    ]);
    await clock.advance(1_000);
    await turn;
  });

  it('of the string of a foreign signal has the kind that a source gives it', () => {
    const controller = new AbortController();
    controller.abort('user');
    expect(new CancellationTokenSource({ parent: controller.signal }).reason?.kind).toBe('user');
  });

  it('a refusal gives the advice of the verb that was called', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const agent = new InterruptController();
    agent.cancelAll('all');
    agent.cancelCall('c1', 'all');
    agent.kill('all', { all: true });
    await agent.close('all');
    expect(said).not.toHaveBeenCalled();
    new InterruptController().kill('all');
    expect(String(said.mock.calls)).toContain('kill(reason, { all: true })');
    said.mockRestore();
  });
});

describe('a model call', () => {
  it('that was left behind is named by its error and in the report of its turn', async () => {
    const { agent, clock } = stage({ graceMs: 0 });
    const turn = agent.runTurn(({ model }) =>
      model(() => new Promise(() => undefined), { idleMs: 5, name: 'gpt' }).catch((error: unknown) => error),
    );
    await tick();
    await clock.advance(5);
    const report = await turn;
    expect(report.unwrap()).toMatchObject({ name: 'TimeoutError', abandoned: { name: 'gpt' } });
    expect(report.abandoned).toEqual(['gpt']);
  });

  it('that was cut is cut in its row, whatever its client throws', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ model }) =>
      model(({ token: own }) => own.whenCancelled().then(() => Promise.reject(new Error('Operation was cancelled')))),
    );
    await tick();
    agent.cancel('user');
    expect((await turn).stop?.operations).toMatchObject([{ kind: 'model', outcome: 'cancelled' }]);
  });

  it('whose budget is refused ends the turn as cancelled, also where the last call goes to the background meanwhile', async () => {
    const { agent } = stage();
    agent.onEvent(({ type }) => {
      if (type === 'body-ended') agent.sendToBackground('c1');
    });
    const turn = agent.runTurn(
      ({ tool, model }) => {
        void tool({ id: 'c1', name: 'watch' }, () => new Promise(() => undefined), { canDetach: true });
        void model(() => 'one').catch(() => undefined);
        return model(() => 'two').catch(() => 'caught');
      },
      { budget: { modelCalls: 1 } },
    );
    const report = await turn;
    expect(report).toMatchObject({
      status: 'cancelled',
      reason: { kind: 'budget' },
      stop: { reason: { kind: 'budget' } },
    });
    void agent.close();
  });
});

it('moveOnAfter takes a grace', async () => {
  const { clock } = stage();
  const source = new CancellationTokenSource({ clock });
  const outcome = moveOnAfter(source.token, 5, () => new Promise(() => undefined), { graceMs: 3, name: 'slow' });
  await clock.advance(8);
  expect(await outcome).toMatchObject({ status: 'abandoned', name: 'slow' });
});
