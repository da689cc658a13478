import { describe, expect, it } from 'vitest';

import type { CancellationToken, Delivery, ToolContext } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, obedient, stage, tick, type Call } from '../kit.ts';

const deliveries = ['now', 'after-current-tool', 'next-model-call', 'after-turn'] as const satisfies Delivery[];
const messages = (list: readonly { readonly message: unknown }[]): unknown[] => list.map(({ message }) => message);

describe('deliveries', () => {
  it('S21 after-current-tool: the one that runs completes, the rest is skipped, the message comes once', async () => {
    const { agent } = stage();
    const requests: unknown[][] = [];
    const gate = deferred();
    const started: string[] = [];
    const turn = agent.runTurn(async ({ model, tools, takeInterjections }) => {
      let news: unknown[] = [];
      for (let round = 0; round < 3; round += 1) {
        await model(() => void requests.push(news));
        await tools(
          round === 0 ? [call('a'), call('b')] : [],
          async ({ id }) => {
            started.push(id);
            await gate.promise;
          },
          { mode: 'sequential' },
        );
        news = messages(takeInterjections());
      }
    });
    await tick();
    agent.interject('wait', { delivery: 'after-current-tool' });
    gate.resolve();
    const report = await turn;
    expect(report.calls.map(({ id, status }) => `${id} ${status}`)).toEqual(['a completed', 'b skipped']);
    expect(started).toEqual(['a']);
    expect(requests).toEqual([[], ['wait'], []]);
  });

  it('S21 now: the stream stops, its partial output is kept, tools go on', async () => {
    const { agent } = stage();
    const gate = deferred<string>();
    const cancelled: boolean[] = [];
    const turn = agent.runTurn(async ({ model, tools, takeInterjections }) => {
      const [reply, outcomes] = await Promise.all([
        model(({ token, partial }) => (partial('half'), obedient({ token }))),
        tools([call('a')], async (_call, { token }) => {
          const value = await gate.promise;
          cancelled.push(token.isCancelled);
          return value;
        }),
      ]);
      return [reply.status, outcomes[0]?.status, messages(takeInterjections())];
    });
    await tick();
    agent.interject('use pnpm', { delivery: 'now' });
    await tick();
    gate.resolve('done');
    const report = await turn;
    expect(report.unwrap()).toEqual(['interjected', 'completed', ['use pnpm']]);
    expect(report.partials).toMatchObject([{ value: 'half' }]);
    expect(cancelled).toEqual([false]);
  });

  it('now: calls of the batch that have not started go on as well', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tools }) =>
      tools([call('a'), call('b')], () => void agent.interject('x', { delivery: 'now' }), { mode: 'sequential' }),
    );
    expect(report.calls.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  it('now: a tool may ask to be cancelled by it, and only such a tool is', async () => {
    const { agent } = stage();
    const gate = deferred();
    const tokens: CancellationToken[] = [];
    const waits = (_call: Call, ctx: ToolContext): Promise<void> => (tokens.push(ctx.token), gate.promise);
    const turn = agent.runTurn(async ({ tool, token }) => {
      const outcomes = await Promise.all([
        tool(call('a'), (_call, ctx) => obedient(ctx), { onInterject: 'cancel' }),
        tool(call('b'), waits, { onInterject: 'finish' }),
        tool(call('c'), waits),
      ]);
      return [outcomes.map(({ status }) => status), token.isCancelled];
    });
    await tick();
    agent.interject('x', { delivery: 'now' });
    expect(tokens.map(({ isCancelled }) => isCancelled)).toEqual([false, false]);
    gate.resolve();
    const report = await turn;
    expect(report.unwrap()).toEqual([['stopped', 'completed', 'completed'], false]);
    expect(report.calls[0]).toMatchObject({ reason: { kind: 'interjection' } });
    expect(agent.wasInterrupted).toBe(false);
  });

  it.each(['after-current-tool', 'next-model-call', 'after-turn'] as const)('%s: cancels no tool', async (delivery) => {
    const { agent } = stage();
    const gate = deferred();
    const turn = agent.runTurn(({ tool }) => tool(call('a'), () => gate.promise, { onInterject: 'cancel' }));
    await tick();
    agent.interject('x', { delivery });
    gate.resolve();
    expect((await turn).calls).toMatchObject([{ status: 'completed' }]);
  });

  it('next-model-call is the default: nothing is cut, nothing is skipped', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ model, tools, takeInterjections }) => {
      agent.interject('x');
      const reply = await model(() => 'whole');
      const outcomes = await tools([call('a'), call('b')], () => 1, { mode: 'sequential' });
      return [reply.status, outcomes.map(({ status }) => status), messages(takeInterjections())];
    });
    expect(report.unwrap()).toEqual(['completed', ['completed', 'completed'], ['x']]);
  });

  it('after-turn: not in this turn, but in its report', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ takeInterjections }) => {
      const message = agent.interject('next', { delivery: 'after-turn' });
      agent.interject('this');
      return [messages(takeInterjections()), message.status];
    });
    expect(report.unwrap()).toEqual([['this'], 'queued']);
    expect(report.undelivered).toMatchObject([{ message: 'next', status: 'undelivered' }]);
  });

  it('after-turn: interrupts nothing', async () => {
    const { agent } = stage();
    await agent.runTurn(() => {
      agent.interject('next', { delivery: 'after-turn' });
      expect([agent.state, agent.interrupted]).toEqual(['running', false]);
    });
  });
});

