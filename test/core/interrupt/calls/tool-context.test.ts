import { describe, expect, it } from 'vitest';

import { CancelledError } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, obedient, stage, tick } from '../kit.ts';

describe('the context of a tool', () => {
  it('can be taken apart', async () => {
    const { agent } = stage();
    const seen = await agent.runTurn(({ tool }) =>
      tool(call('a'), async (given, ctx) => {
        const { token, signal, graceToken, call: same, checkpoint, progress, commit, partial, ask, decline } = ctx;
        const { subagent, track } = ctx;
        checkpoint();
        progress();
        partial(1);
        const answer = await ask<string>((respond) => void respond('yes'));
        const child = await subagent('sub').runTurn(() => 'done');
        const tracked = await track({ kind: 'process', name: 'ls' }, Promise.resolve('listed'));
        expect(() => decline('no')).toThrow('no');
        return [
          same === given,
          token.signal === signal,
          graceToken.isCancelled,
          await commit(() => 'committed'),
          answer,
          child.unwrap(),
          tracked,
        ];
      }),
    );
    expect(seen.calls).toMatchObject([
      {
        status: 'completed',
        value: [true, true, false, 'committed', 'yes', 'done', 'listed'],
      },
    ]);
  });

  it('has a token of its own, below the turn', async () => {
    const { agent } = stage();
    const tokens = new Set<unknown>();
    const turn = agent.runTurn(({ token, tools }) => {
      tokens.add(token);
      return tools([call('a'), call('b')], (_call, ctx) => {
        tokens.add(ctx.token);
        return obedient(ctx);
      });
    });
    await tick();
    agent.cancel();
    await turn;
    expect(tokens.size).toBe(3);
  });

  it('gives clean-up a grace token that ends with the grace', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const seen: boolean[] = [];
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), async (_call, { token, graceToken }) => {
        await obedient({ token }).catch(() => undefined);
        seen.push(token.isCancelled, graceToken.isCancelled);
        graceToken.onCancelled(() => seen.push(graceToken.isCancelled));
        await deaf();
      }),
    );
    await tick();
    agent.cancel();
    await clock.advance(1_000);
    await turn;
    expect(seen).toEqual([true, false, true]);
  });

  it('checks where it is told to', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), (_call, { checkpoint }) => {
        checkpoint();
        agent.cancel();
        checkpoint();
        throw new Error('not reached');
      }),
    );
    expect((await turn).calls).toMatchObject([{ status: 'stopped' }]);
  });
});

describe('track', () => {
  it.each([
    ['completed', () => Promise.resolve('x'), undefined, 'completed'],
    ['failed', () => Promise.reject(new Error('x')), undefined, 'failed'],
    ['what the operation says', () => Promise.resolve({ code: 143 }), () => 'cancelled' as const, 'cancelled'],
  ])('gives work a row of its own: %s', async (_how, work, outcomeOf, outcome) => {
    const { agent } = stage();
    const gate = deferred();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('bash'), async (_call, { track }) => {
        await track(
          { kind: 'process', name: 'sleep 10', outcomeOf },
          gate.promise.then((): Promise<unknown> => work()),
        );
      }),
    );
    await tick();
    agent.cancel();
    gate.resolve();
    const { stop } = await turn;
    expect(stop?.operations).toMatchObject([
      { kind: 'tool', name: 'bash', agent: 'main' },
      { kind: 'process', name: 'sleep 10', agent: 'main', outcome },
    ]);
  });

  it('calls what the stop ended cancelled', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('bash'), (_call, { track, token }) => track({ kind: 'mcp', name: 'q' }, obedient({ token }))),
    );
    await tick();
    agent.cancel();
    expect((await turn).stop?.operations).toMatchObject([
      { kind: 'tool', outcome: 'cancelled' },
      { kind: 'mcp', name: 'q', outcome: 'cancelled' },
    ]);
  });

  it('passes value and error through', async () => {
    const { agent } = stage();
    const error = new Error('x');
    const report = await agent.runTurn(({ tools }) =>
      tools([call('a'), call('b')], ({ id }, { track }) =>
        track({ kind: 'process', name: 'p' }, id === 'a' ? Promise.resolve(7) : Promise.reject(error)),
      ),
    );
    expect(report.calls).toMatchObject([{ value: 7 }, { status: 'failed', error }]);
  });

  it('names what never ends, and does not wait for it', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const turn = agent.runTurn(({ tool }) =>
      tool(call('bash'), (_call, { track }) => track({ kind: 'process', name: 'sleep 10' }, deaf())),
    );
    await tick();
    const { settled } = agent.cancel();
    let stop: unknown;
    void settled.then((report) => (stop = report));
    await clock.advance(10_000);
    expect(stop).toMatchObject({ abandoned: expect.arrayContaining(['bash', 'sleep 10']) });
    expect((await turn).status).toBe('cancelled');
  });

  it.each([
    ['completed', () => 'listed'],
    ['failed', () => Promise.reject(new Error('broken pipe'))],
  ])('tells of it when it ends after all: %s', async (status, how) => {
    const { agent, clock, events } = stage({ graceMs: 100 });
    const end = deferred();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('bash'), (_call, { track }) => {
        void track({ kind: 'process', name: 'sleep 10' }, end.promise.then(how)).catch(() => {});
        return deaf();
      }),
    );
    await tick();
    agent.cancel();
    await clock.advance(10_000);
    expect((await turn).stop?.abandoned).toContain('sleep 10');
    end.resolve();
    await tick();
    expect(events.filter(({ type }) => type === 'late-settled')).toMatchObject([{ name: 'sleep 10', status }]);
  });
});

