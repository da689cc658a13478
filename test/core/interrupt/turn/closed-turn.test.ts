/**
 * What becomes of work that the body of a turn started and did not wait for.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';

import { isCancelledError } from '../../../../src/core/foundation/errors.ts';
import type { CancellationToken, InterruptController, StopReport, ToolContext, Turn } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, errorOf, obedient, stage, tick, withReported } from '../kit.ts';

const rows = (report: StopReport | undefined): string[] =>
  (report?.operations ?? []).map(({ kind, name, outcome }) => `${kind} ${name} ${outcome}`);

describe('S37 a turn whose body has returned', () => {
  it('S37 waits for what runs, and says by name what that is', async () => {
    const { agent, events } = stage();
    const end = deferred<string>();
    const turn = agent.runTurn(({ tool, model }) => {
      void tool(call('c1', 'slow'), () => end.promise);
      void model(() => end.promise, { name: 'claude' });
      return 'returned';
    });
    await tick();
    expect(events.at(-1)).toMatchObject({
      type: 'body-ended',
      turnId: 1,
      running: expect.arrayContaining(['slow', 'claude']),
    });
    end.resolve('done');
    const report = await turn;
    expect(report).toMatchObject({ status: 'completed', value: 'returned', calls: [{ status: 'completed' }] });
    expect(report).not.toHaveProperty('stop');
    expect(events.at(-1)?.type).toBe('turn-ended');
  });

  it('S37 says nothing of its body when nothing runs', async () => {
    const { agent, said } = stage();
    await agent.runTurn(async ({ tool }) => (await tool(call('c1'), () => 1)).status);
    expect(said()).not.toContain('main:body-ended');
  });

  it('S37 starts nothing: tools are not started, the model call rejects, with kind ended', async () => {
    const { agent, clock } = stage();
    const gate = deferred();
    let starts = 0;
    const seen: unknown[] = [];
    const { result: report } = await withReported(async () => {
      const turn = agent.runTurn(({ tool, tools, model }) => {
        void tool(call('keeps', 'open'), async () => {
          await gate.promise;
          seen.push(await tool(call('late'), () => starts++));
          seen.push(...(await tools([call('l1'), call('l2')], () => starts++)));
          seen.push(await errorOf(model(() => starts++)));
        });
        return 'returned';
      });
      await tick();
      gate.resolve();
      // A refusal that is repeated takes a moment: nobody can spin on it.
      await clock.advance(10);
      return turn;
    });
    expect(report.status).toBe('completed');
    expect(starts).toBe(0);
    expect(seen).toMatchObject([
      { id: 'late', status: 'not-started', reason: { kind: 'ended' } },
      { id: 'l1', status: 'not-started', reason: { kind: 'ended' } },
      { id: 'l2', status: 'not-started', reason: { kind: 'ended' } },
      { name: 'AbortError', reason: { kind: 'ended', message: 'The body of turn 1 has ended' } },
    ]);
    expect(report.calls.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'keeps completed',
      'late not-started',
      'l1 not-started',
      'l2 not-started',
    ]);
  });

  it('S37 reports as misuse, once, that something was started too late', async () => {
    const { agent, clock } = stage();
    const { errors } = await withReported(async () => {
      let kept: Turn | undefined;
      await agent.runTurn((turn) => void (kept = turn));
      const late = [
        (kept as unknown as Turn).tool(call('c1', 'search'), () => 1),
        (kept as unknown as Turn).tool(call('c2'), () => 1),
        errorOf((kept as unknown as Turn).model(() => 1)),
      ];
      await clock.advance(10);
      await Promise.all(late);
    });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(TypeError);
    expect(String(errors[0])).toContain('"search" was started after the body of turn 1 had ended');
    expect(String(errors[0])).toContain('agent.background()');
  });

  it('S37 lets a call that still runs ask, track, commit and start a sub-agent', async () => {
    const { agent } = stage();
    const gate = deferred();
    const turn = agent.runTurn(({ tool }) => {
      void tool(call('c1'), async (_call, { ask, track, commit, subagent }) => {
        await gate.promise;
        const answer = await ask<string>((respond) => respond('yes'));
        const tracked = await track({ kind: 'process', name: 'p' }, Promise.resolve('exit'));
        const committed = await commit(() => 'written');
        const report = await subagent('sub').runTurn(({ model }) => model(() => 'thought'));
        return [answer, tracked, committed, report.status];
      });
      return 'returned';
    });
    await tick();
    gate.resolve();
    expect((await turn).calls).toMatchObject([{ value: ['yes', 'exit', 'written', 'completed'] }]);
  });

  it('S37 is stopped like any turn, and everything of it is in its report', async () => {
    const { agent, clock } = stage({ graceMs: 50 });
    const turn = agent.runTurn(({ tools }) => {
      void tools([call('obeys'), call('deaf')], ({ id }, ctx) => (id === 'deaf' ? deaf() : obedient(ctx)));
      return 'returned';
    });
    await tick();
    agent.cancel('enough');
    await clock.advance(50);
    const report = await turn;
    expect(report).toMatchObject({
      status: 'cancelled',
      completed: { value: 'returned' },
      stop: { abandoned: ['deaf'] },
    });
    expect(report.calls.map(({ status }) => status)).toEqual(['stopped', 'unknown']);
  });

  it('S37 has ended when it says so: a listener of its end starts nothing in it', async () => {
    const { agent, events } = stage();
    let kept: Turn | undefined;
    let starts = 0;
    agent.onEvent(({ type }) => {
      if (type === 'turn-ended') void kept?.tool(call('c1'), () => starts++);
    });
    const { result: report } = await withReported(() => agent.runTurn((turn) => void (kept = turn)));
    expect([starts, report.calls, events.at(-1)?.type]).toEqual([0, [], 'turn-ended']);
  });
});

describe('S37 a body that throws', () => {
  it('S37 cancels what else runs, with kind sibling: the turn is failed, and no stop of a person', async () => {
    const { agent, events } = stage();
    const error = new Error('branch failed');
    let after = 0;
    let token: CancellationToken | undefined;
    const turn = agent.runTurn(async ({ model }) => {
      const branch = async (fails: boolean): Promise<void> => {
        await model(() => tick());
        if (fails) throw error;
        await tick();
        for (;;)
          await model(async (ctx) => {
            ({ token } = ctx);
            after += 1;
            await obedient(ctx);
          });
      };
      await Promise.all([
        branch(false),
        tick()
          .then(tick)
          .then(tick)
          .then(() => branch(true)),
      ]);
    });
    const report = await turn;
    const runs = after;
    expect(report).toMatchObject({ status: 'failed', error });
    expect(report.stop?.reason).toMatchObject({ kind: 'sibling', cause: error });
    expect(rows(report.stop)).toContain('model model cancelled');
    expect([token?.isCancelled, agent.state, agent.wasInterrupted]).toEqual([true, 'idle', false]);
    expect(events.filter(({ type }) => type === 'interrupt-requested')).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', status: 'failed', interrupted: false });
    await tick();
    expect(after).toBe(runs);
    expect(agent.cancel().accepted).toBe(false);
  });

  it('S37 names what is deaf, after its grace', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const turn = agent.runTurn(({ tool }) => {
      void tool(call('deaf'), deaf);
      throw new Error('x');
    });
    await clock.advance(100);
    expect(await turn).toMatchObject({
      status: 'failed',
      calls: [{ status: 'unknown', reason: { kind: 'sibling' } }],
      stop: { abandoned: ['deaf'], reason: { kind: 'sibling' } },
    });
  });

  it('S37 while nothing runs stops nothing, and has no stop report', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(() => Promise.reject(new Error('x')));
    expect(report.status).toBe('failed');
    expect(report).not.toHaveProperty('stop');
  });

  it('S37 leaves an untold interruption as it was', async () => {
    const { agent } = stage();
    await agent.runTurn(() => void agent.cancel('the first'));
    await agent.runTurn(({ tool }) => {
      void tool(call('c1'), (_call, ctx) => obedient(ctx));
      throw new Error('x');
    });
    expect(agent.consumeWasInterrupted()?.message).toBe('the first');
  });

  it('S37 and a person stop it meanwhile: the stop is the person’s', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const turn = agent.runTurn(({ tool }) => {
      void tool(call('deaf'), deaf);
      throw new Error('x');
    });
    await clock.advance(50);
    expect(agent.cancel('enough').accepted).toBe(true);
    await clock.advance(200);
    await turn;
    expect([agent.wasInterrupted, agent.consumeWasInterrupted()?.message]).toEqual([true, 'enough']);
  });
});

describe('promises of a turn that nobody awaits', () => {
  it('are no unhandled rejections when a stop ends them', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(async ({ model }) => {
      const [first, second] = [model(obedient), model(obedient)];
      return [await first, await second];
    });
    await tick();
    agent.cancel();
    expect((await turn).status).toBe('cancelled');
    await tick();
    await tick();
  });

  it('are none either when the body has thrown', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ model }) => {
      void model(obedient);
      throw new Error('x');
    });
    expect(report.status).toBe('failed');
    await tick();
  });
});

describe('the report of a turn', () => {
  it('comes last: no outcome after the end, and an obedient body is not said to run', async () => {
    const { agent, events, clock } = stage({ graceMs: 0 });
    const turn = agent.runTurn(async ({ tool }) => {
      for (const id of ['a', 'b', 'c', 'd']) await tool(call(id), () => void agent.cancel());
    });
    await clock.advance(100);
    const report = await turn;
    await tick();
    await clock.advance(100);
    expect(report.stop?.abandoned).toEqual([]);
    expect(report.calls.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'a completed',
      'b not-started',
      'c not-started',
      'd not-started',
    ]);
    expect(events.at(-1)?.type).toBe('turn-ended');
  });

  it('has one reason: the first, also when a listener stops again while it hears of the first', async () => {
    const { agent } = stage();
    let isFirst = true;
    agent.onEvent(({ type }) => {
      if (type !== 'interrupt-requested' || !isFirst) return;
      isFirst = false;
      agent.kill('second');
    });
    const turn = agent.runTurn(obedient);
    await tick();
    agent.cancel('first');
    const report = await turn;
    expect(report).toMatchObject({
      status: 'cancelled',
      reason: { message: 'first' },
      stop: { reason: { message: 'first' } },
    });
    expect(agent.consumeWasInterrupted()?.message).toBe('first');
  });

  it('says in its event why and how long', async () => {
    const { agent, clock, events } = stage();
    const turn = agent.runTurn(obedient);
    await clock.advance(250);
    agent.cancel({ message: 'enough' });
    const report = await turn;
    const reason = report.status === 'cancelled' ? report.reason : undefined;
    expect(events.at(-1)).toMatchObject({
      type: 'turn-ended',
      status: 'cancelled',
      interrupted: true,
      kind: 'user',
      ms: 250,
    });
    expect(events.at(-1)).toHaveProperty('reason', reason);
    await agent.runTurn(() => 1);
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', status: 'completed', interrupted: false, ms: 0 });
    expect(events.at(-1)).not.toHaveProperty('reason');
  });

  it('comes although the body swallows every refusal and tries for ever', async () => {
    const { agent, clock } = stage({ graceMs: 10 });
    let tries = 0;
    const turn = agent.runTurn(async ({ model }) => {
      for (;;) {
        try {
          tries += 1;
          await model(() => 1);
          agent.cancel();
        } catch (error) {
          expect(isCancelledError(error)).toBe(true);
        }
      }
    });
    await clock.advance(50);
    const report = await turn;
    expect([report.status, report.stop?.abandoned]).toEqual(['cancelled', ['main']]);
    expect(tries).toBeLessThan(100);
    expect(clock.pending).toBeLessThan(2);
  });
});

describe('S37 a call that has ended', () => {
  it('S37 starts nothing more with its context, neither in its turn nor after the report; said once as misuse', async () => {
    const { agent } = stage();
    let started = 0;
    const start = (): number => ++started;
    const { result, errors } = await withReported(async () => {
      let kept: ToolContext | undefined;
      let child: InterruptController | undefined;
      const late = async (): Promise<readonly unknown[]> => {
        const { commit, ask, subagent } = kept as ToolContext;
        const turns = [child, subagent('new')].map((sub) => sub?.runTurn(start));
        const refused = [commit(start), ask(start)].map((each) => each.catch((error: unknown) => error));
        return Promise.all([...turns, ...refused]);
      };
      let during: readonly unknown[] = [];
      await agent.runTurn(async ({ tool }) => {
        await tool(call('c1'), (_call, context) => {
          kept = context;
          child = context.subagent('early');
        });
        during = await late();
      });
      return [...during, ...(await late())];
    });
    const isEnded = expect.objectContaining({ reason: expect.objectContaining({ kind: 'ended' }) as unknown });
    expect(result).toEqual(Array.from({ length: 8 }, () => isEnded as unknown));
    expect([started, agent.state]).toEqual([0, 'idle']);
    expect(errors.map((error) => (error as Error).message)).toEqual([
      'subagent() came after the call "c1" had ended; await it in the tool, or use agent.background()',
    ]);
  });

  it('S37 has no part in the turn after, where its sub-agent is asked once more', async () => {
    const { agent } = stage();
    let child: InterruptController | undefined;
    await agent.runTurn(({ tool }) => tool(call('c1'), (_call, { subagent }) => void (child = subagent('below'))));
    const turn = agent.runTurn(obedient);
    await tick();
    const late = child?.runTurn(() => 'ran');
    agent.cancel();
    expect(await late).toMatchObject({ status: 'cancelled', reason: { kind: 'ended' } });
    expect(rows((await turn).stop)).toEqual([]);
  });

  it('S37 that was given up hears of its stop instead, and no misuse is reported', async () => {
    const { agent, clock } = stage({ graceMs: 10 });
    const goOn = deferred();
    let refused: unknown;
    const turn = agent.runTurn(({ tool }) =>
      tool(call('c1'), async (_call, { commit }) => {
        await goOn.promise;
        refused = await errorOf(commit(() => 'saved'));
      }),
    );
    await tick();
    agent.cancel({ message: 'enough' });
    await clock.advance(10);
    expect((await turn).calls).toMatchObject([{ status: 'unknown' }]);
    const { errors } = await withReported(async () => {
      goOn.resolve();
      await tick();
    });
    expect([refused, errors]).toMatchObject([{ reason: { kind: 'user', message: 'enough' } }, []]);
  });

  it('S37 that is detached goes on, and is not one of them until its work has ended', async () => {
    const { agent, clock } = stage({ graceMs: 10 });
    const [goOn, end] = [deferred(), deferred()];
    const committed: unknown[] = [];
    const turn = agent.runTurn(({ tool }) =>
      tool(
        call('c1'),
        async (_call, { commit, subagent }) => {
          await goOn.promise;
          committed.push(await commit(() => 'saved'), (await subagent('below').runTurn(() => 'asked')).status);
          await end.promise;
        },
        { canDetach: true },
      ),
    );
    await tick();
    agent.sendToBackground('c1');
    expect((await turn).calls).toMatchObject([{ status: 'detached' }]);
    goOn.resolve();
    await clock.advance(0);
    expect(committed).toEqual(['saved', 'completed']);
    end.resolve();
    await tick();
  });
});
