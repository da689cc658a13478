import { describe, expect, it, vi } from 'vitest';

import {
  CancelledError,
  InterruptController,
  delay,
  runUntilCancelled,
  withCancellation,
  type CancelReason,
  type LateOutcome,
  type Responder,
  type ToolContext,
  type ToolOutcome,
  type Turn,
} from '../../../../src/index.ts';
import type { ToolOptions } from '../../../../src/core/interrupt/public-types/call-options.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, errorOf, hasSettled, obedient, stage, tick, type Call } from '../kit.ts';

const statuses = (calls: readonly { readonly id: string; readonly status: string }[]): string[] =>
  calls.map(({ id, status }) => `${id} ${status}`);

/** Rejects with anything at all. */
function rejected(error: unknown): Promise<never> {
  return Promise.resolve().then(() => {
    throw error;
  });
}

describe('the outcomes', () => {
  it('completed: it returned', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tools }) =>
      tools([call('sync'), call('async')], ({ id }) => (id === 'sync' ? 1 : Promise.resolve(2))),
    );
    expect(report.calls).toMatchObject([
      { status: 'completed', value: 1 },
      { status: 'completed', value: 2 },
    ]);
  });

  it('failed: it threw, and nobody else is touched', async () => {
    const { agent } = stage();
    const error = new Error('disk full');
    const report = await agent.runTurn(({ tools }) =>
      tools([call('throws'), call('rejects'), call('works')], ({ id }) => {
        if (id === 'throws') throw error;
        return id === 'rejects' ? Promise.reject(error) : 1;
      }),
    );
    expect(report.status).toBe('completed');
    expect(statuses(report.calls)).toEqual(['throws failed', 'rejects failed', 'works completed']);
    expect(report.calls[0]).toHaveProperty('error', error);
  });

  it.each<[string, (context: ToolContext, error: unknown) => unknown]>([
    ['at once', (_context, error) => rejected(error)],
    ['in a commit', ({ commit }, error) => commit(() => rejected(error))],
    ['in a wait', ({ wait }, error) => wait(rejected(error))],
    [
      'in a question',
      ({ ask }, error) =>
        ask(() => {
          throw error;
        }),
    ],
    ['in tracked work', ({ track }, error) => track({ kind: 'x', name: 'x' }, rejected(error))],
    [
      'after the stop',
      ({ token, cancelTurn }, error) => (cancelTurn(), token.whenCancelled().then(() => rejected(error))),
    ],
    [
      'in a turn of a sub-agent beside a call that runs',
      async ({ subagent }, error) => {
        const report = await subagent('below').runTurn(({ tool }) => {
          void tool(call('inner'), (_call, inner) => obedient(inner));
          throw error;
        });
        report.unwrap();
      },
    ],
  ])('failed: also if it threw what nobody can read, %s', async (_where, fail) => {
    const agent = new InterruptController();
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const report = await agent.runTurn(({ tool }) => tool(call('a'), (_call, context) => fail(context, proxy)));
    expect(statuses(report.calls)).toEqual(['a failed']);
    expect(report.calls[0]?.status === 'failed' && Object.is(report.calls[0].error, proxy)).toBe(true);
  });

  it('failed: also when it broke while it was stopped', async () => {
    const { agent } = stage();
    const broken = new Error('disk full');
    const turn = agent.runTurn(({ tool }) =>
      tool(
        call('a'),
        (_call, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reject(broken);
            });
          }),
      ),
    );
    agent.cancel();
    expect((await turn).calls).toMatchObject([{ status: 'failed', error: broken }]);
  });

  it('stopped: it ended as told, its partial output kept', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), async ({ id }, { partial, token }) => {
        partial('one line');
        partial('two lines');
        await obedient({ token });
        return id;
      }),
    );
    await clock.advance(40);
    agent.cancel({ message: 'enough' });
    const { calls } = await turn;
    expect(calls).toEqual([
      {
        id: 'a',
        name: 'a',
        call: call('a'),
        ms: 40,
        status: 'stopped',
        reason: expect.anything(),
        partial: 'two lines',
      },
    ]);
    expect(calls[0]).toMatchObject({ reason: { kind: 'user', message: 'enough' } });
  });

  it('unknown: it ignored its signal; answered at its grace and heard of when it ends', async () => {
    const { agent, clock, events } = stage({ graceMs: 200 });
    const write = deferred<string>();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a', 'write_file'), (_call, { partial }) => {
        partial('half');
        return write.promise;
      }),
    );
    await tick();
    agent.cancel();
    await clock.advance(200);
    const { calls, stop } = await turn;
    expect(calls).toMatchObject([{ status: 'unknown', ms: 200, partial: 'half', reason: { kind: 'user' } }]);
    expect(stop?.abandoned).toEqual(['write_file']);
    expect(events.filter(({ type }) => type === 'late-settled')).toEqual([]);
    await clock.advance(300);
    write.resolve('written');
    await tick();
    expect(events.at(-1)).toMatchObject({
      type: 'late-settled',
      turnId: 1,
      name: 'write_file',
      status: 'completed',
      at: 1_500,
      agent: 'main',
    });
    expect(calls[0]?.status).toBe('unknown');
  });

  it.each([
    ['failed', () => new Error('disk full')],
    ['cancelled', (reason: unknown) => reason],
  ] as const)('late: it may also end %s', async (status, errorFor) => {
    const { agent, clock, events } = stage();
    const end = deferred();
    let reason: unknown;
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), async (_call, { signal }) => {
        await end.promise.catch(() => undefined);
        reason = signal.reason;
        throw errorFor(reason);
      }),
    );
    await tick();
    agent.kill();
    await clock.advance(0);
    await turn;
    end.resolve();
    await tick();
    expect(events.filter(({ type }) => type === 'late-settled')).toEqual([
      expect.objectContaining({ name: 'a', status }),
    ]);
  });

  it('not-started: the stop came first', async () => {
    const { agent } = stage();
    const started: string[] = [];
    const report = await agent.runTurn(({ tools }) =>
      tools([call('a'), call('b'), call('c')], ({ id }) => {
        started.push(id);
        if (id === 'b') agent.cancel();
        return id;
      }),
    );
    expect(started).toEqual(['a', 'b']);
    expect(statuses(report.calls)).toEqual(['a completed', 'b completed', 'c not-started']);
    expect(report.calls[2]).toMatchObject({ ms: 0, reason: { kind: 'user' } });
  });

  it('skipped: a newer message came first', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tools }) =>
      tools(
        [call('a'), call('b')],
        ({ id }) => {
          agent.interject('wait', { delivery: 'after-current-tool' });
          return id;
        },
        { mode: 'sequential' },
      ),
    );
    expect(report.status).toBe('completed');
    expect(report.calls).toMatchObject([
      { status: 'completed' },
      { status: 'skipped', ms: 0, reason: { kind: 'interjection' } },
    ]);
  });

  it.each([
    ['aside', (turn: Turn) => turn.tool(call('b'), () => 'ran', { aside: true })],
    ['as a step', (turn: Turn) => turn.step('b', () => 'ran')],
  ])('a message for the loop skips nothing that runs %s', async (_what, run) => {
    const { agent } = stage();
    const report = await agent.runTurn(async (turn) => {
      agent.interject('wait', { delivery: 'after-current-tool' });
      const skipped = await turn.tool(call('a'), () => 'ran');
      return [skipped.status, (await run(turn)).status];
    });
    expect(report.unwrap()).toEqual(['skipped', 'completed']);
  });

  it('a call that runs aside counts for the budget', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tools }) => tools([call('a'), call('b')], () => 'ran', { aside: true }), {
      budget: { toolCalls: 1 },
    });
    expect(statuses(report.calls)).toEqual(['a completed', 'b not-started']);
  });

  it.each([
    ['with a message', 'not on a Friday'],
    ['without', undefined],
  ])('declined: the person said no, %s', async (_how, message) => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool }) => tool(call('a'), (_call, { decline }) => decline(message)));
    expect(report.status).toBe('completed');
    expect(report.calls).toEqual([
      {
        id: 'a',
        name: 'a',
        call: call('a'),
        ms: 0,
        status: 'declined',
        ...(message === undefined ? {} : { userMessage: message }),
      },
    ]);
  });
});

