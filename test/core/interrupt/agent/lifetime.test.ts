import { describe, expect, it } from 'vitest';

import { CancellationTokenSource } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { call, obedient, stage } from '../kit.ts';

describe('one life after another', () => {
  it('a life that was ended stays ended; the next one is another token', () => {
    const { agent } = stage();
    const first = agent.lifetime;
    agent.cancelAll('one');
    const second = agent.lifetime;
    agent.cancelAll('two');
    expect([first.reason?.message, second.reason?.message, agent.lifetime.isCancelled]).toEqual(['one', 'two', false]);
    expect(new Set([first, second, agent.lifetime]).size).toBe(3);
  });

  it('is the same token for as long as it lasts', async () => {
    const { agent } = stage();
    const token = agent.lifetime;
    const report = await agent.runTurn(() => agent.lifetime === token);
    expect([report.unwrap(), agent.lifetime === token]).toEqual([true, true]);
  });

  it('does not begin again below a token that is cancelled for good', async () => {
    const session = new CancellationTokenSource();
    const { agent } = stage({ token: session.token });
    session.cancel('over');
    agent.cancelAll('x');
    expect(agent.lifetime.reason).toBe(session.token.reason);
    expect((await agent.runTurn(() => 1)).status).toBe('cancelled');
  });

  it('of a sub-agent ends with the life of its parent, and begins again with it', async () => {
    const { agent } = stage();
    const child = agent.child('sub', { detached: true });
    const first = child.lifetime;
    agent.cancelAll('everything');
    expect(first.reason?.message).toBe('everything');
    expect(child.lifetime.isCancelled).toBe(false);
    agent.cancelAll('again');
    expect((await child.runTurn(() => 1)).status).toBe('completed');
  });

  it('of a sub-agent on a call ends with the call', async () => {
    const { agent } = stage();
    const end = deferred();
    const turn = agent.runTurn(({ tool }) =>
      tool(call('plan'), async (_call, { subagent }) => {
        const token = subagent('sub').lifetime;
        await end.promise;
        return token.isCancelled;
      }),
    );
    agent.cancelCall('plan', 'only this');
    end.resolve();
    expect((await turn).calls).toMatchObject([{ value: true }]);
  });

  it('is over for good when the agent is closed', async () => {
    const { agent } = stage();
    const child = agent.child('sub', { detached: true });
    const turn = agent.runTurn(obedient);
    await agent.close();
    expect([(await turn).status, agent.lifetime.isCancelled, child.lifetime.isCancelled]).toEqual([
      'cancelled',
      true,
      true,
    ]);
    agent.cancelAll('x');
    expect(agent.lifetime.reason?.kind).toBe('shutdown');
  });
});
