import { describe, expect, it } from 'vitest';

import { isCancelledError } from '../../../../src/core/foundation/errors.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, deaf, obedient, stage, tick } from '../kit.ts';

describe('the body of a turn', () => {
  it('is given up at the end of its grace, named, and heard of when it ends', async () => {
    const { agent, clock, events } = stage({ graceMs: 100 });
    const end = deferred<string>();
    const turn = agent.runTurn(() => end.promise);
    const { settled } = agent.cancel();
    await clock.advance(100);
    expect((await settled).operations).toMatchObject([{ kind: 'turn', outcome: 'abandoned' }]);
    expect((await turn).status).toBe('cancelled');
    end.resolve('after all');
    await tick();
    expect(events.at(-1)).toMatchObject({ type: 'late-settled', status: 'completed' });
  });

  it('waits for the graces of its calls before it is given up', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const turn = agent.runTurn(async ({ tool }) => {
      await tool(call('c1', 'slow'), deaf, { graceMs: 1_000 });
      return 'returned';
    });
    agent.cancel();
    await clock.advance(1_000);
    const report = await turn;
    expect([report.stop?.abandoned, report.calls[0]?.status]).toEqual([['slow'], 'unknown']);
    expect(report).toMatchObject({ status: 'cancelled', completed: { value: 'returned' } });
  });

  it('waits for them also where a call may be sent to the background, and so does the call above', async () => {
    const { agent, clock } = stage({ graceMs: 100 });
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, context) => {
        await context.subagent('child').runTurn((below) => {
          void below.tool(call('deaf'), deaf, { canDetach: true });
        });
      }),
    );
    agent.cancel();
    await clock.advance(100);
    expect((await turn).stop?.abandoned).toEqual(['deaf']);
  });

  it('is not given up while a start that was refused is being answered', async () => {
    const { agent, clock } = stage({ graceMs: 0 });
    const turn = agent.runTurn(async ({ token, model }) => {
      await token.whenCancelled();
      const refusals = [];
      for (let n = 0; n < 3; n++)
        refusals.push(isCancelledError(await model(() => 1).catch((error: unknown) => error)));
      return refusals;
    });
    agent.cancel();
    await clock.advance(10);
    expect(await turn).toMatchObject({ status: 'cancelled', completed: { value: [true, true, true] } });
  });

  it('is given up in the end when it does nothing but ask again', async () => {
    const { agent, clock } = stage({ graceMs: 0 });
    const turn = agent.runTurn(async ({ token, model }) => {
      await token.whenCancelled();
      for (;;) await model(() => 1).catch(() => undefined);
    });
    const { settled } = agent.cancel();
    await clock.advance(1_000);
    expect((await settled).operations).toContainEqual(expect.objectContaining({ kind: 'turn', outcome: 'abandoned' }));
    await turn;
  });

  it('holds no grace once it has ended', async () => {
    const { agent, clock } = stage();
    const turn = agent.runTurn(({ token }) => {
      token.onCancelled(() => undefined);
      return 1;
    });
    await turn;
    agent.kill();
    expect(clock.pending).toBe(0);
    const next = agent.runTurn(obedient);
    agent.cancel();
    await next;
    expect(clock.pending).toBe(0);
  });
});
