import { describe, expect, it } from 'vitest';

import { CancellationTokenSource, type CancellationToken } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, stage } from '../kit.ts';

/** A turn whose one tool is deaf to its cancel, ended; what the tool heard, and its late end. */
async function leave({ agent, clock }: Pick<ReturnType<typeof stage>, 'agent' | 'clock'>, before: string[] = []) {
  const heard: string[] = [];
  let finish = (): void => undefined;
  const work = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let token: CancellationToken | undefined;
  const running = agent.runTurn((turn) => {
    return turn.tool(call('c1'), (_call, context) => {
      ({ token } = context);
      context.token.onKilled(({ kind }) => heard.push(kind));
      return work;
    });
  });
  agent.cancel('user');
  await clock.advance(10_000);
  const report = await running;
  expect(report.stop?.abandoned).toEqual(['c1', ...before]);
  return { heard, finish, token: token as CancellationToken, report };
}

describe('what a turn left behind', () => {
  it('is reached by a kill that comes when the turn is over, once', async () => {
    const { agent, clock, events } = stage();
    const { heard, token, report } = await leave({ agent, clock });
    const receipt = agent.kill({ kind: 'shutdown' });
    expect(receipt).toMatchObject({ accepted: true, turnId: undefined });
    expect(await receipt.settled).toBe(report.stop);
    expect([heard, token.isKilled, agent.state]).toEqual([['user'], true, 'idle']);
    const kills = () => events.filter((event) => event.type === 'interrupt-requested' && event.kind === 'kill').length;
    expect(kills()).toBe(1);
    expect(agent.kill()).toMatchObject({ accepted: false });
    expect([heard.length, kills()]).toEqual([1, 1]);
  });

  it('and by one that is meant for the next turn as well', async () => {
    const { agent, clock } = stage();
    const { heard } = await leave({ agent, clock });
    const next = agent.runTurn(({ token }) => token.whenCancelled());
    expect(agent.kill()).toMatchObject({ accepted: true, turnId: 2 });
    await next;
    expect(heard).toHaveLength(1);
  });

  it('but not by a cancel: that it was told already', async () => {
    const { agent, clock } = stage();
    const { heard } = await leave({ agent, clock });
    expect(agent.cancel()).toMatchObject({ accepted: false });
    expect(heard).toEqual([]);
  });

  it('is reached by the kill of the session too', async () => {
    const session = new CancellationTokenSource();
    const { agent, clock } = stage({ token: session.token });
    const { heard } = await leave({ agent, clock });
    session.kill();
    expect(heard).toHaveLength(1);
    expect(agent.kill()).toMatchObject({ accepted: false });
  });

  it.each([true, false])(
    'is let go of when another turn leaves something, if it has ended by then: %s',
    async (ends) => {
      const { agent, clock } = stage();
      const first = await leave({ agent, clock });
      if (ends) {
        first.finish();
        await clock.advance(0);
      }
      const second = await leave({ agent, clock }, ends ? [] : ['c1']);
      expect(agent.kill()).toMatchObject({ accepted: true });
      expect([first.token.isKilled, second.token.isKilled]).toEqual([!ends, true]);
    },
  );
});

it('a body that waits for a commit is not given up in a kill: only the commit is named, once its grace is over', async () => {
  const { agent, clock, events } = stage({ graceMs: 100 });
  const end = deferred();
  const sub = agent.child('explorer');
  const below = sub.runTurn(({ tool }) => tool(call('c1'), (_call, { commit }) => commit(() => end.promise)));
  const turn = agent.runTurn(({ token }) => token.whenCancelled());
  await clock.advance(0);
  agent.kill();
  await turn;
  await clock.advance(100);
  expect(await below).toMatchObject({ calls: [{ status: 'unknown' }], stop: { abandoned: ['c1'] } });
  expect(events.filter(({ type, agent: name }) => type === 'body-ended' && name === 'explorer')).toEqual([]);
  const next = agent.runTurn(({ token }) => token.whenCancelled());
  agent.cancel();
  expect((await next).stop?.abandoned).toEqual(['c1']);
  end.resolve();
});

it('what ended in time is not kept', async () => {
  const { agent } = stage();
  let token: CancellationToken | undefined;
  const running = agent.runTurn((turn) => {
    token = turn.token;
    return turn.token.whenCancelled();
  });
  agent.cancel();
  await running;
  expect(agent.kill()).toMatchObject({ accepted: false });
  expect(token?.isKilled).toBe(false);
});
