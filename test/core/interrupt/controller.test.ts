import { describe, expect, it } from 'vitest';

import { InterruptController, type AgentSnapshot } from '../../../src/index.ts';
import { call, stage } from './kit.ts';

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

  it('is closed by `await using`, bound like every function of it', async () => {
    const agent = new InterruptController();
    const { [Symbol.asyncDispose]: dispose } = agent;
    await dispose();
    expect(agent.lifetime.reason?.kind).toBe('shutdown');
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
