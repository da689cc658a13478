import { describe, expect, it, vi } from 'vitest';

import { CancellationTokenSource, InterruptController, type InterruptEvent, type Turn } from '../../../../src/index.ts';
import { call, obedient, stage, tick } from '../kit.ts';

describe('onEvent', () => {
  it('tells everything, synchronously and in order of subscription', async () => {
    const { agent } = stage();
    const log: string[] = [];
    agent.onEvent(({ type }) => log.push(`1 ${type}`));
    agent.onEvent(({ type }) => log.push(`2 ${type}`));
    agent.accept();
    expect(log).toEqual(['1 turn-accepted', '2 turn-accepted']);
  });

  it('until it is unregistered, by hand or by dispose', () => {
    const { agent } = stage();
    const heard: string[] = [];
    const first = agent.onEvent(() => heard.push('first'));
    const second = agent.onEvent(() => heard.push('second'));
    agent.accept();
    expect(first.unregister()).toBe(true);
    agent.accept();
    second[Symbol.dispose]();
    agent.accept();
    expect(heard).toEqual(['first', 'second', 'second']);
  });

  it('the same function twice is two listeners', () => {
    const { agent } = stage();
    const fn = vi.fn();
    const first = agent.onEvent(fn);
    agent.onEvent(fn);
    agent.accept();
    first.unregister();
    agent.accept();
    expect(fn).toHaveBeenCalledTimes(3);
  });

  it('refuses what is no function', () => {
    const { agent } = stage();
    for (const fn of [undefined, null, 'log', {}]) expect(() => agent.onEvent(fn as never)).toThrow(TypeError);
  });
});

describe('the events of operations', () => {
  it('come only to those who ask for them, the sub-agent’s too', async () => {
    const { agent, said } = stage();
    const heard: string[] = [];
    const registration = agent.onEvent(
      (event) => {
        if (event.type.startsWith('operation-') || event.type === 'turn-stopping')
          heard.push(`${event.agent} ${event.type}`);
      },
      { operations: true },
    );
    await agent.runTurn(({ tools }) =>
      tools([call('c1')], (_call, { subagent }) => subagent('sub').runTurn(({ model }) => model(() => 'said'))),
    );
    expect(heard).toEqual([
      'main operation-started',
      'main operation-started',
      'sub operation-started',
      'sub operation-ended',
      'main operation-ended',
      'main operation-ended',
    ]);
    registration.unregister();
    registration.unregister();
    await agent.runTurn(({ model }) => model(() => 'said'));
    expect(heard).toHaveLength(6);
    expect(said().some((line) => line.includes('operation-'))).toBe(false);
  });

  it('a listener that stops the turn when an operation starts leaves a whole report', async () => {
    const { agent } = stage();
    agent.onEvent(({ type }) => void (type === 'operation-started' && agent.cancel('user')), { operations: true });
    const report = await agent.runTurn(({ tools }) => tools([call('c1')], obedientCall));
    expect([report.status, report.calls.length]).toEqual(['cancelled', 1]);
    expect(agent.state).toBe('idle');
  });

  it('the option is checked', () => {
    const { agent } = stage();
    expect(() => agent.onEvent(() => undefined, { operations: 1 as never })).toThrow(TypeError);
  });
});

const obedientCall = (_call: unknown, context: Parameters<typeof obedient>[0]): Promise<void> => obedient(context);

describe('a listener that throws', () => {
  it('stops nobody, and the agent’s own error handler hears of it', async () => {
    const errors: unknown[] = [];
    const session = new CancellationTokenSource({ onCallbackError: (error) => errors.push(error) });
    const { agent } = stage({ token: session.token });
    const heard: string[] = [];
    const boom = new Error('boom');
    agent.onEvent(() => {
      throw boom;
    });
    agent.onEvent(({ type }) => heard.push(type));
    const report = await agent.runTurn(() => 1);
    expect(report.status).toBe('completed');
    expect(heard).toEqual(['turn-accepted', 'turn-started', 'turn-ended']);
    expect(errors).toEqual([boom, boom, boom]);
  });

  it('later, as a promise, is heard of the same way', async () => {
    const errors: unknown[] = [];
    const session = new CancellationTokenSource({ onCallbackError: (error) => errors.push(error) });
    const { agent } = stage({ token: session.token });
    agent.onEvent(() => Promise.reject(new Error('boom')) as never);
    agent.accept();
    await tick();
    expect(errors).toHaveLength(1);
  });
});

