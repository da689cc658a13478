import { describe, expect, it } from 'vitest';

import { SessionRegistry } from '../../../src/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { obedient, tick } from './kit.ts';

function session() {
  const clock = new VirtualClock();
  const sessions = new SessionRegistry({ clock });
  return { sessions, session: sessions.open('a'), clock };
}

describe('an execution', () => {
  it('has a token of its own: ending one is nothing to the other', () => {
    const { session: a } = session();
    const [first, second] = [a.startExecution(), a.startExecution()];
    expect([first.id, second.id]).toEqual([1, 2]);
    first.end();
    expect([first.token.isCancelled, second.signal.aborted]).toEqual([false, false]);
  });

  it('is stopped with the session, all with one reason, and the next one is not', async () => {
    const { session: a, sessions } = session();
    const turn = a.controller.runTurn(obedient);
    const running = [a.startExecution(), a.startExecution()];
    void sessions.cancel('a', 'enough');
    const next = a.startExecution();
    expect(running.map(({ token }) => token.reason?.message)).toEqual(['enough', 'enough']);
    expect(next.token.isCancelled).toBe(false);
    const report = await turn;
    expect(report.status === 'cancelled' && report.reason).toBe(running[0]?.token.reason);
    await tick();
    expect(next.token.isCancelled).toBe(false);
  });

  it('that is over is not stopped any more', () => {
    const { session: a, sessions } = session();
    let kept;
    {
      using execution = a.startExecution();
      kept = execution.token;
    }
    void sessions.cancelAll();
    expect(kept.isCancelled).toBe(false);
  });
});

describe('a stop of the session', () => {
  it.each(['cancel', 'cancelAll', 'pause'] as const)('reaches detached work too: %s', async (how) => {
    const { session: a, sessions } = session();
    const background = a.controller.child('bg', { detached: true }).runTurn(obedient);
    const idle = await a.controller.runTurn(() => 'done');
    await (how === 'pause' ? a.pause('enough') : how === 'cancel' ? sessions.cancel('a', 'enough') : sessions.cancelAll('enough')); // prettier-ignore
    expect(await background).toMatchObject({ status: 'cancelled', reason: { message: 'enough' } });
    expect(idle.status).toBe('completed');
    expect((await a.controller.child('bg', { detached: true }).runTurn(() => 'on')).unwrap()).toBe('on');
  });

  it('of one turn leaves it alone', async () => {
    const { session: a, sessions } = session();
    const background = a.controller.child('bg', { detached: true });
    void background.runTurn(obedient);
    const turn = a.controller.runTurn(obedient);
    await sessions.cancel('a', 'this one', { turnId: 1 });
    expect([(await turn).status, background.state]).toEqual(['cancelled', 'running']);
    await sessions.close('a');
  });

  it('while nothing runs stops nothing, and says so', async () => {
    const { session: a } = session();
    expect(await a.pause()).toMatchObject({ reason: undefined, operations: [] });
    const turn = a.controller.runTurn(obedient);
    const report = await a.pause();
    expect([report, await a.pause()]).toEqual([(await turn).stop, report]);
  });
});

describe('pause', () => {
  it('stops what runs and keeps the session', async () => {
    const { session: a } = session();
    const turn = a.controller.runTurn(obedient);
    const report = await a.pause('later');
    expect(report.reason).toMatchObject({ kind: 'user', message: 'later' });
    expect((await turn).status).toBe('cancelled');
    expect((await a.controller.runTurn(() => 'on')).unwrap()).toBe('on');
    expect(a.startExecution().token.isCancelled).toBe(false);
  });
});