describe('what a call left behind', () => {
  const left = (late?: Promise<LateOutcome<unknown>>): { name: string; late?: Promise<LateOutcome<unknown>> } =>
    late === undefined ? { name: 'server' } : { name: 'server', late };

  it('makes it unknown where its error says so, and the report names both', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('deploy'), (_call, { token }) =>
        token.whenCancelled().then((reason) => rejected(new CancelledError(reason, { abandoned: left() }))),
      ),
    );
    await tick();
    agent.cancel();
    const report = await turn;
    expect(statuses(report.calls)).toEqual(['deploy unknown']);
    expect(report.stop?.abandoned).toEqual(['deploy', 'server']);
    expect(agent.takeLateOutcomes()).toEqual([]);
  });

  it('is heard of when it ends: a late outcome, and no later stop names it', async () => {
    const { agent, said } = stage();
    const done = deferred<LateOutcome<unknown>>();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('deploy'), (_call, { token }) =>
        token.whenCancelled().then((reason) => rejected(new CancelledError(reason, { abandoned: left(done.promise) }))),
      ),
    );
    await tick();
    agent.cancel();
    expect((await turn).calls).toMatchObject([{ status: 'unknown' }]);
    expect((await agent.cancel().settled).abandoned).toEqual(['deploy']);
    done.resolve({ status: 'completed', value: 'deployed' });
    await tick();
    expect(agent.takeLateOutcomes()).toMatchObject([{ id: 'deploy', was: 'unknown', value: 'deployed' }]);
    expect((await agent.cancel().settled).abandoned).toEqual([]);
    expect(said()).toContain('main:late-settled');
  });

  it('makes it unknown also where a limit inside it passed and nobody stopped the call', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('deploy'), ({ id }, { token }) =>
        withCancellation(token, deaf, { name: id, timeoutMs: 10, graceMs: 5 }),
      ),
    );
    await tick();
    await clock.advance(15);
    const report = await turn;
    expect(report.calls).toMatchObject([{ status: 'unknown', reason: { kind: 'deadline' } }]);
    expect([report.status, report.stop]).toEqual(['completed', undefined]);
  });

  it('makes it unknown also where it caught the error and returned words', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('deploy'), (_call, { token }) =>
        withCancellation(token, deaf, { name: 'server', graceMs: 5 }).catch((error: unknown) => String(error)),
      ),
    );
    await tick();
    agent.cancel();
    await clock.advance(5);
    expect((await turn).calls).toMatchObject([
      { status: 'unknown', reason: { kind: 'user' }, partial: 'AbortError: User cancelled' },
    ]);
  });

  it('is none of it where it had gone on: a value that came before the stop', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(async ({ tool }) => {
      await tool(call('deploy'), (_call, { token }) =>
        withCancellation(token, deaf, { timeoutMs: 1, graceMs: 1 }).catch(() => 'went on without'),
      );
    });
    await tick();
    await clock.advance(2);
    expect((await turn).calls).toMatchObject([{ status: 'completed', value: 'went on without' }]);
  });

  const request = (reason: CancelReason): CancelledError =>
    new CancelledError(reason, { abandoned: { name: 'request', isOver: true } });

  it('but is over here makes it unknown, and nothing is named as left running', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('deploy'), (_call, { token }) => token.whenCancelled().then((reason) => rejected(request(reason)))),
    );
    await tick();
    agent.cancel('user');
    const report = await turn;
    expect(report.calls).toMatchObject([{ status: 'unknown', reason: { kind: 'user' } }]);
    expect(report.stop?.operations).toMatchObject([{ name: 'deploy', outcome: 'cancelled' }]);
    expect([report.stop?.abandoned, report.abandoned]).toEqual([[], undefined]);
    expect((await agent.cancel().settled).abandoned).toEqual([]);
  });

  it('but is over here hides nothing that still runs', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('deploy'), async (_call, { token }) => {
        const over = runUntilCancelled(token, (inner) =>
          inner.token.whenCancelled().then((why) => rejected(request(why))),
        );
        const left = withCancellation(token, deaf, { name: 'server', graceMs: 5 }).catch(() => undefined);
        await Promise.all([over, left]);
        return 'words';
      }),
    );
    await tick();
    agent.cancel('user');
    await clock.advance(5);
    const report = await turn;
    expect(statuses(report.calls)).toEqual(['deploy unknown']);
    expect(report.stop?.abandoned).toEqual(['deploy']);
  });
});

