import { expect, it } from 'vitest';

import { delay, CancellationTokenSource, InterruptController } from '../../../src/index.ts';
import { drainOfAgent, isAgent } from '../../../src/adapters/process-signals/drain-agent.ts';
import { SessionRegistry } from '../../../src/sessions/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

function start(timeoutMs: number) {
  const clock = new VirtualClock();
  const agent = new InterruptController({ clock, name: 'Ada' });
  const hurry = new CancellationTokenSource({ clock });
  const drain = () => drainOfAgent(agent, clock).drain({ timeoutMs, token: hurry.token, willRetry: false });
  return { clock, agent, hurry, drain };
}

it('an agent is told by its functions, and a registry is none', () => {
  expect([isAgent(new InterruptController()), isAgent(new SessionRegistry()), isAgent(undefined)]).toEqual([
    true,
    false,
    false,
  ]);
});

it('an agent that does nothing has finished, and takes no more turns', async () => {
  const { agent, drain } = start(0);
  expect(await drain()).toEqual({ finished: ['Ada'], stopped: [] });
  await expect(agent.runTurn(() => 1)).rejects.toThrow(/closed/);
});

it('a turn is stopped at once, with kind shutdown, and what became of it is in the report', async () => {
  const { agent, drain } = start(0);
  const turn = agent.runTurn(({ tools }) =>
    tools([{ id: 'c1', name: 'shell' }], (_call, { token }) => delay(token, 60_000)),
  );
  const { finished, stopped } = await drain();
  expect(finished).toEqual([]);
  expect(stopped).toMatchObject([
    {
      sessionId: 'Ada',
      report: { reason: { kind: 'shutdown' }, operations: [{ name: 'shell', outcome: 'cancelled' }] },
    },
  ]);
  expect((await turn).status).toBe('cancelled');
});

it('with time, the turn may end, background work is stopped then, and no turn follows', async () => {
  const { agent, clock, drain } = start(1000);
  agent.background('server', ({ token }) => token.whenCancelled());
  const turn = agent.runTurn(({ token }) => delay(token, 500));
  const next = agent.runTurn(() => 'next', { whenBusy: 'queue' });
  const drained = drain();
  await clock.advance(500);
  expect((await turn).status).toBe('completed');
  expect((await next).status).toBe('cancelled');
  expect((await drained).stopped).toMatchObject([{ report: { operations: [{ name: 'server' }] } }]);
});

it('background work of an agent without a turn is stopped at once, however much time there is', async () => {
  const { agent, clock, drain } = start(1000);
  agent.background('server', ({ token }) => token.whenCancelled());
  const drained = drain();
  await clock.advance(0);
  expect((await drained).stopped).toMatchObject([{ report: { operations: [{ name: 'server' }] } }]);
});

it('when its time is over the turn is stopped; a kill ends every grace', async () => {
  const { agent, clock, hurry, drain } = start(1000);
  const turn = agent.runTurn(({ tools }) => tools([{ id: 'c1', name: 'deaf' }], () => new Promise(() => undefined)));
  const drained = drain();
  await clock.advance(1000);
  expect(agent.state).toBe('cancelling');
  hurry.kill({ kind: 'shutdown' });
  await clock.advance(0);
  expect((await drained).stopped).toMatchObject([{ report: { abandoned: ['deaf'] } }]);
  expect((await turn).status).toBe('cancelled');
});

it('an agent whose work was left behind before has not finished', async () => {
  const { agent, clock, drain } = start(1000);
  const deaf = (): Promise<never> => new Promise(() => undefined);
  const turn = agent.runTurn(({ tool }) => tool({ id: 'c1', name: 'deaf' }, deaf, { timeoutMs: 10, graceMs: 10 }));
  await clock.advance(50);
  await turn;
  expect(await drain()).toMatchObject({
    finished: [],
    stopped: [{ sessionId: 'Ada', report: { abandoned: ['deaf'] } }],
  });
});

it('a kill while the turn may still end ends the waiting', async () => {
  const { agent, clock, hurry, drain } = start(60_000);
  const turn = agent.runTurn(({ token }) => token.whenCancelled());
  const drained = drain();
  hurry.kill({ kind: 'shutdown' });
  await clock.advance(0);
  expect((await drained).stopped).toHaveLength(1);
  expect((await turn).status).toBe('cancelled');
});
