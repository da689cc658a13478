import { describe, expect, it } from 'vitest';

import { type RunTurnOptions, type Turn, type TurnBudget } from '../../../../src/index.ts';
import { BudgetWatch, requireBudget } from '../../../../src/core/interrupt/turn/budget.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, errorOf, stage, tick } from '../kit.ts';

const statuses = (calls: readonly { readonly id: string; readonly status: string }[]): string[] =>
  calls.map(({ id, status }) => `${id} ${status}`);

/** A loop that would go on for ever: one tool per reply. */
async function loop({ model, tools }: Turn): Promise<void> {
  for (let n = 1; ; n++) {
    await model(({ usage }) => {
      usage({ outputTokens: 40 });
    });
    await tools([call(`c${String(n)}`)], () => 'done');
  }
}

describe('a turn whose budget is used up', () => {
  it.each<[TurnBudget, string, string[]]>([
    [{ modelCalls: 2 }, '2 model calls', ['c1 completed', 'c2 completed']],
    [{ toolCalls: 2 }, '2 tool calls', ['c1 completed', 'c2 completed', 'c3 not-started']],
    [{ outputTokens: 100 }, '100 output tokens', ['c1 completed', 'c2 completed', 'c3 completed']],
    [{ modelCalls: 0 }, '0 model calls', []],
    [{ modelCalls: 9, toolCalls: 1 }, '1 tool calls', ['c1 completed', 'c2 not-started']],
  ])('%o refuses the next start and ends as cancelled', async (budget, what, rows) => {
    const { agent, events } = stage();
    const report = await agent.runTurn(loop, { budget });
    expect(report).toMatchObject({
      status: 'cancelled',
      reason: { kind: 'budget', message: `The budget of ${what} is used up` },
    });
    expect(statuses(report.calls)).toEqual(rows);
    expect(report.stop?.reason).toBe(report.status === 'cancelled' && report.reason);
    expect(events.filter(({ type }) => type === 'turn-ended')).toMatchObject([{ status: 'cancelled', kind: 'budget' }]);
    expect(agent.wasInterrupted).toBe(true);
  });

  it('completes if it needs no more than it may have', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(
      async ({ model, tools }) => {
        await model(({ usage }) => {
          usage({ outputTokens: 10 });
        });
        await tools([call('a'), call('b')], () => 1);
        return 'answer';
      },
      { budget: { modelCalls: 1, toolCalls: 2, outputTokens: 10, wallMs: 0.1 } },
    );
    expect(report.unwrap()).toBe('answer');
  });

  it('counts what starts: two of a batch of three', async () => {
    const { agent } = stage();
    const body = ({ tools }: Turn): Promise<unknown> => tools([call('a'), call('b'), call('c')], () => 1);
    const report = await agent.runTurn(body, { budget: { toolCalls: 2 } });
    expect(statuses(report.calls)).toEqual(['a completed', 'b completed', 'c not-started']);
    expect(report.calls[2]).toMatchObject({ reason: { kind: 'budget' } });
  });

  it('never cuts what runs', async () => {
    const { agent, clock } = stage();
    const written = deferred<string>();
    const signals: AbortSignal[] = [];
    const turn = agent.runTurn(
      async ({ tool, model }) => {
        const writing = tool(call('write'), (_call, { signal }) => (signals.push(signal), written.promise));
        await clock.advance(50);
        await errorOf(model(() => 'too late'));
        return (await writing).status;
      },
      { budget: { wallMs: 50 } },
    );
    await tick();
    expect(agent.interrupted).toBe(false);
    written.resolve('written');
    const report = await turn;
    expect(statuses(report.calls)).toEqual(['write completed']);
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'budget' } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('is cancelled, not failed, by a person who comes between the refusal and its end', async () => {
    const { agent } = stage();
    const running = deferred<string>();
    const turn = agent.runTurn(
      async ({ tool, model }) => {
        void tool(call('running'), () => running.promise);
        await model(() => 'never');
      },
      { budget: { modelCalls: 0 } },
    );
    await tick();
    agent.cancel({ message: 'enough' });
    running.resolve('done');
    const report = await turn;
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user', message: 'enough' } });
    expect(statuses(report.calls)).toEqual(['running completed']);
  });

  it('may wrap up: calls without tools, told that they are the last', async () => {
    const { agent } = stage();
    const wrapUps: boolean[] = [];
    const say = ({ model }: Turn): Promise<unknown> => model(({ isWrapUp }) => void wrapUps.push(isWrapUp));
    const report = await agent.runTurn(
      async (turn) => {
        await say(turn);
        const [first] = await turn.tools([call('a')], () => 1);
        expect(first).toMatchObject({ status: 'completed' });
        await say(turn);
        const [second] = await turn.tools([call('b')], () => 1);
        expect(second).toMatchObject({ status: 'not-started', reason: { kind: 'budget' } });
        return 'where I stand';
      },
      { budget: { modelCalls: 1, wrapUpCalls: 1 } } satisfies RunTurnOptions,
    );
    expect(wrapUps).toEqual([false, true]);
    // It asked for a tool after its last word: that start was refused for good.
    expect(report).toMatchObject({ status: 'cancelled', completed: { value: 'where I stand' } });
  });

  it('completes if the last word was the last', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(
      async ({ model, tools }) => {
        await tools([call('a')], () => 1);
        const [refused] = await tools([call('b')], () => 1);
        expect(refused?.status).toBe('not-started');
        return (await model(() => 'so far')).status;
      },
      { budget: { toolCalls: 1, wrapUpCalls: 1 } },
    );
    expect(report.unwrap()).toBe('completed');
  });

  it.each([
    ['budget', 0],
    ['user', 1],
  ])('is stopped by %s, whichever came first, with %i calls allowed', async (kind, modelCalls) => {
    const { agent } = stage();
    const report = await agent.runTurn(
      async ({ model }) => {
        await model(() => 1).catch(() => undefined);
        agent.cancel({ message: 'me' });
      },
      { budget: { modelCalls } },
    );
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind } });
  });
});

describe('what a call produced', () => {
  it('counts the highest number it told, also if it told several times', () => {
    const watch = new BudgetWatch({ outputTokens: 10 }, new VirtualClock());
    expect(watch.model()).toBe('granted');
    watch.produced(9);
    expect(watch.model()).toBe('granted');
    watch.produced(1);
    expect(watch.model()).toMatchObject({ kind: 'budget' });
    expect(watch.model()).toBe(watch.exhausted);
  });
});

describe('a budget that makes no sense', () => {
  it.each<[unknown, ErrorConstructor, string]>([
    [{ modelCalls: -1 }, RangeError, 'budget.modelCalls must be a number, 0 or more, got -1'],
    [{ modelCalls: 1.5 }, RangeError, 'budget.modelCalls must be a whole number from 0, got 1.5'],
    [{ wrapUpCalls: 0.5 }, RangeError, 'budget.wrapUpCalls must be a whole number'],
    [{ wallMs: NaN }, RangeError, 'got NaN'],
    [{ outputTokens: '9' }, TypeError, 'got "9"'],
    [7, TypeError, 'budget must be an object, got 7'],
    [null, TypeError, 'got null'],
  ])('%o is refused before the turn is accepted', async (budget, type, text) => {
    expect(() => requireBudget(budget as TurnBudget)).toThrow(type);
    const { agent, events } = stage();
    const error = await errorOf(agent.runTurn(() => 1, { budget: budget as TurnBudget }));
    expect(String(error)).toContain(text);
    expect(events).toEqual([]);
  });
});