describe('a result that says it was stopped', () => {
  it('makes the call stopped, and is its partial output', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('shell'), async (_call, { token }) => {
        const outcome = await runUntilCancelled(token, (context) => obedient(context));
        return `ended as ${outcome.status}`;
      }),
    );
    await tick();
    agent.cancel('user');
    const report = await turn;
    expect(report.calls).toMatchObject([
      { status: 'stopped', partial: 'ended as cancelled', reason: { kind: 'user' } },
    ]);
    expect(report.stop?.operations).toMatchObject([{ name: 'shell', outcome: 'cancelled' }]);
  });

  it('says nothing of a call that committed', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('pay'), async (_call, { token, commit }) => {
        const paid = await commit(() => 'paid');
        await runUntilCancelled(token, (context) => obedient(context));
        return paid;
      }),
    );
    await tick();
    agent.cancel('user');
    expect((await turn).calls).toMatchObject([{ status: 'completed', value: 'paid' }]);
  });

  it('says nothing of a call that nobody stopped', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('shell'), async (_call, { token }) => {
        const inner = token.child();
        inner.cancel('enough of this');
        return (await runUntilCancelled(inner.token, () => 'never')).status;
      }),
    );
    expect((await turn).calls).toMatchObject([{ status: 'completed', value: 'cancelled' }]);
  });
});

