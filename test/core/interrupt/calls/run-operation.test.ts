import { describe, expect, it } from 'vitest';

import { InterruptController, type StopReport, type ToolContext, type Turn } from '../../../../src/index.ts';
import { call, deaf, hasSettled, obedient, stage, tick } from '../kit.ts';

const rows = (report: StopReport | undefined): string[] =>
  (report?.operations ?? []).map(({ kind, name, outcome }) => `${kind} ${name} ${outcome}`);

describe('an operation that stops its own turn', () => {
  it('may await the report: it waits for everybody else, and calls the operation the caller', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    let seen: StopReport | undefined;
    const turn = agent.runTurn(({ tools }) =>
      tools([call('asks'), call('obeys'), call('deaf')], async ({ name }, ctx) => {
        if (name === 'obeys') return obedient(ctx);
        if (name === 'deaf') return deaf();
        await tick();
        const { accepted, turnId, settled } = ctx.cancelTurn('enough');
        expect([accepted, turnId, ctx.token.isCancelled]).toEqual([true, 1, true]);
        seen = await settled;
      }),
    );
    await clock.advance(0);
    await tick();
    await clock.advance(99);
    expect(seen).toBeUndefined();
    await clock.advance(1);
    const { stop, status, calls } = await turn;
    expect(status).toBe('cancelled');
    expect(seen?.reason).toMatchObject({ kind: 'unknown', message: 'enough' });
    expect(rows(seen)).toEqual(['tool asks caller', 'tool obeys cancelled', 'tool deaf abandoned']);
    expect([seen?.turnId, seen?.settledMs, seen?.abandoned]).toEqual([1, 100, ['deaf']]);
    // What became of it in the end stands in the report of the turn: it came back, though the others took every grace.
    expect(rows(stop)).toEqual(['tool asks completed', 'tool obeys cancelled', 'tool deaf abandoned']);
    expect(calls.map((row) => row.status)).toEqual(['completed', 'stopped', 'unknown']);
    expect(clock.pending).toBe(0);
  });

  it('may be a model call', async () => {
    const { agent } = stage();
    let seen: string[] = [];
    const turn = agent.runTurn(({ model, tool }) =>
      Promise.all([
        tool(call('a'), (_call, ctx) => obedient(ctx)),
        model(async ({ cancelTurn }) => {
          seen = rows(await cancelTurn().settled);
        }),
      ]),
    );
    const { status, stop } = await turn;
    expect([status, seen]).toEqual(['cancelled', ['tool a cancelled', 'model model caller']]);
    expect(rows(stop)).toEqual(['tool a cancelled', 'model model cancelled']);
  });

  it('may be the body of the turn', async () => {
    const { agent } = stage();
    let seen: string[] = [];
    const turn = agent.runTurn(async ({ cancel, tool }) => {
      void tool(call('a'), (_call, ctx) => obedient(ctx));
      seen = rows(await cancel('enough').settled);
    });
    expect(rows((await turn).stop)).toEqual(['tool a cancelled']);
    expect(seen).toEqual(['tool a cancelled', 'turn main caller']);
  });

  it('waits for nobody who waits as well', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const seen: string[][] = [];
    const turn = agent.runTurn(async ({ tools, cancel }) => {
      const ask = async (_call: unknown, { cancelTurn }: ToolContext): Promise<void> => {
        await tick();
        seen.push(rows(await cancelTurn().settled));
      };
      const batch = tools([call('a'), call('b')], ask);
      await tick();
      await tick();
      seen.push(rows(await cancel().settled));
      await batch;
    });
    expect((await turn).calls.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(seen).toHaveLength(3);
    expect(new Set(seen.flat())).toEqual(
      new Set(['tool a caller', 'tool b caller', 'tool a completed', 'tool b completed', 'turn main caller']),
    );
    expect(clock.now()).toBe(1_000);
  });

  it('stops its own turn and no later one', async () => {
    const { agent } = stage();
    const kept: Turn[] = [];
    const contexts: ToolContext[] = [];
    const first = await agent.runTurn(async (turn) => {
      kept.push(turn);
      await turn.tool(call('a'), (_call, ctx) => void contexts.push(ctx));
    });
    const second = agent.runTurn(() => tick().then(() => 'untouched'));
    for (const receipt of [kept[0]?.cancel(), contexts[0]?.cancelTurn()]) {
      expect(receipt).toMatchObject({ accepted: false, turnId: undefined });
      expect(await receipt?.settled).toMatchObject({ reason: undefined, operations: [] });
    }
    expect([first.status, (await second).unwrap()]).toEqual(['completed', 'untouched']);
  });

  it('is given what it did not deliver, and the one report of the turn when that is over', async () => {
    const { agent } = stage();
    let late: Promise<StopReport> | undefined;
    const turn = agent.runTurn(async ({ cancel }) => {
      const message = agent.interject('and one more thing');
      expect((await cancel().settled).undelivered).toEqual([message]);
      late = tick().then(() => cancel().settled);
    });
    const { stop } = await turn;
    expect(await late).toBe(stop);
  });

  it('does not wait for a sub-agent that works for nobody of its turn, and stops only its own', async () => {
    const { agent } = stage();
    let seen: string[] = [];
    const report = await agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, { subagent }) => {
        const child = subagent('explorer', { onChildInterrupted: 'contain' });
        const below = await child.runTurn((turn) =>
          turn.tool(call('grep'), async (_inner, { cancelTurn }) => {
            seen = rows(await cancelTurn('wrong folder').settled);
          }),
        );
        return below.status;
      }),
    );
    expect([report.status, seen]).toEqual(['completed', ['tool grep caller']]);
    expect(report.calls).toMatchObject([{ status: 'stopped', by: 'explorer' }]);
  });

  it('that never returns is left behind when its own grace is over', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), async (_call, { cancelTurn }) => {
        await cancelTurn().settled;
        await deaf();
      }),
    );
    await tick();
    expect(await hasSettled(turn)).toBe(false);
    await clock.advance(100);
    await clock.advance(100);
    expect((await turn).calls).toMatchObject([{ status: 'unknown' }]);
    expect(clock.pending).toBe(0);
  });

  it('ends at once when it is killed meanwhile, and the others with it', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    let seen: string[] = [];
    const turn = agent.runTurn(({ tools }) =>
      tools([call('asks'), call('deaf')], async ({ name }, { cancelTurn }) => {
        if (name === 'deaf') return deaf();
        await Promise.resolve();
        seen = rows(await cancelTurn().settled);
      }),
    );
    await tick();
    agent.kill();
    await clock.advance(0);
    expect((await turn).calls.map(({ status }) => status)).toEqual(['completed', 'unknown']);
    expect(seen).toEqual(['tool asks caller', 'tool deaf abandoned']);
    expect(clock.now()).toBe(1_000);
  });
});

