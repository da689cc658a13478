import { describe, expect, it } from 'vitest';

import { InterruptController } from '../../../src/index.ts';
import { call } from './kit.ts';

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
    expect([agent.token.isCancelled, typeof agent.instanceId]).toEqual([false, 'string']);
    expect((await agent.runTurn(() => 'hello')).unwrap()).toBe('hello');
  });

  it('takes undefined for every option', () => {
    const options = { name: undefined, token: undefined, undelivered: undefined, graceMs: undefined, clock: undefined };
    expect(new InterruptController(options).name).toBe('agent');
    expect(new InterruptController({ token: null }).token.isCancelled).toBe(false);
  });

  it('is a class as far as anybody can see', () => {
    const agent = new InterruptController();
    expect(agent).toBeInstanceOf(InterruptController);
    expect(agent.child('sub')).toBeInstanceOf(InterruptController);
    expect(() => (InterruptController as unknown as () => void)()).toThrow(TypeError);
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