describe('a call whose question was cancelled', () => {
  /** Asks, and is stopped by `stop` while it waits; then does what `after` says. */
  async function unanswered(
    work: (ask: () => Promise<unknown>, context: ToolContext<Call>) => unknown,
    stop: (agent: InterruptController) => void = (agent) => agent.cancel(),
  ): Promise<ToolOutcome> {
    const { agent, clock } = stage({ graceMs: 50 });
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), async (_call, context) => work(() => errorOf(context.ask(() => undefined)), context)),
    );
    await tick();
    stop(agent);
    await clock.advance(50);
    const [outcome] = (await turn).calls;
    if (outcome === undefined) throw new Error('no outcome');
    return outcome;
  }

  const stops = {
    cancel: (agent: InterruptController) => agent.cancel(),
    kill: (agent: InterruptController) => agent.kill(),
    'cancel of the call': (agent: InterruptController) => agent.cancelCall('a', { message: 'this one' }),
  };

  it.each(Object.entries(stops))('and that ends with that has not begun: %s', async (_name, stop) => {
    const outcome = await unanswered(async (_ask, { ask }) => ask(() => undefined), stop);
    expect(outcome).toMatchObject({ status: 'not-started', reason: { kind: 'user' } });
  });

  it.each(Object.entries(stops))(
    'and that catches that went on, whatever it returns: stopped, %s',
    async (_name, stop) => {
      const outcome = await unanswered(async (ask) => {
        await ask();
        return 'written all the same';
      }, stop);
      expect(outcome).toMatchObject({ status: 'stopped', reason: { kind: 'user' }, partial: 'written all the same' });
    },
  );

  it.each<[string, (context: ToolContext<Call>) => unknown]>([
    ['partial()', ({ partial }) => partial('half')],
    ['progress()', ({ progress }) => progress()],
    ['wait()', ({ wait }) => wait(Promise.resolve())],
    ['subagent()', ({ subagent }) => subagent('reader')],
    ['track()', ({ track }) => track({ kind: 'process', name: 'build' }, Promise.resolve())],
  ])('and that told of something by %s before has begun: stopped', async (_what, act) => {
    const outcome = await unanswered(async (ask, context) => {
      await act(context);
      await ask();
      context.checkpoint();
    });
    expect(outcome.status).toBe('stopped');
  });

  it('after one that was answered has begun: stopped', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), async (_call, { ask, checkpoint }) => {
        await ask((respond) => respond('yes'));
        await ask(() => undefined);
        checkpoint();
      }),
    );
    await tick();
    agent.cancel();
    expect((await turn).calls).toMatchObject([{ status: 'stopped' }]);
  });

  it('never goes on to its work: the question rejects', async () => {
    const went = vi.fn();
    const outcome = await unanswered(async (_ask, { ask }) => {
      await ask(() => undefined);
      went();
    });
    expect(outcome).toMatchObject({ status: 'not-started', reason: { kind: 'user' } });
    expect(went).not.toHaveBeenCalled();
  });

  it('and that returns nothing keeps the partial output it told of', async () => {
    const outcome = await unanswered(async (ask, { partial }) => {
      partial('half');
      await ask();
    });
    expect(outcome).toMatchObject({ status: 'stopped', partial: 'half' });
  });

  it('is completed if it had committed before: the effect is there', async () => {
    const outcome = await unanswered(async (ask, { commit }) => {
      const written = await commit(() => 'written');
      await ask();
      return written;
    });
    expect(outcome).toMatchObject({ status: 'completed', value: 'written' });
  });

  it('is not completed by a commit that was refused after the stop', async () => {
    const outcome = await unanswered(async (ask, { commit }) => {
      await ask();
      return commit(() => 'written').catch(() => 'refused');
    });
    expect(outcome).toMatchObject({ status: 'stopped', partial: 'refused' });
  });

  it('declined or failed stays what the tool says', async () => {
    const declined = await unanswered(async (ask, { decline }) => {
      await ask();
      decline('no');
    });
    const failed = await unanswered(async (ask) => {
      await ask();
      throw new Error('broken');
    });
    expect([declined.status, failed.status]).toEqual(['declined', 'failed']);
  });

  it('in the tick of the answer has not begun: not started', async () => {
    const { agent } = stage();
    let respond: Responder<string> | undefined;
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), (_call, { ask }) => ask<string>((fn) => void (respond = fn))),
    );
    await tick();
    respond?.('yes');
    agent.cancel();
    expect((await turn).calls).toMatchObject([{ status: 'not-started' }]);
  });
});