describe('who speaks', () => {
  it('every event says agent, instance and instant', async () => {
    const { agent, events, clock } = stage();
    await clock.advance(5);
    await agent.runTurn(() => 1);
    for (const event of events) {
      expect(event).toMatchObject({ agent: 'main', instanceId: agent.instanceId, at: 1_005 });
      expect(event).not.toHaveProperty('parentId');
    }
  });

  it('instances that share a name have their own ids', () => {
    const ids = Array.from({ length: 50 }, () => new InterruptController({ name: 'twin' }).instanceId);
    expect(new Set(ids).size).toBe(50);
  });

  it('a sub-agent’s events bubble to the root, each with the id of its parent', async () => {
    const { agent, events } = stage();
    const ids: Record<string, string> = { main: agent.instanceId };
    await agent.runTurn(({ tool }) =>
      tool(call('plan'), (_call, { subagent }) => {
        const middle = subagent('middle');
        ids['middle'] = middle.instanceId;
        return middle.runTurn(({ tool: inner }) =>
          inner(call('explore'), (_inner, ctx) => {
            const leaf = ctx.subagent('leaf');
            ids['leaf'] = leaf.instanceId;
            return leaf.runTurn(() => 1);
          }),
        );
      }),
    );
    const of = (name: string): InterruptEvent[] => events.filter((event) => event.agent === name);
    expect(of('leaf').map(({ type }) => type)).toEqual(['turn-accepted', 'turn-started', 'turn-ended']);
    for (const event of of('leaf')) {
      expect(event).toMatchObject({ instanceId: ids['leaf'], parentId: ids['middle'] });
    }
    for (const event of of('middle')) {
      expect(event).toMatchObject({ instanceId: ids['middle'], parentId: ids['main'] });
    }
    expect(events.map((event) => `${event.agent} ${event.type}`)).toEqual([
      'main turn-accepted',
      'main turn-started',
      'middle turn-accepted',
      'middle turn-started',
      'leaf turn-accepted',
      'leaf turn-started',
      'leaf turn-ended',
      'middle tool-outcome',
      'middle turn-ended',
      'main tool-outcome',
      'main turn-ended',
    ]);
  });

  it('a listener of the sub-agent hears nothing of its parent', async () => {
    const { agent } = stage();
    const child = agent.child('sub');
    const heard: string[] = [];
    child.onEvent((event) => heard.push(`${event.agent} ${event.type}`));
    await agent.runTurn(() => child.runTurn(() => 1));
    expect(heard).toEqual(['sub turn-accepted', 'sub turn-started', 'sub turn-ended']);
  });
});

