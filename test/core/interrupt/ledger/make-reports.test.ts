import { describe, expect, it } from 'vitest';

import { delay, type ModelContext } from '../../../../src/index.ts';
import { call, obedient, stage, tick } from '../kit.ts';

/** A reply that says who it is and waits to be cut. */
function speaking(text: string) {
  return async ({ partial, token }: ModelContext): Promise<void> => {
    partial(text);
    await obedient({ token });
  };
}

describe('what the pieces of a turn share', () => {
  it('partial outputs of all cut model calls, each under its number', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ model, takeInterjections }) => {
      await model(() => 'whole');
      await model(speaking('second'));
      takeInterjections();
      await model(() => 'whole again');
      await model(speaking('fourth'));
    });
    await tick();
    agent.interject('x', { delivery: 'now' });
    await tick();
    agent.cancel();
    expect((await turn).partials).toMatchObject([
      { modelCall: 2, value: 'second', reason: { kind: 'interjection' } },
      { modelCall: 4, value: 'fourth', reason: { kind: 'user' } },
    ]);
  });

  it('one message cuts all model calls that run, and is delivered once', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ model, takeInterjections }) => {
      const replies = await Promise.all([model(speaking('a')), model(speaking('b'))]);
      return [...replies.map(({ status }) => status), takeInterjections().length];
    });
    await tick();
    agent.interject('x', { delivery: 'now' });
    const report = await turn;
    expect(report.unwrap()).toEqual(['interjected', 'interjected', 1]);
    expect(report.partials.map(({ modelCall, value }) => [modelCall, value])).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
  });

  it('one cancel ends them all, with one reason', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ model, tools }) =>
      Promise.all([
        model(speaking('a')).catch(() => undefined),
        tools([call('x'), call('y')], (_call, ctx) => obedient(ctx)),
      ]),
    );
    await tick();
    agent.cancel();
    const report = await turn;
    const reasons = new Set([
      ...report.partials.map(({ reason }) => reason),
      ...report.calls.map((row) => ('reason' in row ? row.reason : undefined)),
      report.stop?.reason,
    ]);
    expect(reasons.size).toBe(1);
  });

  it('a message that comes when a tool has ended reaches no tool', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(async ({ tool, token }) => {
      await tool(call('a'), () => 1, { onInterject: 'cancel' });
      await delay(token, 10);
    });
    await tick();
    agent.interject('x', { delivery: 'now' });
    await clock.advance(10);
    expect(await turn).toMatchObject({ status: 'completed', calls: [{ status: 'completed' }] });
  });

  it('nothing of one turn is in the report of the next', async () => {
    const { agent } = stage();
    const first = agent.runTurn(({ model, tool }) =>
      Promise.all([model(speaking('a')), tool(call('x'), () => 1)]).catch(() => agent.interject('late')),
    );
    await tick();
    agent.cancel();
    await first;
    const second = await agent.runTurn(({ model }) => model(() => 1));
    expect(second).toMatchObject({ status: 'completed', calls: [], partials: [], undelivered: [] });
  });
});
