import { describe, expect, it } from 'vitest';

import { InterruptController } from '../../../../../src/index.ts';
import { VirtualClock } from '../../../../../src/testing/virtual-clock.ts';
import { deferred } from '../../../../../src/testing/fakes.ts';
import { CancellationTokenSource } from '../../../../../src/index.ts';
import { call } from '../../kit.ts';

function reporting(): { agent: InterruptController; clock: VirtualClock; said: string[] } {
  const clock = new VirtualClock();
  const said: string[] = [];
  const { token } = new CancellationTokenSource({
    clock,
    onCallbackError: (error) => said.push((error as Error).message),
  });
  return { agent: new InterruptController({ name: 'main', token, graceMs: 100 }), clock, said };
}

describe('a turn in line behind a turn that awaits it', () => {
  it('is reported once, when nothing but the body of that has run for ten seconds', async () => {
    const { agent, clock, said } = reporting();
    const inner = deferred<unknown>();
    const outer = agent.runTurn(async ({ tool }) => {
      await tool(call('first'), () => 1);
      return inner.promise;
    });
    await clock.advance(0);
    // Not from the body itself: where the ambient turn is open, that is refused.
    inner.resolve(agent.runTurn(() => 2, { whenBusy: 'queue' }));
    await clock.advance(9_999);
    expect(said).toEqual([]);
    await clock.advance(60_000);
    expect(said).toEqual([
      'turn 2 of "main" waits in line behind turn 1, of which nothing but its body has run for 10000 ms; if that awaits it, neither goes on: start it when that has ended, or send a message',
    ]);
    agent.cancel();
    await clock.advance(100);
    expect((await outer).status).toBe('cancelled');
    expect(clock.pending).toBe(0);
  });

  it('is not reported while something of that runs, or has begun meanwhile', async () => {
    const { agent, clock, said } = reporting();
    const [long, step] = [deferred(), deferred()];
    const outer = agent.runTurn(async ({ tool }) => {
      await tool(call('long'), () => long.promise);
      await step.promise;
      await tool(call('again'), () => 1);
      await clockPassed;
    });
    const waiting = agent.runTurn(() => 2, { whenBusy: 'queue' });
    const clockPassed = new Promise<void>((resolve) => clock.setTimer(resolve, 39_000, { ref: true }));
    await clock.advance(29_000);
    long.resolve();
    await clock.advance(500);
    step.resolve();
    await clock.advance(9_000);
    expect(said).toEqual([]);
    await clock.advance(1_000);
    expect([(await outer).status, (await waiting).status, said, clock.pending]).toEqual([
      'completed',
      'completed',
      [],
      0,
    ]);
  });
});

describe('the clock of a turn in line', () => {
  it('has nothing armed while a tool waits for a person, and runs all there is', async () => {
    const { agent, clock, said } = reporting();
    const press = deferred();
    const first = agent.runTurn(({ tool }) => tool(call('rm'), () => press.promise));
    const second = agent.runTurn(() => 'second', { whenBusy: 'queue' });
    await clock.advance(0);
    expect([await clock.runAll({ limit: 50 }), said]).toEqual([0, []]);
    press.resolve();
    expect([(await first).status, (await second).status, clock.pending]).toEqual(['completed', 'completed', 0]);
  });

  it('comes to its end where nothing runs, and behind more than one turn', async () => {
    const { agent, clock, said } = reporting();
    const ends = [deferred(), deferred()];
    const turns = ends.map(({ promise }) => agent.runTurn(() => promise, { whenBusy: 'queue' }));
    const last = agent.runTurn(() => 'last', { whenBusy: 'queue' });
    await clock.runAll({ limit: 50 });
    ends[0]?.resolve();
    await turns[0];
    await clock.runAll({ limit: 50 });
    expect(said.map((text) => text.slice(0, 54))).toEqual([
      'turn 2 of "main" waits in line behind turn 1, of which',
      'turn 3 of "main" waits in line behind turn 1, of which',
    ]);
    ends[1]?.resolve();
    expect([(await last).status, clock.pending]).toEqual(['completed', 0]);
  });
});

it('a turn that hangs on the running one is refused in its line at once', async () => {
  const { agent } = reporting();
  const report = await agent.runTurn(({ token }) => agent.runTurn(() => 2, { whenBusy: 'queue', token }));
  expect(() => report.unwrap()).toThrow('inside the turn that runs, which may wait for it');
});

it('a refusal for a running turn has a code that a server can check', async () => {
  const { agent } = reporting();
  const end = deferred();
  const running = agent.runTurn(() => end.promise);
  await expect(agent.runTurn(() => 2)).rejects.toMatchObject({ name: 'TypeError', code: 'ERR_AGENT_BUSY' });
  end.resolve();
  await running;
});
