import { mock } from 'node:test';

import { describe, expect, it, vi } from 'vitest';

import { InterruptController, type AgentSnapshot } from '../../../src/index.ts';
import { call, obedient, stage } from './kit.ts';

describe('new InterruptController()', () => {
  it('needs nothing', async () => {
    const agent = new InterruptController();
    expect(agent).toMatchObject({
      name: 'agent',
      state: 'idle',
      interrupted: false,
      wasInterrupted: false,
      interruption: undefined,
      lastReport: undefined,
    });
    expect([agent.lifetime.isCancelled, typeof agent.instanceId]).toEqual([false, 'string']);
    expect((await agent.runTurn(() => 'hello')).unwrap()).toBe('hello');
  });

  it('takes undefined for every option', () => {
    const options = { name: undefined, token: undefined, undelivered: undefined, graceMs: undefined, clock: undefined };
    expect(new InterruptController(options).name).toBe('agent');
    expect(new InterruptController({ token: null }).lifetime.isCancelled).toBe(false);
  });

  it('is a class as far as anybody can see', () => {
    const agent = new InterruptController();
    expect(agent).toBeInstanceOf(InterruptController);
    expect(agent.child('sub')).toBeInstanceOf(InterruptController);
    expect(() => (InterruptController as unknown as () => void)()).toThrow(TypeError);
  });

  it('is the base of a class of the application', async () => {
    class Chat extends InterruptController {
      readonly greet = (): Promise<unknown> => this.runTurn(() => this.name);
    }
    const chat = new Chat({ name: 'chat' });
    expect(await chat.greet()).toMatchObject({ status: 'completed', value: 'chat' });
    expect([chat instanceof Chat, chat instanceof InterruptController]).toEqual([true, true]);
  });

  it('is closed by `await using`, bound like every function of it', async () => {
    const agent = new InterruptController();
    const { [Symbol.asyncDispose]: dispose } = agent;
    await dispose();
    expect(agent.lifetime.reason?.kind).toBe('shutdown');
  });

  it('has bound functions only, the same each time', async () => {
    const { agent } = stage();
    const { cancel, cancelAll, cancelCall, kill, runTurn, interject, accept, child, close } = agent;
    expect([agent.cancel, agent.close]).toEqual([cancel, close]);
    for (const stop of [cancel, cancelAll, kill]) {
      const turn = runTurn(({ token }) => token.whenCancelled());
      expect(interject('x').status).toBe('queued');
      expect(stop('user').accepted).toBe(true);
      await turn;
    }
    expect([cancelCall('none').accepted, accept().cancel().accepted]).toEqual([false, true]);
    await child('sub').close();
    await close();
    expect(agent.lifetime.reason?.kind).toBe('shutdown');
  });

  it.each<[string, (agent: InterruptController) => { readonly calls: readonly unknown[] }]>([
    ['Vitest', (agent) => vi.spyOn(agent, 'cancel').mock],
    ['node:test', (agent) => mock.method(agent, 'cancel').mock],
  ])('can be spied on by %s, before and after it was read', async (_who, spyOn) => {
    for (const isRead of [false, true]) {
      const agent = new InterruptController();
      if (isRead) expect(agent.cancel).toBeTypeOf('function');
      const spy = spyOn(agent);
      const turn = agent.runTurn(obedient);
      expect(agent.cancel('user').accepted).toBe(true);
      expect([(await turn).status, spy.calls.length]).toEqual(['cancelled', 1]);
    }
    vi.restoreAllMocks();
  });

  it('can be stubbed, and its stub is called', async () => {
    const agent = new InterruptController();
    const stub = vi.spyOn(agent, 'runTurn').mockRejectedValue(new Error('busy'));
    await expect(agent.runTurn(() => 1)).rejects.toThrow('busy');
    stub.mockRestore();
    expect((await agent.runTurn(() => 1)).unwrap()).toBe(1);
  });

  it.each([
    ['a proxy', (agent: InterruptController) => new Proxy(agent, {})],
    ['an heir', (agent: InterruptController) => Object.create(agent) as InterruptController],
  ])('says of %s of it what is wrong', (_what, make) => {
    const like = make(new InterruptController());
    for (const use of [() => like.cancel(), () => like.runTurn(() => 1), () => like.state])
      expect(use).toThrow('used without its InterruptController: a proxy or a copy has no agent');
    expect('cancel' in like).toBe(true);
  });

  it('says that a person stopped it, and of a sub-agent that nobody knows who did', async () => {
    const { agent } = stage();
    for (const [each, kind] of [
      [agent, 'user'],
      [agent.child('sub'), 'unknown'],
    ] as const) {
      for (const stop of [each.cancel, each.cancelAll, each.kill]) {
        const turn = each.runTurn(({ token }) => token.whenCancelled());
        stop();
        expect(await turn).toMatchObject({ status: 'cancelled', reason: { kind } });
      }
    }
    expect(agent.wasInterrupted).toBe(true);
  });

  it('stops a turn, and nothing starts afterwards', async () => {
    const agent = new InterruptController({ name: 'main' });
    const report = await agent.runTurn(async ({ model, tools }) => {
      await model(async () => 'call the tool');
      agent.cancel();
      return tools([call('c1', 'write_file')], () => 'never runs');
    });
    expect([report.status, report.calls[0]?.status, agent.wasInterrupted]).toEqual(['cancelled', 'not-started', true]);
  });

  it('two agents know nothing of each other', async () => {
    const [one, two] = [new InterruptController(), new InterruptController()];
    const first = one.runTurn(({ token }) => new Promise((resolve) => token.onCancelled(resolve)));
    const second = two.runTurn(({ token }) => token.isCancelled);
    one.cancel();
    expect([(await first).status, (await second).unwrap(), two.wasInterrupted]).toEqual(['cancelled', false, false]);
  });
});

