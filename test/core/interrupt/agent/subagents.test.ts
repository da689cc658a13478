import { describe, expect, it } from 'vitest';

import type {
  CancelReason,
  CancellationToken,
  InterruptController,
  SubagentOptions,
  ToolContext,
  ToolOutcome,
  Turn,
} from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, errorOf, hasSettled, obedient, stage, tick, type Call } from '../kit.ts';

const collect = (globalThis as { gc?: () => void }).gc ?? (() => undefined);

describe('S04 Parent and child', () => {
  it('S04 a tool that lets the stop of its sub-agent pass was stopped, also where the body returned in spite of it', async () => {
    for (const late of [true, false]) {
      const { agent } = stage();
      const end = deferred();
      const turn = agent.runTurn(({ tool }) =>
        tool(call('helper'), async (_call, { subagent, token }) => {
          const report = await subagent('helper').runTurn<unknown>(() =>
            late ? end.promise.then(() => 'late') : obedient({ token }),
          );
          expect(report).toMatchObject({ status: 'cancelled', ...(late && { completed: { value: 'late' } }) });
          return report.unwrap();
        }),
      );
      await tick();
      agent.cancel('user');
      end.resolve();
      expect((await turn).calls).toMatchObject([{ id: 'helper', status: 'stopped' }]);
    }
  });

  it('S04 a cancel of the root reaches every level in one tick, with one reason object', async () => {
    const { agent } = stage();
    const tokens: Record<string, CancellationToken> = {};
    let modelCalls = 0;
    const delegate =
      (depth: number) =>
      async ({ id }: Call, { subagent, token }: ToolContext<Call>): Promise<string> => {
        tokens[`tool ${id}`] = token;
        if (depth === 0) {
          await obedient({ token });
          return 'never';
        }
        collect();
        const report = await subagent(`agent-${String(depth)}`).runTurn(async (turn) => {
          tokens[`turn ${String(depth)}`] = turn.token;
          await turn.model(() => (modelCalls += 1));
          const outcome = await turn.tool(call(`c${String(depth)}`), delegate(depth - 1));
          collect();
          await turn.model(() => (modelCalls += 1));
          return outcome;
        });
        return report.status;
      };
    const turn = agent.runTurn(async ({ tool, model, token }) => {
      tokens['turn root'] = token;
      await tool(call('root'), delegate(3));
      await model(() => (modelCalls += 1));
    });
    await tick();
    collect();
    agent.cancel('enough');
    const reasons = Object.entries(tokens);
    expect(reasons).toHaveLength(8);
    const reason = tokens['turn root']?.reason;
    for (const [name, token] of reasons) {
      expect(token.isCancelled, name).toBe(true);
      expect(token.reason, name).toBe(reason);
    }
    const report = await turn;
    expect(modelCalls).toBe(3);
    expect(report.status === 'cancelled' && report.reason).toBe(reason);
    expect(report.calls).toMatchObject([{ status: 'stopped', reason: { message: 'enough' } }]);
    expect(report.calls[0]).toHaveProperty('reason', reason);
  });

  it('S04 whatever the tool makes of it, its outcome is no success', async () => {
    for (const answer of ['all done!', undefined]) {
      const { agent } = stage();
      const turn = agent.runTurn(({ tool }) =>
        tool(call('plan'), async (_call, { subagent }) => {
          await subagent('sub').runTurn(obedient);
          return answer;
        }),
      );
      await tick();
      agent.cancel();
      const [row] = (await turn).calls;
      expect(row).toMatchObject({ status: 'stopped', partial: answer });
      expect(row).not.toHaveProperty('by');
    }
  });

  it('S04 rows of every level are in the one report', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), (_call, { subagent }) =>
        subagent('sub').runTurn(({ tools }) =>
          tools([call('grep'), call('deaf')], ({ id }, ctx) => (id === 'deaf' ? deaf() : obedient(ctx))),
        ),
      ),
    );
    await tick();
    agent.cancel();
    await clock.advance(3_000);
    const { stop } = await turn;
    expect(stop?.operations).toEqual(
      expect.arrayContaining([
        { kind: 'tool', name: 'plan', agent: 'main', outcome: expect.anything(), ms: expect.anything() },
        { kind: 'subagent', name: 'sub', agent: 'main', outcome: 'cancelled', ms: expect.anything() },
        { kind: 'tool', name: 'grep', agent: 'sub', outcome: 'cancelled', ms: 0 },
        { kind: 'tool', name: 'deaf', agent: 'sub', outcome: 'abandoned', ms: 100 },
      ]),
    );
    expect(stop?.operations).toHaveLength(4);
    expect(stop?.abandoned).toContain('deaf');
  });

  it('kill reaches every level', async () => {
    const { agent, clock } = stage({ graceMs: 60_000 });
    const states: string[] = [];
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), (_call, { subagent }) => {
        const sub = subagent('sub');
        sub.onEvent(() => states.push(sub.state));
        return sub.runTurn(({ tool: inner }) => inner(call('deaf'), deaf));
      }),
    );
    await tick();
    agent.kill();
    await clock.advance(0);
    expect(await turn).toMatchObject({ status: 'cancelled', stop: { settledMs: 0 } });
    expect(states).toContain('killing');
    expect(clock.pending).toBe(0);
  });

  it('nothing starts in a sub-agent made after the stop', async () => {
    const { agent } = stage();
    let ran = 0;
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, { subagent, token }) => {
        await obedient({ token }).catch(() => undefined);
        return (await subagent('late').runTurn(() => (ran += 1))).status;
      }),
    );
    await tick();
    agent.cancel();
    expect((await turn).calls).toMatchObject([{ status: 'stopped' }]);
    expect(ran).toBe(0);
  });
});