describe('decline', () => {
  it('ends the call where it stands', async () => {
    const { agent } = stage();
    let went = false;
    const report = await agent.runTurn(({ tool }) =>
      tool(call('rm'), async (_call, { ask, decline }) => {
        if (!(await ask<boolean>((respond) => void respond(false)))) decline('not on a Friday');
        went = true;
      }),
    );
    expect(report.calls).toMatchObject([{ status: 'declined', userMessage: 'not on a Friday' }]);
    expect(went).toBe(false);
  });

  it('is no failure of the turn, and no cancel', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ tool, token }) => {
      await tool(call('rm'), (_call, { decline }) => decline());
      return token.isCancelled;
    });
    expect(report.unwrap()).toBe(false);
  });
});

describe('partial', () => {
  it('is replaced by the next, and not part of a call that completed', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool }) =>
      tool(call('a'), (_call, { partial }) => {
        partial('half');
        return 'whole';
      }),
    );
    expect(report.calls).toEqual([expect.not.objectContaining({ partial: 'half' })]);
  });

  it('may be undefined, and then says so', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('a'), (_call, ctx) => {
        ctx.partial(undefined);
        return obedient(ctx);
      }),
    );
    agent.cancel();
    expect((await turn).calls[0]).toHaveProperty('partial', undefined);
  });

  it('is missing if nothing was said', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) => tool(call('a'), (_call, ctx) => obedient(ctx)));
    agent.cancel();
    const [row] = (await turn).calls;
    expect(row?.status).toBe('stopped');
    expect(row).not.toHaveProperty('partial');
    expect(row).not.toHaveProperty('by');
  });
});

it('a tool gets errors that say whose cancel it was', async () => {
  const { agent } = stage();
  let error: unknown;
  const turn = agent.runTurn(({ tool }) =>
    tool(call('a'), (_call, ctx) =>
      obedient(ctx).catch((caught: unknown) => {
        error = caught;
        throw caught;
      }),
    ),
  );
  agent.cancel({ kind: 'user', by: 'ada' });
  const report = await turn;
  expect(error).toBeInstanceOf(CancelledError);
  expect((error as CancelledError).reason).toBe(report.status === 'cancelled' && report.reason);
});

describe('a wait for work that is not the call’s', () => {
  /** A tool that waits for a job, and says what became of the wait. */
  function waiting(onInterject: 'finish' | 'cancel' | 'yield') {
    const { agent, clock } = stage();
    const job = deferred<string>();
    const turn = agent.runTurn(async ({ tool, takeInterjections }) => {
      const outcome = await tool(
        call('wait'),
        async (_call, { wait }) => {
          const waited = await wait(job.promise);
          return waited.status === 'completed' ? waited.value : 'still running';
        },
        { onInterject },
      );
      return [outcome.status, 'value' in outcome && outcome.value, takeInterjections().length];
    });
    return { agent, clock, job, turn };
  }

  it.each(['now', 'after-current-tool', 'next-model-call'] as const)(
    'S23 yields to a message (%s), and the work goes on',
    async (delivery) => {
      const { agent, turn, job } = waiting('yield');
      await tick();
      agent.interject('look here', { delivery });
      expect((await turn).unwrap()).toEqual(['completed', 'still running', 1]);
      job.resolve('done');
      expect(await job.promise).toBe('done');
    },
  );

  it('does not yield to what is for the next prompt, nor if it was not asked to', async () => {
    const later = waiting('yield');
    later.agent.interject('later', { delivery: 'after-turn' });
    const finishing = waiting('finish');
    await tick();
    finishing.agent.interject('now', { delivery: 'now' });
    await tick();
    later.job.resolve('done');
    finishing.job.resolve('done');
    expect((await later.turn).unwrap()).toEqual(['completed', 'done', 0]);
    expect((await finishing.turn).unwrap()).toEqual(['completed', 'done', 1]);
  });

  it('does not begin when a message waits already', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ tool, takeInterjections }) => {
      agent.interject('first');
      const waited = await tool(call('wait'), (_call, ctx) => ctx.wait(deaf()), { onInterject: 'yield' });
      takeInterjections();
      return waited;
    });
    expect(report.unwrap()).toMatchObject({ value: { status: 'interjected', reason: { kind: 'interjection' } } });
  });

  it('ends with the stop like everything else, and fails with the work', async () => {
    const stopped = waiting('yield');
    await tick();
    stopped.agent.cancel();
    expect((await stopped.turn).calls).toMatchObject([{ status: 'stopped' }]);
    const broken = waiting('yield');
    broken.job.reject(new Error('broken'));
    expect((await broken.turn).calls).toMatchObject([{ status: 'failed' }]);
  });
});