describe('a snapshot', () => {
  it('carries what the model has not been told over a restart', async () => {
    const { agent } = stage();
    await agent.runTurn(() => {
      agent.cancel({ kind: 'user', message: 'enough', by: 'ada', cause: new Error('private') });
    });
    const written = JSON.stringify(agent.snapshot());
    expect(written).not.toContain('private');
    const again = new InterruptController();
    again.restore(JSON.parse(written) as AgentSnapshot);
    expect(again.wasInterrupted).toBe(true);
    expect(again.consumeWasInterrupted()).toMatchObject({ kind: 'user', message: 'enough', by: 'ada' });
    expect(again.wasInterrupted).toBe(false);
  });

  it('of an agent that was not interrupted says so, and takes nothing away', () => {
    const { agent } = stage();
    expect(agent.snapshot()).toEqual({ version: 1 });
    agent.restore({ version: 1 });
    expect(agent.wasInterrupted).toBe(false);
  });

  it.each([undefined, null, {}, { version: 2 }, 'x'])('%o is refused', (snapshot) => {
    expect(() => {
      new InterruptController().restore(snapshot as never);
    }).toThrow('not a snapshot of an agent');
  });

  it.each([
    [null],
    [5],
    [{ id: 'c' }],
    [[null]],
    [[{ id: 'c', name: 'n', turnId: 1, was: 'unknown', status: 'completed', at: 1 }, undefined]],
    [[{ id: 'c', name: 'n', turnId: 1, was: 'unknown', status: 'zzz', at: 1 }]],
    [[{ id: 'c', turnId: 1, was: 'unknown', status: 'failed', at: 1 }]],
  ])('with late outcomes that are none is refused, and nothing of it is taken: %o', (late) => {
    const agent = new InterruptController();
    expect(() => {
      agent.restore({ version: 1, wasInterrupted: { kind: 'user', message: 'enough', at: 1 }, late } as never);
    }).toThrow(/^not (the late outcomes|a late outcome) of a snapshot: /);
    expect([agent.wasInterrupted, agent.takeLateOutcomes()]).toEqual([false, []]);
  });

  it('with a reason that is none is refused', () => {
    expect(() => {
      new InterruptController().restore({ version: 1, wasInterrupted: 7 } as never);
    }).toThrow(TypeError);
  });
});

describe('an option that makes no sense', () => {
  it.each([{ name: 7 }, { graceMs: -1 }, { token: {} }])('%o is refused', (options) => {
    expect(() => new InterruptController(options as never)).toThrow(/must be/);
  });
});