/** A parent with one sub-agent on a call; the sub-agent alone is stopped. */
async function stoppedAlone(options: SubagentOptions, stop: (sub: InterruptController) => void) {
  const { agent, clock, events } = stage();
  let sub: InterruptController | undefined;
  let before: unknown[] = [];
  let after: unknown[] = [];
  const turn = agent.runTurn(async ({ tool, token }) => {
    const outcome = await tool(call('plan'), async (_call, { subagent }) => {
      sub = subagent('explorer', options);
      const report = await sub.runTurn(obedient);
      before = [agent.interrupted, token.isCancelled];
      return report.status;
    });
    after = [outcome.status, token.isCancelled];
    return 'went on';
  });
  await tick();
  stop(sub as InterruptController);
  await clock.advance(0);
  return { agent, events, sub: sub as InterruptController, report: await turn, before, after };
}

const byPerson = { kind: 'user', message: 'not that way' } as const;

describe('S05 Child interrupted alone', () => {
  it('S05 propagate, the default for a person’s stop: the parent is stopped before the tool call returns', async () => {
    for (const options of [{}, { onChildInterrupted: 'propagate' }] as SubagentOptions[]) {
      const { report, before, after, sub } = await stoppedAlone(options, (it) => it.cancel(byPerson));
      expect(before).toEqual([true, true]);
      expect(after).toEqual(['stopped', true]);
      expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user', message: 'not that way' } });
      expect(report.calls).toMatchObject([{ status: 'stopped', by: 'explorer', reason: { message: 'not that way' } }]);
      expect(report.status === 'cancelled' && report.reason).toBe(sub.lastReport?.reason);
    }
  });

  it('S05 contain: it goes on with a stopped outcome, by the child', async () => {
    const contain = { onChildInterrupted: 'contain' } as const;
    const { agent, report, before, after } = await stoppedAlone(contain, (it) => it.cancel(byPerson));
    expect(before).toEqual([false, false]);
    expect(after).toEqual(['stopped', false]);
    expect(report.unwrap()).toBe('went on');
    expect(report.calls).toMatchObject([{ status: 'stopped', by: 'explorer', partial: 'cancelled' }]);
    expect(agent.wasInterrupted).toBe(false);
  });

  it.each([undefined, { kind: 'budget' }, { kind: 'app:policy' }] as const)(
    'S05 by nobody’s stop, %o: contained unless the options say propagate',
    async (reason) => {
      const contained = await stoppedAlone({}, (it) => it.cancel(reason));
      expect([contained.report.status, contained.after]).toEqual(['completed', ['stopped', false]]);
      const propagated = await stoppedAlone({ onChildInterrupted: 'propagate' }, (it) => it.cancel(reason));
      expect([propagated.report.status, propagated.after]).toEqual(['cancelled', ['stopped', true]]);
    },
  );

  it('S05 its own row stands in the report of the stop that it caused', async () => {
    const { report } = await stoppedAlone({}, (it) => it.cancel(byPerson));
    expect(report.stop?.operations.map(({ kind, name, outcome }) => `${kind} ${name} ${outcome}`)).toEqual([
      'tool plan cancelled',
      'subagent explorer cancelled',
    ]);
  });

  it('S05 by kill as well', async () => {
    const contained = await stoppedAlone({ onChildInterrupted: 'contain' }, (it) => it.kill(byPerson));
    expect(contained.report.calls).toMatchObject([{ status: 'stopped', by: 'explorer' }]);
    expect(contained.report.status).toBe('completed');
    const propagated = await stoppedAlone({}, (it) => it.kill(byPerson));
    expect(propagated.report).toMatchObject({ status: 'cancelled', calls: [{ status: 'stopped', by: 'explorer' }] });
  });

  it('S05 also if the tool throws what it got from the sub-agent', async () => {
    const { agent } = stage();
    let sub: InterruptController | undefined;
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, { subagent }) => {
        sub = subagent('explorer', { onChildInterrupted: 'contain' });
        return (await sub.runTurn(obedient)).unwrap();
      }),
    );
    await tick();
    sub?.cancel('no');
    const report = await turn;
    expect(report.status).toBe('completed');
    expect(report.calls).toMatchObject([{ status: 'stopped', by: 'explorer', reason: { message: 'no' } }]);
  });

  it('S05 from two levels down: each call names the child that it waited for', async () => {
    const { agent } = stage();
    let leaf: InterruptController | undefined;
    let inner: readonly unknown[] = [];
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, { subagent }) => {
        const report = await subagent('middle').runTurn(({ tool: nested }) =>
          nested(call('explore'), (_inner, ctx) => {
            leaf = ctx.subagent('leaf');
            return leaf.runTurn(obedient);
          }),
        );
        inner = report.calls;
      }),
    );
    await tick();
    leaf?.cancel({ kind: 'user', message: 'here' });
    const report = await turn;
    expect(inner).toMatchObject([{ status: 'stopped', by: 'leaf' }]);
    expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'here' } });
    expect(report.calls).toMatchObject([{ status: 'stopped', by: 'middle' }]);
  });

  it('S05 a sub-agent that is tried again and ends well is no longer stopped', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, { subagent }) => {
        const sub = subagent('sub', { onChildInterrupted: 'contain' });
        await sub.runTurn(() => void sub.cancel());
        return (await sub.runTurn(() => 'fine')).unwrap();
      }),
    );
    expect(report.calls).toMatchObject([{ status: 'completed', value: 'fine' }]);
  });

  it('S05 one of two on a call: the other’s success does not hide it', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, { subagent }) => {
        const one = subagent('one', { onChildInterrupted: 'contain' });
        await one.runTurn(() => void one.cancel());
        return (await subagent('two').runTurn(() => 'fine')).unwrap();
      }),
    );
    expect(report.calls).toMatchObject([{ status: 'stopped', by: 'one', partial: 'fine' }]);
  });

  it('newer work in the sub-agent stops nobody else', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool, token }) =>
      tool(call('plan'), async (_call, { subagent }) => {
        const sub = subagent('sub');
        const [first, second] = await Promise.all([
          sub.runTurn(obedient),
          sub.runTurn(() => 'newer', { whenBusy: 'supersede' }),
        ]);
        return [first.status, second.status, token.isCancelled];
      }),
    );
    expect(report.calls).toMatchObject([{ status: 'completed', value: ['cancelled', 'completed', false] }]);
  });

  it('a failure of the sub-agent is not an interruption', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool }) =>
      tool(
        call('plan'),
        async (_call, { subagent }) => (await subagent('sub').runTurn(() => Promise.reject(new Error('x')))).status,
      ),
    );
    expect(report).toMatchObject({ status: 'completed', calls: [{ status: 'completed', value: 'failed' }] });
  });
});

