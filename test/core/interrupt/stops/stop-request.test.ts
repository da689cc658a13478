import { describe, expect, it } from 'vitest';

import { agentOf } from '../../../../src/core/interrupt/controller.ts';
import type { InterruptController, StopReport, Turn } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, errorOf, hasSettled, obedient, stage, tick, withReported, type Stage } from '../kit.ts';

describe('the receipt', () => {
  it('comes synchronously; settled comes when the turn has unwound, and is its report', async () => {
    const { agent, clock } = stage({ graceMs: 80 });
    const turn = agent.runTurn(({ tool }) => tool(call('a'), deaf));
    await tick();
    const receipt = agent.cancel('enough');
    expect(receipt).toMatchObject({ accepted: true, turnId: 1 });
    await clock.advance(79);
    expect(await hasSettled(receipt.settled)).toBe(false);
    await clock.advance(2_000);
    const report = await turn;
    expect(await receipt.settled).toBe(report.stop);
    expect(agent.lastReport).toBe(report.stop);
  });

  it('S07 repeats return the same report: while it runs, with force, and afterwards', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ tool }) => tool(call('a'), deaf));
    await tick();
    const receipts = [agent.cancel('one'), agent.cancel('two'), agent.cancel(), agent.kill('three'), agent.kill()];
    await clock.advance(0);
    const { stop } = await turn;
    receipts.push(agent.cancel('four'), agent.kill('five'), agent.cancelAll('six'));
    for (const { settled } of receipts) expect(await settled).toBe(stop);
    expect(receipts.map(({ accepted }) => accepted)).toEqual([true, true, true, true, true, false, false, false]);
    expect(stop?.reason?.message).toBe('one');
  });

  it('while idle says that there was nothing to stop', async () => {
    const { agent, events } = stage();
    for (const receipt of [agent.cancel(), agent.kill(), agent.cancelAll(), agent.cancelCall('c3', 'x')]) {
      expect(receipt).toMatchObject({ accepted: false, turnId: undefined });
      expect(await receipt.settled).toMatchObject({ reason: undefined, operations: [], abandoned: [] });
    }
    expect([agent.state, events]).toEqual(['idle', []]);
  });

  it.each(['cancel', 'cancelAll', 'kill'] as const)(
    'while idle repeats no report that is not true any more: %s',
    async (how) => {
      const { agent, clock } = stage({ graceMs: 10 });
      const end = deferred();
      const turn = agent.runTurn(({ tool }) => tool(call('deploy'), () => end.promise));
      await tick();
      agent.cancel('monday');
      await clock.advance(10);
      const { stop } = await turn;
      expect(await agent[how]('again').settled).toBe(stop);
      end.resolve();
      await tick();
      expect(await agent[how]('tuesday').settled).toMatchObject({ reason: undefined, operations: [], abandoned: [] });
    },
  );

  it('while idle repeats no report of a stop before another turn', async () => {
    const { agent, clock } = stage({ graceMs: 10 });
    const ticket = agent.accept();
    const turn = agent.runTurn(({ tool }) => tool(call('deploy'), deaf), { ticket });
    await tick();
    agent.cancel('monday');
    await clock.advance(10);
    const { stop } = await turn;
    const second = agent.runTurn(obedient);
    expect(await agent.cancelCall('nobody').settled).toMatchObject({ reason: undefined, abandoned: ['deploy'] });
    expect(await ticket.cancel().settled).toBe(stop);
    agent.cancel('tuesday');
    await second;
    await agent.runTurn(() => 'fine');
    expect(await agent.cancel('wednesday').settled).toMatchObject({
      reason: undefined,
      turnId: undefined,
      operations: [{ name: 'deploy', outcome: 'abandoned' }],
    });
  });

  it('before a turn repeats no name of what has ended since', async () => {
    const { agent, clock } = stage({ graceMs: 10 });
    const end = deferred();
    const turn = agent.runTurn(({ tool }) => tool(call('deploy'), () => end.promise));
    await tick();
    agent.cancel();
    await clock.advance(10);
    await turn;
    agent.accept();
    expect((await agent.cancel('one').settled).abandoned).toEqual(['deploy']);
    end.resolve();
    await tick();
    expect(await agent.cancel('two').settled).toMatchObject({ reason: { message: 'one' }, abandoned: [] });
  });

  it('of a turn that ended by itself: nothing to stop, also in its last tick', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(() => 1);
    expect(agent.cancel().accepted).toBe(false);
    expect(report).not.toHaveProperty('stop');
    expect(agent.lastReport).toBeUndefined();
  });
});

