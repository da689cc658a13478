import { describe, expect, it } from 'vitest';

import { LateOutcomes } from '../../../../src/core/interrupt/ledger/late-outcomes.ts';
import { shownAs } from '../../../../src/core/foundation/results/shown.ts';
import { createReason } from '../../../../src/core/foundation/reason.ts';
import { InterruptController, lateNote, type AgentSnapshot, type LateToolOutcome } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { call, obedient, stage, tick } from '../kit.ts';

/** A call that did not react to its stop, and a way to end it. */
async function unknown() {
  const all = stage({ graceMs: 100 });
  const end = deferred<unknown>();
  const turn = all.agent.runTurn(({ tool }) => tool(call('c1', 'pay'), () => end.promise));
  await tick();
  all.agent.cancel();
  await all.clock.advance(100);
  return { ...all, end, report: await turn };
}

describe('S48 what became of a call that was unknown', () => {
  it('S48 is nothing until it ends, and is given out once', async () => {
    const { agent, clock, end, report } = await unknown();
    expect(report.calls).toMatchObject([{ status: 'unknown' }]);
    expect(agent.takeLateOutcomes()).toEqual([]);
    await clock.advance(30_000);
    end.resolve('paid');
    await tick();
    const late = agent.takeLateOutcomes();
    expect(late).toEqual([
      {
        id: 'c1',
        name: 'pay',
        call: call('c1', 'pay'),
        turnId: 1,
        was: 'unknown',
        status: 'completed',
        value: 'paid',
        at: 31_100,
      },
    ]);
    expect(agent.takeLateOutcomes()).toEqual([]);
  });

  it('S48 is told if it failed, in words', async () => {
    const { agent, end } = await unknown();
    end.reject(new Error('card declined'));
    await tick();
    expect(agent.takeLateOutcomes()).toMatchObject([{ was: 'unknown', status: 'failed', message: 'card declined' }]);
  });

  it('S48 comes to the agent that outlives the sub-agent whose call it was', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const end = deferred<string>();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), (_call, { subagent }) =>
        subagent('explorer').runTurn(({ tool: inner }) => inner(call('k1', 'pay'), () => end.promise, { graceMs: 50 })),
      ),
    );
    await tick();
    agent.cancel();
    await clock.advance(1_000);
    await turn;
    end.resolve('paid');
    await tick();
    expect(agent.takeLateOutcomes()).toMatchObject([{ id: 'k1', was: 'unknown', status: 'completed', value: 'paid' }]);
  });

  it('S48 survives snapshot and restore, once', async () => {
    const { agent, end } = await unknown();
    end.resolve({ receipt: 7 });
    await tick();
    const written = JSON.stringify(agent.snapshot());
    const again = new InterruptController();
    again.restore(JSON.parse(written) as AgentSnapshot);
    expect(again.takeLateOutcomes()).toMatchObject([{ id: 'c1', status: 'completed', value: { receipt: 7 } }]);
    expect(again.takeLateOutcomes()).toEqual([]);
    agent.takeLateOutcomes();
    expect(agent.snapshot().late).toBeUndefined();
  });

  it('S48 is no outcome of a call that ended in time', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) => tool(call('c1'), (_call, ctx) => obedient(ctx)));
    await tick();
    agent.cancel();
    await turn;
    await tick();
    expect(agent.takeLateOutcomes()).toEqual([]);
  });
});

/** What nobody can read. */
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe('late outcomes', () => {
  const add = (late: LateOutcomes, ...outcomes: Parameters<LateOutcomes['add']>[3][]): void => {
    for (const outcome of outcomes) late.add({ id: 'c', name: 'n' }, 1, 'detached', outcome);
  };

  it('say what the model may see, as soon as it is known, and in a snapshot', () => {
    const late = new LateOutcomes(new VirtualClock());
    let form = 'not yet';
    const call = Object.defineProperties(
      {},
      shownAs(() => form),
    );
    late.add({ id: 'c', name: 'n', call }, 1, 'unknown', { status: 'completed', value: 'SECRET' });
    late.add({ id: 'd', name: 'n', call }, 1, 'unknown', { status: 'failed', error: 'no' });
    form = 'masked';
    expect(late.toJSON()).toMatchObject([{ value: 'SECRET', shown: 'masked' }, { message: 'no' }]);
    const [first, second] = late.take();
    expect(lateNote(first as LateToolOutcome)).toMatch(/Result: masked]$/);
    expect(second).not.toHaveProperty('shown');
  });

  it('are given out in the order of their ends, with one word each', () => {
    const late = new LateOutcomes(new VirtualClock({ startAt: 5 }));
    const reason = createReason('user');
    add(
      late,
      { status: 'completed', value: 1 },
      { status: 'failed', error: 'in words' },
      { status: 'cancelled', reason },
      { status: 'cancelled', reason, completed: { value: 'committed' } },
    );
    expect(late.take().map(({ status, value, message }) => [status, value ?? message])).toEqual([
      ['completed', 1],
      ['failed', 'in words'],
      ['stopped', undefined],
      ['completed', 'committed'],
    ]);
  });

  it('say in words what JSON cannot hold', () => {
    const late = new LateOutcomes(new VirtualClock());
    const round: { self?: unknown } = {};
    round.self = round;
    add(
      late,
      { status: 'completed', value: round },
      { status: 'completed', value: 12n },
      { status: 'completed', value: undefined },
      { status: 'completed', value: revoked() },
      { status: 'failed', error: revoked() },
    );
    const said = late.toJSON().map(({ value, message }) => value ?? message);
    expect(said).toEqual(['[object Object]', '12', undefined, 'what cannot be read', 'what cannot be read']);
    expect(() => JSON.stringify(late.toJSON())).not.toThrow();
  });
});

describe('the note of a late outcome', () => {
  it('depends on what became of it', async () => {
    const { agent, end } = await unknown();
    end.resolve('paid');
    await tick();
    const [outcome] = agent.takeLateOutcomes();
    if (outcome === undefined) throw new Error('nothing came late');
    const words = (['completed', 'failed', 'stopped'] as const).map((status) => lateNote({ ...outcome, status }));
    expect(new Set(words).size).toBe(3);
    for (const note of words) expect(note).toContain('pay');
  });
});