describe('a stop by who hears that an operation starts', () => {
  type Start = (turn: Turn, ran: () => string) => Promise<unknown>;
  const starts: [what: string, kind: string, start: Start][] = [
    ['a tool', 'tool', ({ tool }, ran) => tool(call('a'), ran)],
    ['a step', 'step', ({ step }, ran) => step('a', ran)],
    ['a request of the model', 'model', ({ model }, ran) => model(ran).catch(() => undefined)],
    ['a tool that is cut by messages', 'tool', ({ tool }, ran) => tool(call('a'), ran, { onInterject: 'cancel' })],
  ];
  const stops: [string, (agent: InterruptController) => unknown][] = [
    ['cancel', ({ cancel }) => cancel()],
    ['kill', ({ kill }) => kill()],
    ['cancelAll', ({ cancelAll }) => cancelAll()],
  ];

  it.each(starts.flatMap(([what, kind, start]) => stops.map(([how, stop]) => ({ what, kind, start, how, stop }))))(
    '$how comes before $what: nothing of it runs',
    async ({ kind, start, stop }) => {
      const { agent } = stage();
      let ran = 0;
      const said: string[] = [];
      agent.onEvent(
        (event) => {
          if (event.type === 'operation-started') stop(agent);
          if (event.type === 'operation-ended') said.push(event.outcome);
        },
        { operations: true },
      );
      const report = await agent.runTurn((turn) => start(turn, () => `run ${String(++ran)}`));
      expect([ran, said, report.status]).toEqual([0, ['not-started'], 'cancelled']);
      expect([...report.calls, ...(report.steps ?? [])].map(({ status }) => status)).toEqual(
        kind === 'model' ? [] : ['not-started'],
      );
      expect(rows(report.stop).map((row) => row.split(' ').at(-1))).toEqual(['not-started']);
    },
  );

  it('of the call alone spares the turn', async () => {
    const { agent } = stage();
    let ran = 0;
    agent.onEvent((event) => event.type === 'operation-started' && agent.cancelCall('a'), { operations: true });
    const report = await agent.runTurn(({ tool }) => tool(call('a'), () => ++ran));
    expect(ran).toBe(0);
    expect(report).toMatchObject({ status: 'completed', calls: [{ status: 'not-started', reason: { kind: 'user' } }] });
  });

  it('a message that cuts the tool comes first: it is skipped', async () => {
    const { agent } = stage();
    let ran = 0;
    agent.onEvent((event) => event.type === 'operation-started' && agent.interject('wait', { delivery: 'now' }), {
      operations: true,
    });
    const report = await agent.runTurn(({ tool }) => tool(call('a'), () => ++ran, { onInterject: 'cancel' }));
    expect([ran, report.calls.map(({ status }) => status)]).toEqual([0, ['skipped']]);
  });
});

it('a stop that is not bound to its operation gives it its grace, and no more', async () => {
  const { agent, clock } = stage({ graceMs: 100 });
  const turn = agent.runTurn(({ tool }) => tool(call('a'), () => agent.cancel().settled));
  await clock.advance(100);
  expect(rows((await turn).stop)).toEqual(['tool a abandoned']);
  expect(agent).toBeInstanceOf(InterruptController);
});
