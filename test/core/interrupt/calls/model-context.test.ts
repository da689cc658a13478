import { describe, expect, it } from 'vitest';

import type { ModelContext } from '../../../../src/index.ts';
import { stage, obedient, tick } from '../kit.ts';

describe('the context of a model call', () => {
  it('can be taken apart, and keeps what it is given; each piece is progress', async () => {
    const { agent, clock } = stage();
    let given: ModelContext<string> | undefined;
    const turn = agent.runTurn(({ model }) =>
      model(
        (ctx) => {
          given = ctx;
          return obedient(ctx);
        },
        { idleMs: 100 },
      ),
    );
    await tick();
    const { partial, progress, isWrapUp, continuation } = given as ModelContext<string>;
    await clock.advance(90);
    partial('half');
    await clock.advance(90);
    progress();
    await clock.advance(90);
    expect([agent.state, agent.interrupted, isWrapUp, continuation]).toEqual(['running', false, false, undefined]);
    agent.cancel();
    expect((await turn).partials).toMatchObject([{ modelCall: 1, value: 'half' }]);
  });

  it('counts output once, whatever is told again', async () => {
    const { agent } = stage();
    const seen: unknown[] = [];
    const report = await agent.runTurn(
      async ({ model }) => {
        await model(({ usage }) => {
          for (const outputTokens of [5, 5, 8, 2, undefined]) usage({ outputTokens });
        });
        seen.push('8 of 9 are used');
        await model(({ usage }) => {
          usage({ outputTokens: 1 });
        });
        seen.push('9 of 9 are used');
        await model(() => seen.push('one too many'));
      },
      { budget: { outputTokens: 9 } },
    );
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'budget' } });
    expect(seen).toEqual(['8 of 9 are used', '9 of 9 are used']);
  });

  it.each([
    [-1, RangeError],
    [NaN, RangeError],
    [Infinity, RangeError],
    ['many', TypeError],
    ['9', TypeError],
  ])('refuses a count of %o', async (outputTokens, type) => {
    const { agent } = stage();
    const report = await agent.runTurn(({ model }) =>
      model(({ usage }) => {
        usage({ outputTokens: outputTokens as never });
      }),
    );
    expect(report).toMatchObject({ status: 'failed', error: expect.any(type) });
  });
});

describe('the messages that a model call reads', () => {
  it('is what waits for it, and delivered by its return', async () => {
    const { agent, said } = stage();
    const statuses: string[] = [];
    const report = await agent.runTurn(async ({ model }) => {
      const messages = [agent.interject('one'), agent.interject('two')];
      const reply = await model(({ readInterjections }) => {
        statuses.push(...messages.map(({ status }) => status));
        return readInterjections().map(({ message }) => message);
      });
      statuses.push(...messages.map(({ status }) => status));
      const next = await model(({ readInterjections }) => readInterjections().length);
      return [reply, next];
    });
    expect(statuses).toEqual(['queued', 'queued', 'delivered', 'delivered']);
    expect(report.unwrap()).toMatchObject([
      { status: 'completed', value: ['one', 'two'], delivered: [{ message: 'one' }, { message: 'two' }] },
      { status: 'completed', value: 0, delivered: [] },
    ]);
    expect(said().filter((each) => each === 'main:interjection-delivered')).toHaveLength(2);
    expect(report.undelivered).toEqual([]);
  });

  it('is the same list each time it is read, without what came since', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ model }) => {
      agent.interject('one');
      return model((ctx) => {
        const first = ctx.readInterjections();
        expect(first).toHaveLength(1);
        agent.interject('two');
        return [first === ctx.readInterjections(), ctx.readInterjections().length];
      });
    });
    expect(report.unwrap()).toMatchObject({ value: [true, 1] });
    expect(report.undelivered).toMatchObject([{ message: 'two', status: 'undelivered' }]);
  });

  it('that nobody read waits for the next call', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ model }) => {
      agent.interject('one');
      const first = await model(() => 'did not look');
      const second = await model(({ readInterjections }) => readInterjections().length);
      return [first.delivered.length, second.delivered.length];
    });
    expect(report.unwrap()).toEqual([0, 1]);
  });

  it('waits again after the call failed', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(async ({ model }) => {
      const message = agent.interject('one');
      await model(({ readInterjections }) =>
        Promise.reject(new Error(`429 after ${String(readInterjections().length)}`)),
      ).catch(() => undefined);
      const between = message.status;
      const reply = await model(({ readInterjections }) => readInterjections().map(({ message: text }) => text));
      return [between, reply];
    });
    expect(report.unwrap()).toMatchObject(['queued', { value: ['one'], delivered: [{ message: 'one' }] }]);
  });

  it('comes back undelivered when the call that had read it was stopped', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ model }) => {
      agent.interject('one');
      return model(async (ctx) => {
        void ctx.readInterjections();
        await obedient(ctx);
      });
    });
    await tick();
    agent.cancel();
    expect((await turn).undelivered).toMatchObject([{ message: 'one', status: 'undelivered' }]);
  });

  it('leaves a message for the next prompt out', async () => {
    const { agent } = stage();
    const report = await agent.runTurn(({ model }) => {
      agent.interject('later', { delivery: 'after-turn' });
      return model(({ readInterjections }) => readInterjections().length);
    });
    expect(report.unwrap()).toMatchObject({ value: 0, delivered: [] });
    expect(report.undelivered).toMatchObject([{ message: 'later' }]);
  });
});