describe('a stop of a turn and of the prompts behind it', () => {
  it.each(['cancel', 'kill'] as const)('is announced once: %s', async (how) => {
    const { agent, events } = stage();
    const [first, second] = [agent.runTurn(obedient), agent.runTurn(() => 'never', { whenBusy: 'queue' })];
    agent.accept();
    agent[how]();
    expect(events.filter(({ type }) => type === 'interrupt-requested')).toHaveLength(1);
    expect([(await first).status, (await second).status]).toEqual(['cancelled', 'cancelled']);
  });
});

describe('a stop before the turn', () => {
  it('is announced when it comes, and not again when its turn starts', async () => {
    const { agent, events } = stage();
    const ticket = agent.accept();
    agent.cancel('early');
    const said = (): unknown[] => events.filter(({ type }) => type === 'interrupt-requested');
    expect(said()).toHaveLength(1);
    expect((await agent.runTurn(() => 'never', { ticket })).status).toBe('cancelled');
    expect(said()).toHaveLength(1);
  });
});

describe('a stop while a turn unwinds', () => {
  it.each(['cancel', 'kill'] as const)('is announced for the prompt that waits behind it, once: %s', async (how) => {
    const { agent, events, clock } = stage({ graceMs: 100 });
    const first = agent.runTurn(deaf);
    agent[how]('one');
    const second = agent.runTurn(() => 'never', { whenBusy: 'queue' });
    agent[how]('two');
    agent[how]('three');
    await clock.advance(100);
    expect([(await first).status, (await second).status]).toEqual(['cancelled', 'cancelled']);
    const said = events.flatMap((event) => (event.type === 'interrupt-requested' ? [event.reason.message] : []));
    expect(said).toEqual(['one', 'two']);
  });
});

describe('the cancel of a ticket', () => {
  it('stops that turn', async () => {
    const { agent } = stage();
    const ticket = agent.accept();
    const turn = agent.runTurn(obedient, { ticket });
    expect(ticket.cancel('x')).toMatchObject({ accepted: true, turnId: 1 });
    expect((await turn).status).toBe('cancelled');
  });

  it('S07 a late cancel of turn 1 never touches turn 2', async () => {
    const { agent, events } = stage();
    const ticket = agent.accept();
    await agent.runTurn(() => 1, { ticket });
    const end = deferred();
    const second = agent.runTurn(() => end.promise);
    expect(ticket.cancel('late')).toMatchObject({ accepted: false });
    expect([agent.state, agent.interrupted]).toEqual(['running', false]);
    end.resolve();
    expect(await second).toMatchObject({ status: 'completed', turnId: 2 });
    expect(events.filter(({ type }) => type === 'interrupt-requested')).toEqual([]);
  });

  it('S07 does not answer for another turn', async () => {
    const { agent } = stage();
    const ticket = agent.accept();
    await agent.runTurn(() => void agent.cancel('one'), { ticket });
    await agent.runTurn(() => void agent.cancel('two'));
    const receipt = ticket.cancel('late');
    const late = await receipt.settled;
    expect([receipt.accepted, late.turnId === 2]).toEqual([false, false]);
    expect(late.reason?.message).not.toBe('two');
  });

  it('leaves the running turn alone if it names one that waits', async () => {
    const { agent } = stage();
    const end = deferred();
    const first = agent.runTurn(() => end.promise);
    const ticket = agent.accept();
    const second = agent.runTurn(() => 'ran', { ticket, whenBusy: 'queue' });
    expect(ticket.cancel('x')).toMatchObject({ accepted: true, turnId: 2 });
    end.resolve();
    expect([(await first).status, (await second).status]).toEqual(['completed', 'cancelled']);
  });
});