it('a refusal is declined also where a framework caught it and worded a result of it', async () => {
  const { agent } = stage();
  const report = await agent.runTurn(({ tool }) =>
    tool(call('deploy'), async (_call, { decline }) => {
      const refused = await Promise.resolve()
        .then(() => decline('not today'))
        .catch(() => 'An error occurred');
      return refused;
    }),
  );
  expect(report.calls).toMatchObject([{ status: 'declined', userMessage: 'not today' }]);
});

describe('S11 Honest outcome', () => {
  it('S11 a tool that returns within its grace has completed, and says that it did after the stop', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const end = deferred<string>();
    const turn = agent.runTurn(({ tools }) =>
      tools([call('before'), call('after')], ({ id }) => (id === 'before' ? 'in time' : end.promise)),
    );
    await tick();
    agent.cancel();
    await clock.advance(10);
    end.resolve('paid');
    const { calls } = await turn;
    expect(calls).toMatchObject([
      { status: 'completed', value: 'in time' },
      { status: 'completed', value: 'paid', afterStop: true, reason: { kind: 'user' } },
    ]);
    expect(calls[0]).not.toHaveProperty('afterStop');
    expect(calls[0]).not.toHaveProperty('reason');
  });

  it.each([
    ['one call', { kind: 'user', message: 'enough hits' }, {}],
    ['a limit', { kind: 'deadline' }, { timeoutMs: 5 }],
  ] as const)(
    'S11 a tool that returns behind a stop of %s has its reason, and the turn has none',
    async (_of, reason, options) => {
      const { agent, clock } = stage({ graceMs: 100 });
      const end = deferred<string>();
      const turn = agent.runTurn(({ tool }) => tool(call('a'), () => end.promise, options));
      await tick();
      if (reason.kind === 'user') agent.cancelCall('a', reason);
      await clock.advance(10);
      end.resolve('paid');
      const { status, calls } = await turn;
      expect([status, calls]).toMatchObject(['completed', [{ status: 'completed', afterStop: true, reason }]]);
    },
  );

  it('S11 stopped inside commit() it is completed', async () => {
    const { agent, clock } = stage({ graceMs: 10 });
    const write = deferred<string>();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), async (_call, { commit, checkpoint }) => {
        const value = await commit(() => write.promise);
        checkpoint();
        return value;
      }),
    );
    await tick();
    agent.cancel();
    await clock.advance(5_000);
    write.resolve('written');
    await clock.advance(0);
    const report = await turn;
    expect(report).toMatchObject({ status: 'cancelled', stop: { abandoned: [] } });
    expect(report.calls).toMatchObject([{ status: 'completed', value: 'written' }]);
  });

  it('S11 completed also if what runs beside the commit is cut, and the report waits for it', async () => {
    const { agent, clock } = stage({ graceMs: 10 });
    const write = deferred<string>();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), (_call, { commit, token }) => Promise.all([commit(() => write.promise), delay(token, 60_000)])),
    );
    await tick();
    const { settled } = agent.cancel();
    await clock.advance(5_000);
    expect(await hasSettled(settled)).toBe(false);
    write.resolve('written');
    await clock.advance(0);
    expect((await settled).operations).toMatchObject([{ outcome: 'completed' }]);
    expect((await turn).calls).toMatchObject([{ status: 'completed', value: 'written' }]);
  });

  it.each<[string, (context: ToolContext, sub: () => Promise<string>) => Promise<unknown>]>([
    [
      'was stopped after the commit',
      async ({ commit }, sub) => {
        await commit(() => 'paid');
        return sub();
      },
    ],
    ['was stopped inside the commit', ({ commit }, sub) => commit(() => sub().then(() => 'paid'))],
    [
      'was not begun inside the commit',
      ({ commit, token }, sub) =>
        commit(async () => {
          await token.whenCancelled();
          await sub();
          return 'paid';
        }),
    ],
  ])('S11 completed with what it committed, also if its sub-agent %s', async (_when, tool) => {
    for (const isAlone of [false, true]) {
      const { agent } = stage();
      let sub: InterruptController | undefined;
      const turn = agent.runTurn((own) =>
        own.tool(call('pay'), (_call, context) =>
          tool(context, async () => {
            sub = context.subagent('sub');
            return (await sub.runTurn(obedient)).status;
          }),
        ),
      );
      await tick();
      if (isAlone && sub !== undefined) sub.cancel();
      else agent.cancel();
      expect((await turn).calls).toMatchObject([{ status: 'completed', value: 'paid' }]);
    }
  });

  it('S11 stopped if the commit failed and its sub-agent was stopped', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('pay'), async (_call, { commit, subagent }) => {
        await commit(() => Promise.reject(new Error('no money'))).catch(() => undefined);
        return (await subagent('sub').runTurn(obedient)).status;
      }),
    );
    await tick();
    agent.cancel();
    expect((await turn).calls).toMatchObject([{ status: 'stopped', partial: 'cancelled' }]);
  });

  it('S11 completed also if the tool hangs after the commit it was stopped in', async () => {
    const { agent, clock } = stage({ graceMs: 10 });
    const write = deferred<string>();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), async (_call, { commit }) => {
        await commit(() => write.promise);
        await deaf();
      }),
    );
    await tick();
    agent.cancel();
    write.resolve('written');
    await clock.advance(5_000);
    expect((await turn).calls).toMatchObject([{ status: 'completed', value: 'written' }]);
  });

  describe('S11 one of two commits', () => {
    const copying = (rest: (context: ToolContext) => Promise<unknown>, said: readonly unknown[] = []) => {
      const on = stage({ graceMs: 10 });
      const turn = on.agent.runTurn(({ tool }) =>
        tool(call('copy'), async (_call, context) => {
          await context.commit(() => 'a');
          for (const each of said) context.partial(each);
          await rest(context);
          return context.commit(() => 'a and b');
        }),
      );
      return { ...on, turn };
    };

    it('is a part of the call: stopped between them it is stopped, and shows what was committed', async () => {
      const { agent, turn } = copying(obedient);
      await tick();
      agent.cancel();
      const { calls, stop } = await turn;
      expect(calls).toMatchObject([{ status: 'stopped', partial: 'a', reason: { kind: 'user' } }]);
      expect(stop).toMatchObject({ operations: [{ outcome: 'cancelled' }], abandoned: [] });
      expect(agent.takeLateOutcomes()).toEqual([]);
    });

    it('is a part of the call: what the tool told of itself is shown', async () => {
      const { agent, turn } = copying(obedient, ['1 of 2']);
      await tick();
      agent.cancel();
      expect((await turn).calls).toMatchObject([{ status: 'stopped', partial: '1 of 2' }]);
    });

    it('is a part of the call, also where it is made by work inside', async () => {
      const { agent } = stage();
      const turn = agent.runTurn(({ tool }) =>
        tool(call('copy'), (_call, { token }) =>
          withCancellation(token, async ({ commit, token: inner }) => {
            await commit(() => 'a');
            await obedient({ token: inner });
          }),
        ),
      );
      await tick();
      agent.cancel();
      expect((await turn).calls).toMatchObject([{ status: 'stopped' }]);
    });

    it('left behind between them it is unknown in the row, the report and the late outcome', async () => {
      const held = deferred<string>();
      const { agent, clock, turn } = copying(() => held.promise);
      await tick();
      agent.cancel();
      await clock.advance(10);
      const { calls, stop } = await turn;
      expect(calls).toMatchObject([{ status: 'unknown', partial: 'a' }]);
      expect(stop).toMatchObject({ operations: [{ outcome: 'abandoned' }], abandoned: ['copy'] });
      held.resolve('at last');
      await clock.advance(0);
      expect(agent.takeLateOutcomes()).toMatchObject([{ was: 'unknown', status: 'stopped' }]);
    });

    it('that the stop came into completes the call, and nothing late is said of it', async () => {
      const { agent, clock } = stage({ graceMs: 10 });
      const [write, rest] = [deferred<string>(), deferred<string>()];
      const turn = agent.runTurn(({ tool }) =>
        tool(call('copy'), async (_call, { commit }) => {
          await commit(() => write.promise);
          return rest.promise;
        }),
      );
      await tick();
      agent.cancel();
      write.resolve('a');
      await clock.advance(10);
      expect((await turn).calls).toMatchObject([{ status: 'completed', value: 'a' }]);
      rest.resolve('b');
      await clock.advance(0);
      expect(agent.takeLateOutcomes()).toEqual([]);
    });
  });

  it('S11 a commit that has not begun is refused', async () => {
    const { agent } = stage();
    let wrote = false;
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), async (_call, { ask, commit }) => {
        await ask(() => undefined);
        await commit(() => (wrote = true));
      }),
    );
    await tick();
    agent.cancel();
    expect((await turn).calls).toMatchObject([{ status: 'not-started' }]);
    expect(wrote).toBe(false);
  });

  it('S11 a deaf tool that writes after the stop is unknown, and its end is told in the tick of the write', async () => {
    const { agent, clock, events } = stage({ graceMs: 0 });
    let writtenAt: number | undefined;
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a', 'write_file'), async () => {
        await new Promise<void>((resolve) => {
          clock.setTimer(resolve, 500, { ref: true });
        });
        writtenAt = clock.now();
      }),
    );
    await tick();
    agent.cancel();
    await clock.advance(0);
    expect((await turn).calls).toMatchObject([{ status: 'unknown', name: 'write_file' }]);
    await clock.advance(500);
    expect(events.filter(({ type }) => type === 'late-settled')).toMatchObject([{ at: writtenAt }]);
  });
});

