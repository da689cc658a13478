import { describe, expect, it } from 'vitest';

import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import type { CancellationToken, Responder, ToolContext } from '../../../../src/index.ts';
import { call, errorOf, hasSettled, obedient, stage, tick, type Call } from '../kit.ts';

/** A turn that asks once. */
function asking() {
  const { agent, clock, events } = stage();
  let respond: Responder<string> | undefined;
  let answer: unknown;
  const open = (fn: Responder<string>): void => {
    respond = fn;
  };
  const turn = agent.runTurn(async ({ tool }) => {
    await tool(call('approve'), async (_call, ctx) => (answer = await ctx.ask(open).catch((error: unknown) => error)));
  });
  return {
    agent,
    clock,
    events,
    turn,
    get answer() {
      return answer;
    },
    respond: (value: string) => respond?.(value),
  };
}

describe('a question', () => {
  it('is answered once', async () => {
    const question = asking();
    await tick();
    expect([question.respond('yes'), question.respond('no')]).toEqual([true, false]);
    expect((await question.turn).status).toBe('completed');
    expect(question.answer).toBe('yes');
    expect(question.respond('later still')).toBe(false);
  });

  it.each(['cancel', 'kill'] as const)(
    'rejects with the stop at a %s, at once, and refuses a late answer',
    async (how) => {
      const question = asking();
      await tick();
      question.agent[how]({ message: 'never mind' });
      expect(question.respond('no')).toBe(false);
      await question.clock.advance(0);
      expect(question.answer).toMatchObject({ name: 'AbortError', reason: { kind: 'user', message: 'never mind' } });
      const report = await question.turn;
      expect(report.status).toBe('cancelled');
      expect(question.answer).toHaveProperty('reason', report.status === 'cancelled' && report.reason);
    },
  );

  it.each(['cancel', 'kill'] as const)(
    'counts no answer that arrives together with a %s, whichever of them is first',
    async (how) => {
      for (const isAnsweredFirst of [true, false]) {
        const question = asking();
        await tick();
        if (isAnsweredFirst) question.respond('yes');
        question.agent[how]();
        if (!isAnsweredFirst) question.respond('yes');
        await question.turn;
        expect(question.answer).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
      }
    },
  );

  it('keeps an answer that was heard before the stop', async () => {
    const question = asking();
    await tick();
    question.respond('yes');
    await tick();
    question.agent.cancel();
    await question.turn;
    expect(question.answer).toBe('yes');
  });

  it('listens to its turn or call no longer than it is open', async () => {
    const watched: (number | undefined)[] = [];
    const { agent } = stage();
    const round = async (token: CancellationToken, ask: ToolContext['ask']): Promise<void> => {
      const count = (): void => void watched.push(tokenOf(token).extra?.watch);
      count();
      await ask<string>((respond) => {
        queueMicrotask(() => {
          count();
          respond('yes');
        });
      });
      count();
    };
    await agent.runTurn(({ tool }) => tool(call('approve'), (_call, ctx) => round(ctx.token, ctx.ask)));
    const [before = 0, open, after] = watched;
    expect([open, after]).toEqual([before + 1, before]);
  });

  it('ends with its call: an answer that comes later does not count, and nobody waits for it', async () => {
    const { agent } = stage();
    let respond: Responder<string> | undefined;
    let answer: Promise<string> | undefined;
    const report = await agent.runTurn(({ tool }) =>
      tool(call('approve'), (_call, { ask }) => {
        answer = ask<string>((fn) => (respond = fn));
        return 'nobody there';
      }),
    );
    expect(report.calls).toMatchObject([{ status: 'completed', value: 'nobody there' }]);
    expect(respond?.('yes')).toBe(false);
    await expect(answer).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'ended' } });
  });

  it('is not touched by a message', async () => {
    const question = asking();
    await tick();
    question.agent.interject('hurry', { delivery: 'now' });
    await tick();
    expect(question.answer).toBeUndefined();
    expect(question.respond('yes')).toBe(true);
    expect(await question.turn).toMatchObject({ status: 'completed', undelivered: [{ message: 'hurry' }] });
  });
});

