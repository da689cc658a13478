/**
 * One stop over all the agents that it reaches: who hears of it, how often, for which reason, and who does not.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';

import {
  delay,
  type InterruptController,
  type InterruptEvent,
  type StopReport,
  type ToolContext,
} from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { call, deaf, obedient, stage, tick, withReported, type Call } from './kit.ts';

const requested = (events: readonly InterruptEvent[]): InterruptEvent[] =>
  events.filter(({ type }) => type === 'interrupt-requested');

describe('every function of a controller is bound', () => {
  it('and stays the same function', async () => {
    const { agent } = stage();
    const { cancel, interject, runTurn, kill, cancelAll, accept, background } = agent;
    const turn = runTurn(obedient);
    expect(interject('x').status).toBe('queued');
    expect(cancel('enough').accepted).toBe(true);
    expect((await turn).status).toBe('cancelled');
    expect([kill().accepted, cancelAll().accepted, accept().id]).toEqual([false, false, 2]);
    expect(await background('job', () => 1).outcome).toMatchObject({ value: 1 });
    expect(agent.cancel).toBe(cancel);
  });

  it('so is the cancel of a ticket, and what a turn and its contexts hold', async () => {
    const { agent } = stage();
    const { cancel, id } = agent.accept();
    expect(cancel('early')).toMatchObject({ accepted: true, turnId: id });
    const report = await agent.runTurn(async (turn) => {
      const { tool, cancel: stop } = turn;
      await tool(call('a'), () => 1);
      return stop('enough').accepted;
    });
    expect(report).toMatchObject({ status: 'cancelled', completed: { value: true } });
  });
});

describe('one stop is announced once at a listener of the root', () => {
  it.each(['cancel', 'kill', 'cancelAll'] as const)('however deep it reaches: %s', async (how) => {
    const { agent, events, clock } = stage();
    const local: InterruptEvent[] = [];
    const nest =
      (depth: number) =>
      (_call: unknown, { subagent }: ToolContext): Promise<unknown> => {
        const sub = subagent(`level-${String(depth)}`);
        sub.onEvent((event) => local.push(event));
        return sub.runTurn<unknown>(({ tool, token }) =>
          depth === 3 ? obedient({ token }) : tool(call('deeper'), nest(depth + 1)),
        );
      };
    const turn = agent.runTurn(({ tool }) => tool(call('plan'), nest(1)));
    await tick();
    agent[how]('enough');
    await clock.advance(0);
    await turn;
    expect(requested(events)).toHaveLength(1);
    expect(requested(events)[0]).toMatchObject({ agent: 'main', reason: { message: 'enough' } });
    const heard = new Set(requested(local).map((event) => event.agent));
    expect([...heard].sort()).toEqual(['level-1', 'level-2', 'level-3']);
    expect(events.filter(({ type }) => type === 'interrupt-propagated')).toHaveLength(3);
  });

  it('also where a person’s stop of a sub-agent reaches its parent', async () => {
    const { agent, events } = stage();
    let sub: InterruptController | undefined;
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), (_call, { subagent }) => (sub = subagent('sub')).runTurn(obedient)),
    );
    await tick();
    sub?.cancel({ kind: 'user' });
    expect((await turn).status).toBe('cancelled');
    expect(requested(events)).toMatchObject([{ agent: 'sub' }]);
  });
});

describe('the kind of a stop', () => {
  it('is a person’s on a root, and nobody’s known on a sub-agent or from within the turn', async () => {
    const { agent, clock } = stage();
    const kinds: unknown[] = [];
    const end = async (run: (agent: InterruptController) => Promise<{ readonly stop?: StopReport }>): Promise<void> => {
      const turn = run(agent);
      await tick();
      await clock.advance(0);
      kinds.push((await turn).stop?.reason?.kind);
    };
    await end((it) => it.runTurn(() => void it.cancel()));
    await end((it) => it.runTurn(({ cancel }) => void cancel()));
    await end((it) => it.runTurn(({ tool }) => tool(call('a'), (_call, { cancelTurn }) => void cancelTurn())));
    await end(() => {
      const child = agent.child('sub');
      return child.runTurn(() => void child.cancel());
    });
    expect(kinds).toEqual(['user', 'unknown', 'unknown', 'unknown']);
  });

  it('is kept if it is said', async () => {
    const { agent } = stage();
    const child = agent.child('sub');
    const report = await child.runTurn(() => void child.cancel({ kind: 'budget' }));
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'budget' } });
  });
});

describe('the housekeeping of a sub-agent stops nobody above it', () => {
  const housekeeping: readonly (readonly [string, (kid: InterruptController, ctx: ToolContext) => Promise<unknown>])[] =
    [
      [
        'its budget',
        (kid) =>
          kid.runTurn(
            async ({ model }) => {
              for (;;) await model(() => 1);
            },
            { budget: { modelCalls: 2 } },
          ),
      ],
      ['its limit', (kid, ctx) => kid.runTurn(obedient, { token: ctx.token.child({ timeoutMs: 5 }).token })],
      [
        'its close',
        async (kid) => {
          void kid.runTurn(obedient);
          await tick();
          await kid.close();
        },
      ],
      [
        'its own cancel, of no kind that is known',
        async (kid) => {
          const turn = kid.runTurn(obedient);
          kid.cancel();
          await turn;
        },
      ],
    ];

  it.each(housekeeping)('%s', async (_what, run) => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(async ({ tool, token }) => {
      const outcome = await tool(call('delegate'), (_call, ctx) => run(ctx.subagent('kid'), ctx));
      return [outcome.status, token.isCancelled];
    });
    await tick();
    await clock.advance(10);
    await clock.advance(10);
    const report = await turn;
    expect([report.status, agent.wasInterrupted]).toEqual(['completed', false]);
    expect(report.unwrap()).toEqual(['stopped', false]);
    expect(report.calls).toMatchObject([{ status: 'stopped', by: 'kid' }]);
  });
});

describe('attached sub-agents of an agent that has no turn', () => {
  it.each(['cancel', 'kill'] as const)('are reached by its %s', async (how) => {
    const { agent, clock } = stage();
    const workers = ['w1', 'w2'].map((name) => agent.child(name).runTurn(({ token }) => delay(token, 50)));
    await tick();
    const receipt = agent[how]('enough');
    expect(receipt.accepted).toBe(true);
    await clock.advance(0);
    for (const worker of workers)
      expect(await worker).toMatchObject({ status: 'cancelled', reason: { message: 'enough' } });
    expect((await receipt.settled).abandoned).toEqual([]);
  });
});

describe('what was given up before a stop and still runs is named in its report', () => {
  it('a call that was cancelled by its id', async () => {
    const { agent, clock } = stage({ graceMs: 5 });
    const turn = agent.runTurn(async ({ tool, model }) => {
      await tool(call('c1', 'deaf_build'), deaf);
      await model(obedient);
    });
    await tick();
    agent.cancelCall('c1', 'not this');
    await clock.advance(20);
    agent.cancel();
    expect((await turn).stop?.abandoned).toEqual(['deaf_build']);
  });

  it('a stream that a message cut', async () => {
    const { agent, clock } = stage({ graceMs: 5 });
    const turn = agent.runTurn(async ({ model }) => {
      await model(deaf, { name: 'old-stream' });
      await model(obedient);
    });
    await tick();
    agent.interject('m', { delivery: 'now' });
    await clock.advance(20);
    agent.cancel();
    expect((await turn).stop?.abandoned).toEqual(['old-stream']);
  });

  it('a deaf tool of a contained sub-agent', async () => {
    const { agent, clock } = stage({ graceMs: 5 });
    let kid: InterruptController | undefined;
    const turn = agent.runTurn(async ({ tool, model }) => {
      await tool(call('c1', 'delegate'), async (_call, { subagent }) => {
        kid = subagent('kid', { onChildInterrupted: 'contain' });
        await kid.runTurn(({ tool: inner }) => inner(call('k', 'kid_deaf'), deaf));
      });
      await model(obedient);
    });
    await tick();
    kid?.cancel();
    await clock.advance(50);
    agent.cancel();
    expect((await turn).stop?.abandoned).toContain('kid_deaf');
  });
});

describe('a limit of a tool call', () => {
  it('stops that call with kind deadline, and nothing beside it', async () => {
    const { agent, clock } = stage();
    const other = deferred<string>();
    const turn = agent.runTurn(({ tool }) =>
      Promise.all([
        tool(call('slow'), (_call, ctx) => obedient(ctx), { timeoutMs: 100 }),
        tool(call('other'), () => other.promise),
      ]),
    );
    await clock.advance(100);
    other.resolve('fine');
    expect((await turn).calls).toMatchObject([
      { id: 'slow', status: 'stopped', reason: { kind: 'deadline' } },
      { id: 'other', status: 'completed' },
    ]);
  });
});

describe('isStop', () => {
  const refusing = (signal: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('Streaming interrupted by user')));
    });
  const isStop = (error: unknown): boolean => (error as Error).message.includes('interrupted by user');

  it('recognises the error with which a client answers a stop', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ model }) => model(({ signal }) => refusing(signal), { isStop }));
    await tick();
    agent.cancel();
    expect(await turn).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
    expect(agent.wasInterrupted).toBe(true);
  });

  it('recognises that of a tool', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) => tool(call('a'), (_call, { signal }) => refusing(signal), { isStop }));
    await tick();
    agent.cancelCall('a');
    expect((await turn).calls).toMatchObject([{ status: 'stopped' }]);
  });

  it('is not asked about an error that no stop came before', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool }) =>
      tool(call('a'), () => Promise.reject(new Error('interrupted by user')), { isStop }),
    );
    expect(report.calls).toMatchObject([{ status: 'failed' }]);
  });
});

describe('a recovery', () => {
  it('waits before it tries again, and says so in its event', async () => {
    const { agent, clock, events } = stage({ graceMs: 10 });
    const starts: number[] = [];
    const turn = agent.runTurn(({ model }) =>
      model(
        async (ctx) => {
          starts.push(clock.now() - 1_000);
          if (ctx.continuation === undefined) await obedient(ctx);
          return 'reply';
        },
        { timeoutMs: 100, recover: { attempts: 2, backoffMs: 500 } },
      ),
    );
    await clock.advance(1_000);
    expect((await turn).unwrap()).toMatchObject({ status: 'completed', value: 'reply' });
    expect(starts).toEqual([0, 600]);
    const limits = events.filter(({ type }) => type === 'model-timed-out' || type === 'model-retried');
    expect(limits).toMatchObject([
      { type: 'model-timed-out', turnId: 1, reason: { kind: 'deadline' }, canContinueAfterTimeout: true },
      { type: 'model-retried', turnId: 1, attempt: 1, reason: { kind: 'deadline' } },
    ]);
  });

  it('is ended by a person’s stop while it waits', async () => {
    const { agent, clock } = stage({ graceMs: 10 });
    let starts = 0;
    const turn = agent.runTurn(({ model }) =>
      model(
        (ctx) => {
          starts += 1;
          return obedient(ctx);
        },
        { timeoutMs: 100, recover: { attempts: 2, backoffMs: 500 } },
      ),
    );
    await clock.advance(300);
    agent.cancel('enough');
    await clock.advance(0);
    expect(await turn).toMatchObject({ status: 'cancelled', reason: { message: 'enough' } });
    expect([starts, clock.pending]).toEqual([1, 0]);
  });
});

describe('a stop by what it was aimed at', () => {
  it('reaches the call that runs, of several with one id', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ tools }) => {
      await tools([call('call_0', 'ls')], () => 'a');
      await tools([call('call_0', 'rm')], (_call, ctx) => obedient(ctx));
      return 'went on';
    });
    await tick();
    const receipt = agent.cancelCall('call_0', 'no');
    expect((await receipt.settled).operations).toMatchObject([{ name: 'rm', outcome: 'cancelled' }]);
    const report = await turn;
    expect(report.unwrap()).toBe('went on');
    expect(report.calls.map(({ name, status }) => `${name} ${status}`)).toEqual(['ls completed', 'rm stopped']);
  });

  it('reaches every call that runs under its id, and each has the row of its own', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ tools }) => {
      const calls = [call('call_0', 'ls'), call('call_0', 'rm'), call('call_0', 'cat')];
      await tools(calls, ({ name }, ctx) => (name === 'cat' ? undefined : obedient(ctx)));
      return 'went on';
    });
    await tick();
    const receipt = agent.cancelCall('call_0', 'no');
    const stopped = { outcome: 'cancelled', kind: 'tool' };
    expect((await receipt.settled).operations).toMatchObject([
      { name: 'rm', ...stopped },
      { name: 'ls', ...stopped },
    ]);
    expect(agent.cancelCall('call_0').accepted).toBe(false);
    const report = await turn;
    expect(report.unwrap()).toBe('went on');
    expect(report.calls.map(({ name, call: own, status }) => `${name} ${(own as Call).name} ${status}`)).toEqual([
      'ls ls stopped',
      'rm rm stopped',
      'cat cat completed',
    ]);
  });

  it('of a word that is no kind stops all the same, and is reported', async () => {
    const { agent } = stage();
    const { result, errors } = await withReported(async () => {
      const turn = agent.runTurn(obedient);
      agent.cancel({ kind: 'esc-pressed' } as never);
      return turn;
    });
    expect([result.status, errors.length]).toEqual(['cancelled', 1]);
  });

  it('names a body that never unwinds', async () => {
    const { agent, clock } = stage({ graceMs: 50 });
    const turn = agent.runTurn(async ({ model }) => {
      try {
        await model(obedient);
      } finally {
        await deaf();
      }
    });
    await tick();
    agent.cancel();
    await clock.advance(100);
    expect(await turn).toMatchObject({ status: 'cancelled', stop: { abandoned: ['main'] } });
  });
});

it('an abort of the token of an agent that has background work only is announced, once', async () => {
  const controller = new AbortController();
  const { agent, events } = stage({ token: controller.signal });
  const jobs = [agent.background('one', obedient), agent.child('child').background('two', obedient)];
  controller.abort('over');
  await Promise.all(jobs.map(({ outcome }) => outcome));
  const said = events.flatMap((event) => (event.type === 'interrupt-requested' ? [event.reason.message] : []));
  expect(said).toEqual(['over']);
});

it('a stop of a call is announced once, also where its turn is stopped before its sub-agent begins', async () => {
  const { agent, events } = stage();
  agent.onEvent((event) => {
    if (event.type !== 'turn-accepted' || event.agent !== 'child') return;
    agent.cancelCall('plan', 'the call');
    agent.cancel('the turn');
  });
  await agent.runTurn(({ tool }) =>
    tool(call('plan'), (_call, context) => context.subagent('child').runTurn(obedient)),
  );
  const said = events.flatMap((event) => (event.type === 'interrupt-requested' ? [event.reason.message] : []));
  expect(said).toEqual(['the call', 'the turn']);
});