describe('S06 Right-sized stop', () => {
  it('S06 a cancel of the turn touches no detached agent and nothing on the agent’s token; all ends all', async () => {
    const { agent } = stage();
    const background = ['one', 'two'].map((name) => agent.child(name, { detached: true }));
    const turns = background.map((child) => child.runTurn(obedient));
    let processEnded = false;
    agent.lifetime.onCancelled(() => (processEnded = true));
    const foreground = agent.runTurn(obedient);
    await tick();
    agent.cancel();
    expect((await foreground).status).toBe('cancelled');
    agent.kill();
    expect([background.map(({ state }) => state), processEnded]).toEqual([['running', 'running'], false]);
    const { settled, accepted } = agent.cancelAll('everything');
    await settled;
    expect([accepted, background.map(({ state }) => state), processEnded]).toEqual([true, ['idle', 'idle'], true]);
    for (const report of await Promise.all(turns)) {
      expect(report).toMatchObject({ status: 'cancelled', reason: { message: 'everything' } });
    }
  });

  it('S06 detached work that is stopped stops nobody', async () => {
    const { agent } = stage();
    const end = deferred();
    const child = agent.child('bg', { detached: true });
    const foreground = agent.runTurn(async ({ tool }) => {
      await tool(call('a'), (_call, { subagent }) => {
        const other = subagent('other', { detached: true });
        return other.runTurn(() => void other.cancel()).then(({ status }) => status);
      });
      await end.promise;
    });
    const background = child.runTurn(obedient);
    await tick();
    child.cancel();
    expect((await background).status).toBe('cancelled');
    expect(agent.interrupted).toBe(false);
    end.resolve();
    const report = await foreground;
    expect(report.status).toBe('completed');
    expect(report.calls).toMatchObject([{ status: 'completed', value: 'cancelled' }]);
  });

  it('S06 a detached sub-agent of a call outlives the call and the turn', async () => {
    const { agent } = stage();
    const end = deferred();
    let background: Promise<{ readonly status: string }> | undefined;
    const report = await agent.runTurn(({ tool }) =>
      tool(call('a'), (_call, { subagent }) => {
        background = subagent('bg', { detached: true }).runTurn(() => end.promise);
      }),
    );
    expect(report.status).toBe('completed');
    agent.cancel();
    end.resolve();
    expect((await background)?.status).toBe('completed');
  });

  it("S06 'all' says what became of detached work", async () => {
    const { agent, clock, said } = stage({ graceMs: 100 });
    const child = agent.child('bg', { detached: true });
    const turn = child.runTurn(({ tool }) => tool(call('deaf'), deaf));
    await tick();
    const { settled } = agent.cancelAll('everything');
    expect(said()).toContain('main:interrupt-requested');
    expect(said()).toContain('main:interrupt-propagated');
    await clock.advance(3_000);
    await turn;
    expect(await settled).toMatchObject({
      reason: { message: 'everything' },
      abandoned: expect.arrayContaining(['deaf']),
    });
  });

  it("S06 'all' and close wait for detached work, however deep", async () => {
    for (const how of ['all', 'close'] as const) {
      const { agent, clock } = stage({ graceMs: 100 });
      const deep = agent.child('one', { detached: true }).child('two', { detached: true });
      const turn = deep.runTurn(({ tool }) => tool(call('deaf'), deaf));
      await tick();
      const settled: Promise<unknown> = how === 'all' ? agent.cancelAll('x').settled : agent.close();
      expect(await hasSettled(settled), how).toBe(false);
      await clock.advance(3_000);
      await settled;
      expect((await turn).status).toBe('cancelled');
      expect(deep.state).toBe('idle');
    }
  });

  it("S06 after 'all' the same sub-agents can work again", async () => {
    const { agent } = stage();
    const attached = agent.child('a');
    const detached = agent.child('d', { detached: true });
    agent.cancelAll('everything');
    const report = await agent.runTurn(async () => (await attached.runTurn(() => 'ok')).status);
    expect(report).toMatchObject({ status: 'completed', value: 'completed' });
    expect((await detached.runTurn(() => 'ok')).status).toBe('completed');
  });

  it('a stop reaches who it says it reaches, and no other', async () => {
    const { agent, events } = stage();
    const child = agent.child('early');
    const own = child.runTurn(obedient);
    const turn = agent.runTurn(obedient);
    await tick();
    agent.cancel();
    await turn;
    const told = events.some(({ type }) => type === 'interrupt-propagated');
    expect(told).toBe(child.state === 'idle' || child.interrupted);
    child.cancel();
    await own;
  });
});