describe('never lost, never doubled', () => {
  it.each(deliveries)('S21 one that comes after the last takeInterjections is in the report: %s', async (delivery) => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ model, takeInterjections }) => {
      takeInterjections();
      await model(async () => {
        agent.interject('late', { delivery });
        return 'final answer';
      });
    });
    expect(report.undelivered).toMatchObject([{ message: 'late', status: 'undelivered' }]);
    expect(await report.undelivered[0]?.settled).toBe('undelivered');
  });

  it.each(deliveries)('while idle it comes back at once: %s', async (delivery) => {
    const { agent, events } = stage();
    const message = agent.interject('hello?', { delivery });
    expect([message.status, await message.settled]).toEqual(['undelivered', 'undelivered']);
    expect([agent.interrupted, events]).toEqual([false, []]);
  });

  it.each(deliveries)('S22 cancel, then a message: refused, and in the report (%s)', async (delivery) => {
    const { agent } = stage();
    const turn = agent.runTurn(obedient);
    agent.cancel();
    const message = agent.interject('too late', { delivery });
    expect(message.status).toBe('undelivered');
    const report = await turn;
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
    expect(report.undelivered).toEqual([message]);
    expect(report.stop?.undelivered).toEqual([message]);
  });

  it.each(deliveries)('S22 a message, then cancel: it comes back too (%s)', async (delivery) => {
    const { agent } = stage();
    const turn = agent.runTurn(obedient);
    const message = agent.interject('early', { delivery });
    agent.cancel();
    const report = await turn;
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
    expect([report.undelivered, message.status]).toEqual([[message], 'undelivered']);
  });

  it('S22 all that wait come back, in the order in which they came', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ takeInterjections, token }) => {
      takeInterjections();
      await obedient({ token });
    });
    agent.interject('a', { delivery: 'after-turn' });
    agent.interject('b', { delivery: 'now' });
    agent.interject('c');
    agent.cancel();
    agent.interject('d');
    agent.kill();
    agent.interject('e', { delivery: 'now' });
    const report = await turn;
    expect(messages(report.undelivered)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(report.undelivered.every(({ status }) => status === 'undelivered')).toBe(true);
  });

  it('S22 what was delivered before the cancel does not come back', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ takeInterjections }) => {
      agent.interject('a');
      takeInterjections();
      agent.interject('b');
      agent.cancel();
    });
    expect(messages(report.undelivered)).toEqual(['b']);
  });
});