describe('grace: the nearest wins', () => {
  it.each([
    ['call before controller', { graceMs: 300 }, { graceMs: 20 }, 20],
    ['controller', { graceMs: 300 }, {}, 300],
    ['the default', {}, {}, 1_000],
    ['none', { graceMs: 300 }, { graceMs: 0 }, 0],
  ])('%s', async (_which, controller, options: ToolOptions<Call>, expected) => {
    const { agent, clock } = stage(controller);
    const turn = agent.runTurn(({ tools }) => tools([call('a')], deaf, options));
    await tick();
    agent.cancel();
    await clock.advance(3_000);
    expect((await turn).calls).toMatchObject([{ status: 'unknown', ms: expected }]);
  });

  it('costs no time with work that listens', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ tool }) => tool(call('a'), (_call, ctx) => obedient(ctx)));
    await tick();
    agent.cancel();
    expect(await turn).toMatchObject({ stop: { settledMs: 0 }, calls: [{ status: 'stopped' }] });
    expect(clock.pending).toBe(0);
  });
});

describe('a stop of one call', () => {
  it('S06 aborts no sibling, and not the turn', async () => {
    const { agent } = stage();
    const gate = deferred();
    const turn = agent.runTurn(async ({ tools, token }) => {
      await tools([call('a'), call('b')], async ({ id }, ctx) => {
        if (id === 'a') await obedient(ctx);
        await gate.promise;
        expect(ctx.token.isCancelled).toBe(false);
      });
      return token.isCancelled;
    });
    await tick();
    const receipt = agent.cancelCall('a', 'only a');
    expect(receipt).toMatchObject({ accepted: true, turnId: 1 });
    expect(agent.interrupted).toBe(false);
    expect(await receipt.settled).toMatchObject({
      reason: { message: 'only a' },
      turnId: 1,
      operations: [{ kind: 'tool', name: 'a', outcome: 'cancelled' }],
      abandoned: [],
    });
    gate.resolve();
    const report = await turn;
    expect(report.unwrap()).toBe(false);
    expect(statuses(report.calls)).toEqual(['a stopped', 'b completed']);
  });

  it('S06 one that completes or fails aborts none either', async () => {
    const { agent } = stage();
    const seen: boolean[] = [];
    await agent.runTurn(({ tools }) =>
      tools([call('fails'), call('slow')], async ({ id }, { token }) => {
        if (id === 'fails') throw new Error('x');
        await tick();
        seen.push(token.isCancelled);
      }),
    );
    expect(seen).toEqual([false]);
  });

  it('also keeps one from starting that waits in the batch', async () => {
    const { agent } = stage();
    const gate = deferred();
    const started: string[] = [];
    const turn = agent.runTurn(({ tools }) =>
      tools(
        [call('a'), call('b'), call('c')],
        async ({ id }) => {
          started.push(id);
          await gate.promise;
        },
        { mode: 'sequential' },
      ),
    );
    await tick();
    expect(agent.cancelCall('b', 'not b')).toMatchObject({ accepted: true, turnId: 1 });
    gate.resolve();
    const report = await turn;
    expect(statuses(report.calls)).toEqual(['a completed', 'b not-started', 'c completed']);
    expect(report.calls[1]).toMatchObject({ reason: { message: 'not b' } });
    expect(started).toEqual(['a', 'c']);
  });

  it('names it if it does not end', async () => {
    const { agent, clock } = stage({ graceMs: 70 });
    const turn = agent.runTurn(({ tool }) => tool(call('a', 'search'), deaf));
    await tick();
    const receipt = agent.cancelCall('a', 'only a');
    await clock.advance(70);
    expect(await receipt.settled).toMatchObject({ abandoned: ['search'], settledMs: 70 });
    expect(await turn).toMatchObject({ status: 'completed', calls: [{ status: 'unknown' }] });
  });

  it('that nobody knows stops nothing', async () => {
    const { agent } = stage();
    const gate = deferred();
    const turn = agent.runTurn(({ tool }) => tool(call('a'), () => gate.promise));
    await tick();
    expect(agent.cancelCall('z', 'who?').accepted).toBe(false);
    gate.resolve();
    expect((await turn).status).toBe('completed');
  });
});
