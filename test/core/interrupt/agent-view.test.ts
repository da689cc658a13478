import { describe, expect, it } from 'vitest';

import { InterruptController, type AgentSnapshot } from '../../../src/index.ts';
import { stage } from './kit.ts';

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