describe('cancelAll', () => {
  it.each([
    ['cancelAll', ({ agent }: Stage) => agent.cancelAll()],
    ['kill with all', ({ agent }: Stage) => agent.kill('now', { all: true })],
  ])('lets nothing of a detached sub-agent begin that waited when it came: %s', async (_how, stop) => {
    const staged = stage();
    const detached = staged.agent.child('parent', { detached: true }).child('d', { detached: true });
    const ran: string[] = [];
    const ticket = detached.accept();
    const running = detached.runTurn(obedient);
    const inLine = detached.runTurn(() => ran.push('in line'), { whenBusy: 'queue' });
    await stop(staged).settled;
    const accepted = detached.runTurn(() => ran.push('accepted'), { ticket, whenBusy: 'queue' });
    const reports = await Promise.all([running, inLine, accepted]);
    expect(reports.map(({ status, stop: { reason } = {} }) => [status, reason])).toEqual(
      reports.map(() => ['cancelled', reports[0].stop?.reason]),
    );
    expect(ran).toEqual([]);
    expect(await detached.runTurn(() => 'later')).toMatchObject({ status: 'completed' });
  });

  it.each([true, false])(
    'stops what waits in line between two turns of a sub-agent, detached: %s',
    async (detached) => {
      const { agent } = stage();
      const child = agent.child('d', { detached });
      const ran: string[] = [];
      const first = child.runTurn(() => 'done');
      const next = child.runTurn(() => ran.push('in line'), { whenBusy: 'queue' });
      child.onEvent(({ type }) => {
        // After the sub-agent has left, and before the turn in line begins.
        if (type === 'turn-ended') queueMicrotask(() => agent.cancelAll());
      });
      expect([(await first).status, (await next).status, ran]).toEqual(['completed', 'cancelled', []]);
    },
  );

  it('counts a sub-agent no more whose last turn in line was refused', async () => {
    const { agent } = stage();
    const child = agent.child('d', { detached: true });
    const first = child.runTurn(() => child.cancel('user'));
    const refused = errorOf(child.runTurn(() => 1, { isAutomatic: true, whenBusy: 'queue' }));
    await first;
    await refused;
    expect(agentOf(agent)?.isBusy).toBe(false);
  });

  it('ends the agent’s life: what hangs on its token too', async () => {
    const { agent } = stage();
    const token = agent.lifetime;
    const turn = agent.runTurn(obedient);
    const receipt = agent.cancelAll('everything');
    expect(receipt.accepted).toBe(true);
    expect(token.reason).toMatchObject({ kind: 'unknown', message: 'everything' });
    const report = await turn;
    expect(report.status === 'cancelled' && report.reason).toBe(token.reason);
    expect(await receipt.settled).toBe(report.stop);
  });

  it('and the agent lives on: the next turn is a fresh one', async () => {
    const { agent } = stage();
    agent.cancelAll('everything');
    expect(agent.lifetime.isCancelled).toBe(false);
    expect((await agent.runTurn(() => 1)).status).toBe('completed');
  });

  it('no other target touches the agent’s token', async () => {
    const { agent } = stage();
    const token = agent.lifetime;
    for (const stop of [() => agent.cancel(), () => agent.accept().cancel('x'), () => agent.kill()]) {
      const turn = agent.runTurn(obedient, { whenBusy: 'queue' });
      stop();
      agent.cancel();
      await turn;
    }
    expect([token.isCancelled, agent.lifetime === token]).toEqual([false, true]);
  });
});

describe('the reason', () => {
  it.each([
    ['nothing', undefined, { kind: 'user', message: 'User cancelled' }],
    ['a text', 'enough', { kind: 'unknown', message: 'enough' }],
    ['a kind', { kind: 'budget' }, { kind: 'budget' }],
    [
      'everything',
      { kind: 'disconnect', message: 'gone', by: 'gateway' },
      { kind: 'disconnect', message: 'gone', by: 'gateway' },
    ],
  ] as const)('%s', async (_what, init, expected) => {
    for (const how of ['cancel', 'kill'] as const) {
      const { agent, clock } = stage();
      const turn = agent.runTurn(obedient);
      agent[how](init);
      await clock.advance(0);
      expect((await turn).stop?.reason).toMatchObject({ ...expected, source: 'main', at: 1_000 });
    }
  });
});

describe('a reason that makes no sense', () => {
  it.each([
    [5, { kind: 'unknown', cause: 5 }],
    [[1], { kind: 'unknown', cause: [1] }],
    [true, { kind: 'unknown', cause: true }],
  ])('%j stops all the same, with kind unknown and itself as the cause, and is reported', async (reason, expected) => {
    for (const how of ['cancel', 'kill', 'cancelAll'] as const) {
      const { result, errors } = await withReported(async () => {
        const { agent, clock } = stage();
        const turn = agent.runTurn(obedient);
        expect(agent[how](reason as never).accepted).toBe(true);
        await clock.advance(0);
        return turn;
      });
      expect(result).toMatchObject({ status: 'cancelled', reason: expected });
      expect(errors).toEqual([expect.any(TypeError)]);
    }
  });

  it('of one call is no exception', async () => {
    const { result, errors } = await withReported(async () => {
      const { agent } = stage();
      const turn = agent.runTurn(({ tool }) => tool(call('a'), (_call, ctx) => obedient(ctx)));
      agent.cancelCall('a', 5 as never);
      return turn;
    });
    expect(result).toMatchObject({
      status: 'completed',
      calls: [{ status: 'stopped', reason: { kind: 'unknown', cause: 5 } }],
    });
    expect(errors).toEqual([expect.any(TypeError)]);
  });
});