/** The agent delegates; the sub-agent reads messages before each model call. */
function delegating(options: SubagentOptions) {
  const { agent, events } = stage();
  const gate = deferred();
  const heard: Record<string, unknown[]> = { main: [], sub: [] };
  const turn = agent.runTurn(async ({ tool, takeInterjections }) => {
    const outcome = await tool(call('plan'), async (_call, { subagent }) => {
      const report = await subagent('sub', options).runTurn(async (own) => {
        await own.model(async () => {
          await gate.promise;
        });
        heard['sub']?.push(...own.takeInterjections().map(({ message }) => message));
      });
      return report.status;
    });
    heard['main']?.push(...takeInterjections().map(({ message }) => message));
    return outcome;
  });
  return { agent, events, gate, heard, turn };
}

describe('S21 a message while a sub-agent works', () => {
  it.each([undefined, 'forward'] as const)('S21 %s: the innermost running turn gets it, once', async (policy) => {
    const { agent, gate, heard, turn, events } = delegating({ onParentInterject: policy });
    await tick();
    const message = agent.interject('use pnpm');
    gate.resolve();
    expect((await turn).status).toBe('completed');
    expect(heard).toEqual({ main: [], sub: ['use pnpm'] });
    expect(message.status).toBe('delivered');
    expect(events.filter(({ type }) => type === 'interjection-delivered')).toMatchObject([{ agent: 'sub' }]);
  });

  it('S21 where several work, the one that started last gets it', async () => {
    const { agent } = stage();
    const end = deferred();
    const heard: Record<string, unknown[]> = {};
    const turn = agent.runTurn(({ tools }) =>
      tools([call('first'), call('last')], ({ id }, { subagent }) =>
        subagent(id).runTurn(async ({ takeInterjections }) => {
          await end.promise;
          heard[id] = takeInterjections().map(({ message }) => message);
        }),
      ),
    );
    await tick();
    agent.interject('use pnpm');
    end.resolve();
    expect((await turn).status).toBe('completed');
    expect(heard).toEqual({ first: [], last: ['use pnpm'] });
  });

  it('S21 finish: the sub-agent finishes first, then the parent gets it', async () => {
    const { agent, gate, heard, turn } = delegating({ onParentInterject: 'finish' });
    await tick();
    agent.interject('use pnpm', { delivery: 'now' });
    gate.resolve();
    expect((await turn).unwrap()).toMatchObject({ status: 'completed', value: 'completed' });
    expect(heard).toEqual({ main: ['use pnpm'], sub: [] });
  });

  it('S21 stop: the sub-agent is stopped, the parent goes on and gets it', async () => {
    const { agent, heard, turn, gate } = delegating({ onParentInterject: 'stop' });
    await tick();
    agent.interject('use pnpm');
    gate.resolve();
    const report = await turn;
    expect(report.unwrap()).toMatchObject({ status: 'stopped', by: 'sub', reason: { kind: 'interjection' } });
    expect(heard).toEqual({ main: ['use pnpm'], sub: [] });
    expect([report.status, agent.wasInterrupted]).toEqual(['completed', false]);
  });

  it.each(['before the parent’s turn', 'without one', 'below one that has no turn itself'])(
    'S21 a sub-agent whose turn began %s gets it, and the parent does not',
    async (when) => {
      const { agent } = stage();
      const end = deferred();
      const planner = agent.child('planner');
      const worker = when.startsWith('below') ? planner.child('worker') : planner;
      const heard: string[] = [];
      const work = worker.runTurn(async ({ takeInterjections }) => {
        await end.promise;
        heard.push(...takeInterjections().map(({ message }) => `worker: ${message}`));
      });
      const turn =
        when === 'without one'
          ? undefined
          : agent.runTurn(async ({ takeInterjections }) => {
              await end.promise;
              heard.push(...takeInterjections().map(({ message }) => `main: ${message}`));
            });
      const message = agent.interject('use pnpm');
      expect([agent.state, worker.state]).toEqual([turn === undefined ? 'idle' : 'running', 'interjecting']);
      end.resolve();
      await Promise.all([work, turn]);
      expect([message.status, heard]).toEqual(['delivered', ['worker: use pnpm']]);
    },
  );

  it('S21 one that works for the turn gets it before one that began earlier, beside it', async () => {
    const { agent } = stage();
    const end = deferred();
    const heard: string[] = [];
    const work = (name: string) => async (turn: Turn) => {
      await end.promise;
      heard.push(...turn.takeInterjections().map(({ message }) => `${name}: ${String(message)}`));
    };
    const beside = agent.child('beside').runTurn(work('beside'));
    const turn = agent.runTurn(({ tool }) =>
      tool(call('c'), (_call, { subagent }) => subagent('sub').runTurn(work('sub'))),
    );
    await tick();
    agent.interject('use pnpm');
    end.resolve();
    await Promise.all([beside, turn]);
    expect(heard).toEqual(['sub: use pnpm']);
  });

  it('S21 what a sub-agent without a turn of the parent did not deliver is in its report', async () => {
    const { agent } = stage();
    const end = deferred();
    const work = agent.child('worker').runTurn(() => end.promise);
    const message = agent.interject('use pnpm');
    expect(agent.queued).toEqual([message]);
    end.resolve();
    expect((await work).undelivered).toEqual([message]);
    expect([message.status, agent.queued]).toEqual(['undelivered', []]);
  });

  it('S21 one beside the turns that was stopped does not get it: the message is its sender’s at once, and in no report', async () => {
    const { agent } = stage();
    const child = agent.child('worker');
    const work = child.runTurn(obedient);
    child.cancel();
    const message = agent.interject('use pnpm');
    expect(message.status).toBe('undelivered');
    expect((await work).undelivered).toEqual([]);
  });

  it('S21 one that a listener of the message stops gives it back in its report, and not at once as well', async () => {
    const { agent } = stage();
    const child = agent.child('worker');
    const work = child.runTurn(obedient);
    agent.onEvent(({ type }) => {
      if (type === 'interjection-queued') child.cancel();
    });
    const message = agent.interject('use pnpm');
    expect([child.state, message.status, agent.queued]).toEqual(['cancelling', 'queued', [message]]);
    expect((await work).undelivered).toEqual([message]);
    expect(message.status).toBe('undelivered');
  });

  it('S21 what one beside the turn could not deliver is the turn’s again', async () => {
    const { agent } = stage();
    const child = agent.child('worker');
    const work = child.runTurn(obedient);
    const end = deferred();
    const turn = agent.runTurn(async ({ takeInterjections }) => {
      await end.promise;
      return takeInterjections().map(({ message }) => message);
    });
    const message = agent.interject('use pnpm');
    child.cancel();
    expect([message.status, agent.state]).toEqual(['queued', 'interjecting']);
    end.resolve();
    expect((await turn).unwrap()).toEqual(['use pnpm']);
    expect((await work).undelivered).toEqual([]);
  });

  it('S21 a detached one is left alone', async () => {
    const { agent } = stage();
    const end = deferred();
    const background = agent.child('bg', { detached: true }).runTurn(async ({ takeInterjections }) => {
      await end.promise;
      return takeInterjections().length;
    });
    const report = await agent.runTurn(({ takeInterjections }) => {
      agent.interject('x');
      return takeInterjections().length;
    });
    end.resolve();
    expect([report.unwrap(), (await background).unwrap()]).toEqual([1, 0]);
  });

  it('S21 the innermost of three, 150 iterations deep, gets it once', async () => {
    const { agent } = stage();
    const heard: string[] = [];
    const nest =
      (depth: number) =>
      async (_call: Call, { subagent }: ToolContext<Call>): Promise<void> => {
        const sub = subagent(`level-${String(depth)}`);
        await sub.runTurn(async ({ tool, model, takeInterjections }) => {
          if (depth < 3) await tool(call('deeper'), nest(depth + 1));
          else
            for (let i = 0; i < 150; i += 1) {
              await model(() => {
                if (i === 100) agent.interject('stop exploring');
              });
              for (const { message } of takeInterjections()) heard.push(`${sub.name} ${String(i)} ${message}`);
            }
          for (const { message } of takeInterjections()) heard.push(`${sub.name} ${message}`);
        });
      };
    const report = await agent.runTurn(({ tool }) => tool(call('plan'), nest(1)));
    expect(heard).toEqual(['level-3 100 stop exploring']);
    expect(report.undelivered).toEqual([]);
  });

  it('S21 typed during the sub-agent’s final answer: delivered by its parent, or returned', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ tool, takeInterjections }) => {
      await tool(call('plan'), (_call, { subagent }) =>
        subagent('sub').runTurn(({ model }) => model(() => void agent.interject('late'))),
      );
      return takeInterjections().map(({ message }) => message);
    });
    expect([...report.unwrap(), ...report.undelivered.map(({ message }) => message)]).toEqual(['late']);
  });

  it('S21 one that meets a sub-agent which is being stopped goes to the parent, or back to it', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    let sub: InterruptController | undefined;
    const turn = agent.runTurn(async ({ tool, takeInterjections }) => {
      await tool(call('plan'), (_call, { subagent }) => {
        sub = subagent('sub', { onChildInterrupted: 'contain' });
        return sub.runTurn(({ tool: inner }) => inner(call('deaf'), deaf));
      });
      return takeInterjections().map(({ message }) => message);
    });
    await tick();
    sub?.cancel();
    agent.interject('meanwhile');
    await clock.advance(3_000);
    const report = await turn;
    expect([...report.unwrap(), ...report.undelivered.map(({ message }) => message)]).toEqual(['meanwhile']);
  });

  it.each(['cancel', 'kill'] as const)(
    'S21 one that meets an agent which is being stopped is settled at once, before and after the %s',
    async (how) => {
      const { agent, clock } = stage({ graceMs: 100 });
      const turn = agent.runTurn(({ tool }) =>
        tool(call('plan'), (_call, { subagent }) => subagent('sub').runTurn(deaf)),
      );
      await tick();
      const before = agent.interject('before');
      agent[how]();
      const after = agent.interject('after');
      expect([before.status, after.status, agent.state]).toEqual(['undelivered', 'undelivered', agent.state]);
      expect(await Promise.all([before.settled, after.settled])).toEqual(['undelivered', 'undelivered']);
      await clock.advance(3_000);
      expect((await turn).undelivered).toEqual([before, after]);
    },
  );

  it('S21 kept for the next turn, in the order they came, when both were being stopped', async () => {
    const { agent, clock } = stage({ graceMs: 100, undelivered: 'keep' });
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), (_call, { subagent }) => subagent('sub').runTurn(deaf)),
    );
    await tick();
    agent.interject('first');
    agent.cancel();
    agent.interject('second');
    await clock.advance(3_000);
    expect((await turn).undelivered).toEqual([]);
    const next = await agent.runTurn(({ takeInterjections }) => takeInterjections().map(({ message }) => message));
    expect(next.unwrap()).toEqual(['first', 'second']);
  });

  it('S21 undelivered in the order they were sent, whoever had them', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tools }) =>
      tools([call('forwards'), call('finishes')], async ({ id }, { subagent }) => {
        if (id === 'finishes') await tick();
        return subagent(id, { onParentInterject: id === 'finishes' ? 'finish' : 'forward' }).runTurn(obedient);
      }),
    );
    const first = agent.interject('to the one that works');
    await tick();
    await tick();
    const second = agent.interject('kept for later');
    agent.cancel();
    expect((await turn).undelivered).toEqual([first, second]);
  });

  it('S21 one that a stopped sub-agent gives back reaches its parent before the sub-agent has unwound', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    let sub: InterruptController | undefined;
    const turn = agent.runTurn(async ({ tool, tools, takeInterjections }) => {
      const plan = tool(call('plan'), (_call, { subagent }) => {
        sub = subagent('sub', { onChildInterrupted: 'contain' });
        return sub.runTurn(({ tool: inner }) => inner(call('deaf'), deaf));
      });
      await tools([call('waits')], (_call, { wait }) => wait(deaf()), { onInterject: 'yield' });
      const news = takeInterjections().map(({ message }) => message);
      await plan;
      return news;
    });
    await tick();
    const message = agent.interject('meanwhile', { delivery: 'now' });
    sub?.cancel();
    await tick();
    expect([message.status, sub?.state]).toEqual(['delivered', 'cancelling']);
    await clock.advance(3_000);
    expect((await turn).unwrap()).toEqual(['meanwhile']);
  });
});