describe('order', () => {
  it('interrupt-requested comes before any token, and interrupt-propagated for each sub-agent with it', async () => {
    const { agent } = stage();
    const log: string[] = [];
    const children = ['one', 'two'].map((name) => agent.child(name));
    const turn = agent.runTurn(({ token, tools }) => {
      token.onCancelled(() => log.push('turn token'));
      return tools([call('0'), call('1')], ({ id }) =>
        children[Number(id)]?.runTurn((own) => {
          own.token.onCancelled(() => log.push(`${String(children[Number(id)]?.name)} token`));
          return obedient(own);
        }),
      );
    });
    await tick();
    agent.onEvent((event) => {
      const child = event.type === 'interrupt-propagated' ? ` ${event.child}` : '';
      log.push(`${event.agent} ${event.type}${child}`);
    });
    agent.cancel();
    const upToTokens = log.slice(
      0,
      log.findIndex((line) => line.endsWith('token')),
    );
    expect(upToTokens).toEqual([
      'main interrupt-requested',
      'main interrupt-propagated one',
      'main interrupt-propagated two',
    ]);
    await turn;
    expect(log.filter((line) => line === 'main interrupt-requested')).toHaveLength(1);
    expect(log.at(-1)).toBe('main turn-ended');
  });

  it.each(['cancel', 'cancelAll', 'close'] as const)(
    'interrupt-propagated comes once for each sub-agent that works for the turn, also for those below: %s',
    async (how) => {
      const { agent, events } = stage();
      const deep = ({ tool }: Turn<string>) =>
        tool(call('deep'), async (_call, { subagent }) => (await subagent('deep').runTurn(obedient)).status);
      const turn = agent.runTurn(({ tools }) =>
        tools(
          ['a', 'b', 'c'].map((id) => call(id)),
          async (_call, { subagent }) => (await subagent('sub').runTurn(deep)).status,
        ),
      );
      await tick();
      const stopped = agent[how]();
      await ('settled' in stopped ? stopped.settled : stopped);
      await turn;
      const told = events.flatMap((event) => (event.type === 'interrupt-propagated' ? [event.childId] : []));
      expect([told.length, new Set(told).size]).toEqual([6, 6]);
    },
  );

  it('interrupt-propagated says which instance, and why', async () => {
    const { agent, events } = stage();
    const child = agent.child('sub');
    const turn = agent.runTurn(() => child.runTurn(obedient));
    await tick();
    agent.cancel('enough');
    const report = await turn;
    const reason = report.status === 'cancelled' ? report.reason : undefined;
    expect(events.find(({ type }) => type === 'interrupt-propagated')).toMatchObject({
      agent: 'main',
      child: 'sub',
      childId: child.instanceId,
      reason,
    });
    expect(events.find(({ type }) => type === 'interrupt-requested')).toHaveProperty('reason', reason);
  });

  it('is emitted before a cancel of one call, too', async () => {
    const { agent, said } = stage();
    const turn = agent.runTurn(({ tool, token }) =>
      tool(call('a'), async (_call, ctx) => {
        ctx.token.onCancelled(() => expect(said().at(-1)).toBe('main:interrupt-requested'));
        await obedient(ctx);
        return token;
      }),
    );
    await tick();
    agent.cancelCall('a', 'a');
    expect(said().at(-1)).toBe('main:interrupt-requested');
    await turn;
  });

  it('once per rung: repeats are quiet', async () => {
    const { agent, events, clock } = stage();
    const turn = agent.runTurn(obedient);
    for (const stop of [() => agent.cancel(), () => agent.kill()]) for (let i = 0; i < 3; i += 1) stop();
    await clock.advance(0);
    await turn;
    expect(events.flatMap((event) => (event.type === 'interrupt-requested' ? [event.kind] : []))).toEqual([
      'cancel',
      'kill',
    ]);
  });

  it('turn-ended says how, whether interrupted, and what kind', async () => {
    const { agent, events, clock } = stage();
    await agent.runTurn(() => 1);
    await agent.runTurn(() => Promise.reject(new Error('x')));
    const third = agent.runTurn(obedient);
    agent.cancel({ kind: 'disconnect' });
    await third;
    const fourth = agent.runTurn(({ tool }) => tool(call('a'), () => new Promise(() => undefined)));
    agent.kill({ kind: 'budget' });
    await clock.advance(0);
    await fourth;
    const ended = events.filter((event) => event.type === 'turn-ended');
    expect(ended).toMatchObject([
      { turnId: 1, status: 'completed', interrupted: false },
      { turnId: 2, status: 'failed', interrupted: false },
      { turnId: 3, status: 'cancelled', interrupted: true, kind: 'disconnect' },
      { turnId: 4, status: 'cancelled', interrupted: true, kind: 'budget' },
    ]);
    expect(ended[0]).not.toHaveProperty('kind');
  });
});