describe('a stop that was aimed by its argument', () => {
  it.each([
    ['all', 'write cancelAll()'],
    [{ callId: 'c1' }, 'write cancelCall("c1")'],
    [{ turnId: 3 }, 'write ticket.cancel()'],
    [{ all: true }, 'reason.all is no option'],
  ])('%j stops the turn, and is reported with what to write instead', async (given, advice) => {
    const { result, errors } = await withReported(async () => {
      const { agent } = stage();
      const turn = agent.runTurn(obedient);
      agent.cancel(given as never);
      return turn;
    });
    expect(result.status).toBe('cancelled');
    expect((errors[0] as Error).message).toContain(advice);
  });

  it('kill({ all: true }) kills the turn, and is told that its options are no reason', async () => {
    const { result, errors } = await withReported(async () => {
      const { agent } = stage();
      const turn = agent.runTurn(obedient);
      agent.kill({ all: true } as never);
      return turn;
    });
    expect(result.status).toBe('cancelled');
    expect(errors).toMatchObject([{ message: expect.stringContaining('reason.all is no option') }]);
  });
});

describe('a stop of everything names what a sub-agent does once', () => {
  const stops: [string, (agent: InterruptController) => Promise<StopReport>][] = [
    ['cancelAll', (agent) => agent.cancelAll().settled],
    ['kill of all', (agent) => agent.kill('user', { all: true }).settled],
    ['close', (agent) => agent.close()],
  ];
  const places: [string, (turn: Turn, agent: InterruptController, body: (own: Turn) => unknown) => Promise<unknown>][] =
    [
      [
        'on a call',
        ({ tool }, _agent, body) => tool(call('ask'), (_call, { subagent }) => subagent('sub').runTurn(body)),
      ],
      ['of the turn', (_turn, agent, body) => agent.child('sub').runTurn(body)],
      [
        'of a sub-agent',
        ({ tool }, _agent, body) =>
          tool(call('ask'), (_call, { subagent }) =>
            subagent('middle').runTurn((own) =>
              own.tool(call('delegate'), (_inner, context) => context.subagent('sub').runTurn(body)),
            ),
          ),
      ],
    ];

  it.each(stops.flatMap(([how, stop]) => places.map(([where, start]) => ({ how, stop, where, start }))))(
    'at a $how, where it works $where',
    async ({ stop, start }) => {
      const { agent, clock } = stage({ graceMs: 10 });
      const turn = agent.runTurn((own) =>
        start(own, agent, ({ tools }) =>
          tools([call('obeys'), call('is deaf')], ({ name }, context) =>
            name === 'obeys' ? obedient(context) : deaf(),
          ),
        ),
      );
      await tick();
      const settled = stop(agent);
      await clock.advance(1_000);
      await turn;
      const { operations, abandoned } = await settled;
      const named = operations.map(({ agent: whose, kind, name }) => [whose, kind, name].join(' '));
      expect(named.filter((name) => /obeys|deaf/.test(name)).sort()).toEqual(['sub tool is deaf', 'sub tool obeys']);
      expect(new Set(named).size).toBe(named.length);
      expect(abandoned.filter((name) => name === 'is deaf')).toEqual(['is deaf']);
    },
  );

  it('and what its listener threw', async () => {
    const { agent, clock } = stage();
    const thrown = new Error('listener');
    const turn = agent.runTurn(({ tool }) =>
      tool(call('ask'), (_call, { subagent }) =>
        subagent('sub').runTurn((own) => {
          own.token.onCancelled(() => {
            throw thrown;
          });
          return obedient(own);
        }),
      ),
    );
    await tick();
    const { settled } = agent.cancelAll();
    await clock.advance(0);
    await turn;
    expect((await settled).callbackErrors).toEqual([thrown]);
  });
});