describe('asking', () => {
  it('does not start once the turn is cancelled', async () => {
    const { agent } = stage();
    let opened = 0;
    const errors: unknown[] = [];
    await agent.runTurn(({ tool }) =>
      tool(call('approve'), async (_call, { ask }) => {
        agent.cancel();
        errors.push(await errorOf(ask(() => void (opened += 1))));
      }),
    );
    expect(opened).toBe(0);
    expect(errors[0]).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
  });

  it('takes an answer that is there at once', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool }) =>
      tool(call('approve'), (_call, { ask }) => ask<number>((respond) => void respond(7))),
    );
    expect(report.calls).toMatchObject([{ status: 'completed', value: 7 }]);
  });

  it('fails with what the opener threw', async () => {
    const { agent } = stage();
    let late: Responder<number> | undefined;
    const report = await agent.runTurn(({ tool }) =>
      tool(call('approve'), (_call, { ask }) =>
        ask<number>((respond) => {
          late = respond;
          throw new Error('no terminal');
        }),
      ),
    );
    expect(report.calls).toMatchObject([{ status: 'failed', error: { message: 'no terminal' } }]);
    expect(late?.(1)).toBe(false);
  });

  it('fails with what an asynchronous opener rejected with', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('approve'), (_call, { ask }) => ask(() => Promise.reject(new Error('no terminal')) as never)),
    );
    await tick();
    agent.kill();
    await clock.advance(0);
    expect((await turn).calls).toMatchObject([{ status: 'failed', error: { message: 'no terminal' } }]);
  });

  it('refuses what is no function', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ tool }) =>
      tool(call('approve'), (_call, { ask }) => errorOf(ask('really?' as never))),
    );
    expect(report.calls).toMatchObject([{ value: expect.any(TypeError) }]);
  });

  it('hears of a cancel of its own call, and of no other', async () => {
    const { agent } = stage();
    const answers: Record<string, unknown> = {};
    const ask = async ({ id }: Call, ctx: ToolContext<Call>): Promise<void> => {
      answers[id] = ((await errorOf(ctx.ask(() => undefined))) as Error).name;
    };
    const turn = agent.runTurn(({ tools }) => tools([call('a'), call('b')], ask));
    await tick();
    agent.cancelCall('a', 'not this');
    await tick();
    expect(answers).toEqual({ a: 'AbortError' });
    agent.cancel();
    await turn;
    expect(answers).toEqual({ a: 'AbortError', b: 'AbortError' });
  });

  it('of a call that was started by another is its own call’s', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('outer'), (_call, outer) => {
        const inner = tool(call('inner'), (_inner, { ask }) => ask(() => undefined));
        return Promise.all([inner, outer.ask(() => undefined)]);
      }),
    );
    await tick();
    agent.cancelCall('inner', 'the inner one');
    await tick();
    agent.cancel('the turn');
    const { calls } = await turn;
    expect(calls.map(({ id, status, ...row }) => [id, status, 'reason' in row && row.reason.message])).toEqual([
      ['outer', 'not-started', 'the turn'],
      ['inner', 'not-started', 'the inner one'],
    ]);
  });
});

describe('the limit of a question', () => {
  it.each<[string, (asked: Promise<string>) => Promise<unknown>, object]>([
    [
      'a call that ends with that has not begun',
      async (asked) => asked,
      { status: 'not-started', reason: { kind: 'deadline', message: 'Not answered within 500 ms' } },
    ],
    [
      'a call that goes on without an answer is no different from others',
      async (asked) => asked.catch(() => 'the usual'),
      { status: 'completed', value: 'the usual' },
    ],
  ])('ends it, the turn goes on, a late answer is refused: %s', async (_how, told, row) => {
    const { agent, clock } = stage();
    let respond: Responder<string> | undefined;
    let error: unknown;
    const turn = agent.runTurn(async ({ tool }) => {
      const outcome = await tool(call('approve'), async (_call, { ask }) => {
        const asked = ask<string>((fn) => (respond = fn), { timeoutMs: 500 });
        asked.catch((thrown: unknown) => (error = thrown));
        return told(asked);
      });
      return outcome.status;
    });
    await clock.advance(499);
    expect(await hasSettled(turn)).toBe(false);
    await clock.advance(1);
    const report = await turn;
    expect(report.status).toBe('completed');
    expect(report.calls).toMatchObject([row]);
    expect(error).toMatchObject({ name: 'TimeoutError', limitMs: 500 });
    expect([respond?.('yes'), clock.pending]).toEqual([false, 0]);
  });

  it('leaves no timer when the answer came in time', async () => {
    const { agent, clock } = stage();
    const report = await agent.runTurn(({ tool }) =>
      tool(call('approve'), (_call, { ask }) => ask<string>((respond) => respond('yes'), { timeoutMs: 500 })),
    );
    expect(report.calls).toMatchObject([{ value: 'yes' }]);
    expect(clock.pending).toBe(0);
  });

  it.each<[string, (context: ToolContext) => Promise<unknown>, object]>([
    ['was stopped at its work', obedient, { status: 'stopped', reason: { kind: 'user' } }],
    ['failed by itself', () => Promise.reject(new Error('disk')), { status: 'failed', error: { message: 'disk' } }],
    ['was answered then', ({ ask }) => ask((respond) => respond('yes')), { status: 'completed', value: 'yes' }],
  ])('is no end of a call that goes on without an answer: it %s', async (_what, rest, row) => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('approve'), async (_call, context) => {
        await context.ask(() => undefined, { timeoutMs: 500 }).catch(() => 'the usual');
        return rest(context);
      }),
    );
    await clock.advance(500);
    agent.cancel();
    expect((await turn).calls).toMatchObject([row]);
  });

  it.each([-1, NaN, '5'])('of %o is refused, and nothing is asked', async (timeoutMs) => {
    const { agent } = stage();
    let opened = 0;
    const report = await agent.runTurn(({ tool }) =>
      tool(call('approve'), (_call, { ask }) => ask(() => void (opened += 1), { timeoutMs: timeoutMs as never })),
    );
    expect(report.calls).toMatchObject([
      { status: 'failed', error: { message: expect.stringMatching(/^timeoutMs must/) } },
    ]);
    expect(opened).toBe(0);
  });
});