describe('a sub-agent', () => {
  it('keeps its parent’s turn from ending before it', async () => {
    const { agent } = stage();
    const end = deferred();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), (_call, { subagent }) => void subagent('sub').runTurn(() => end.promise)),
    );
    await tick();
    expect(await hasSettled(turn)).toBe(false);
    end.resolve();
    expect((await turn).status).toBe('completed');
  });

  it('that is prompted under a stopped turn ends by the stop of that, whatever else comes before it begins', async () => {
    const session = new AbortController();
    const { agent } = stage({ token: session.signal });
    const turn = agent.runTurn(({ token }) => token.whenCancelled());
    await tick();
    agent.cancel({ kind: 'user', message: 'first' });
    session.abort('second');
    const sub = agent.child('explorer');
    const ticket = sub.accept();
    sub.cancel('third');
    const below = sub.runTurn(() => 'never', { ticket });
    const { stop, status } = await below;
    expect([status, stop?.reason?.message]).toEqual(['cancelled', 'first']);
    await turn;
  });

  it('is stopped with the one call it hangs on', async () => {
    const { agent } = stage();
    let reason: CancelReason | undefined;
    const turn = agent.runTurn(async ({ tool, token }) => {
      await tool(call('plan'), async (_call, { subagent }) => {
        const report = await subagent('sub').runTurn(obedient);
        reason = report.status === 'cancelled' ? report.reason : undefined;
      });
      return token.isCancelled;
    });
    await tick();
    agent.cancelCall('plan', 'only this');
    const report = await turn;
    expect(reason?.message).toBe('only this');
    expect(report.unwrap()).toBe(false);
    expect(report.calls).toMatchObject([{ status: 'stopped', reason: { message: 'only this' } }]);
  });

  it('a call inside it can be stopped from the root', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, { subagent }) => {
        const report = await subagent('sub').runTurn(({ tool: inner }) =>
          inner(call('leaf'), (_c, ctx) => obedient(ctx)),
        );
        return report.calls.map(({ status }) => status);
      }),
    );
    await tick();
    expect(agent.cancelCall('leaf', 'leaf only').accepted).toBe(true);
    expect((await turn).calls).toMatchObject([{ status: 'completed', value: ['stopped'] }]);
  });

  it('has its name, its grace and its clock from its parent', async () => {
    const { agent, clock } = stage({ graceMs: 40 });
    const child = agent.child('sub');
    expect([child.name, child.state]).toEqual(['sub', 'idle']);
    const turn = child.runTurn(({ tool }) => tool(call('a'), deaf));
    await tick();
    child.cancel();
    await clock.advance(40);
    expect((await turn).stop).toMatchObject({ settledMs: 40, abandoned: ['a'] });
  });

  it('refuses options that make no sense', async () => {
    const { agent } = stage();
    const bad: unknown[] = [{ onChildInterrupted: 'ignore' }, { onParentInterject: 'queue' }];
    for (const options of bad) expect(() => agent.child('x', options as never)).toThrow(TypeError);
    expect(() => agent.child(7 as never)).toThrow(TypeError);
    const report = await agent.runTurn(({ tool }) =>
      tool(call('a'), (_call, { subagent }) => subagent('x', bad[0] as never).name),
    );
    expect(report.calls).toMatchObject([{ status: 'failed', error: expect.any(TypeError) }]);
    expect(await errorOf(agent.child('y').runTurn('no' as never))).toBeInstanceOf(TypeError);
  });
});

describe('an agent that delegates to itself without end', () => {
  type Delegate = (turn: Turn<string>) => Promise<unknown>;
  const byTool: Delegate = ({ tool }) =>
    tool(call('delegate'), async (_call, { subagent }) => (await subagent('sub').runTurn(byTool)).unwrap()).then(
      valueOf,
    );
  const byCall: Delegate = ({ tool }) => tool(call('again'), () => byCall({ tool } as never)).then(valueOf);
  const byModel: Delegate = ({ model }) => model(() => byModel({ model } as never));

  function valueOf(outcome: ToolOutcome): unknown {
    if (outcome.status === 'failed') throw outcome.error;
    return outcome;
  }

  it.each([
    ['by its tools', byTool],
    ['by tools of one turn', byCall],
    ['by model calls of one turn', byModel],
  ])('fails at the innermost call, and everything above it ends: %s', async (_how, body) => {
    const { agent } = stage();
    const report = await agent.runTurn(body);
    expect(report).toMatchObject({ status: 'failed', error: expect.any(RangeError) });
    expect([agent.state, (await agent.cancel().settled).abandoned]).toEqual(['idle', []]);
  });
});
