/** S47: what comes too late is not started, and a stop reaches what lives. */
import { describe, expect, it } from 'vitest';

import {
  CancellationTokenSource,
  delay,
  moveOnAfter,
  pollUntil,
  retry,
  runUntilCancelled,
  scope,
  withCancellation,
  type CancellationToken,
  type Clock,
  type InterruptController,
} from '../../../src/index.ts';
import { call, obedient, stage, tick } from './kit.ts';

/** A token with a limit of 50 ms on a clock whose timers never ring, as in a loop that never yields. */
function blocked(): { readonly clock: Clock; readonly token: CancellationToken; readonly pass: () => void } {
  let now = 0;
  const clock = { now: () => now, setTimer: () => ({ release: () => undefined }) };
  const { token } = new CancellationTokenSource({ timeoutMs: 50, clock });
  return { clock, token, pass: () => void (now += 60) };
}

type Starting = (token: CancellationToken, start: () => number, agent: InterruptController) => Promise<unknown>;

/** What starts something for somebody, and what becomes of it under a deadline that has passed unnoticed. */
const starts: Record<string, Starting> = {
  withCancellation: (token, start) => withCancellation(token, start),
  runUntilCancelled: (token, start) => runUntilCancelled(token, start),
  scope: (token, start) => scope(token, start),
  moveOnAfter: (token, start) => moveOnAfter(token, 1_000, start),
  retry: (token, start) => retry(token, start),
  pollUntil: (token, start) => pollUntil(token, start),
  delay: (token, start) => delay(token, 0).then(start),
  'a turn': (token, start, agent) => agent.runTurn(start, { token }),
  'a model call': (token, start, agent) => agent.runTurn(({ model }) => model(start, { token })),
  'a tool call': (token, start, agent) => agent.runTurn(({ tool }) => tool(call('c1'), start, { token })),
};

describe('S47 too late already', () => {
  it.each(Object.entries(starts))(
    'S47 a deadline that passes while the loop is blocked: %s starts nothing',
    async (_name, begin) => {
      const { clock, token, pass } = blocked();
      const { agent } = stage({ clock });
      let started = 0;
      pass();
      await begin(token, () => ++started, agent).catch(() => undefined);
      expect([started, token.reason?.kind]).toEqual([0, 'deadline']);
    },
  );

  it('S47 a deadline that passes while the loop is blocked: no fork, no question, no background work', async () => {
    let started = 0;
    const start = (): number => ++started;
    const asking = blocked();
    const { agent } = stage({ clock: asking.clock, token: asking.token });
    const turn = agent.runTurn(({ tool }) =>
      tool(call('c1'), (_call, { ask }) => {
        asking.pass();
        return ask(start);
      }),
    );
    expect((await turn).calls).toMatchObject([{ status: 'stopped', reason: { kind: 'deadline' } }]);
    const { pass, ...options } = blocked();
    const { background } = stage(options).agent;
    pass();
    expect((await background('job', start).outcome).status).toBe('cancelled');
    const other = blocked();
    const forks = scope(other.token, async ({ fork }) => {
      other.pass();
      await fork(start);
    });
    await expect(forks).rejects.toMatchObject({ reason: { kind: 'deadline' } });
    expect(started).toBe(0);
  });

  it('S47 under a limit of 0 nothing is started: no work, no turn, no call', async () => {
    const { agent, clock } = stage();
    const source = new CancellationTokenSource({ timeoutMs: 0, clock });
    let started = 0;
    const work = (): number => ++started;
    expect(await runUntilCancelled(source.token, work)).toMatchObject({
      status: 'cancelled',
      reason: { kind: 'deadline' },
    });
    expect(await agent.runTurn(work, { token: source.token })).toMatchObject({ reason: { kind: 'deadline' } });
    const report = await agent.runTurn(({ tools }) => tools([call('c1')], work, { timeoutMs: 0 }));
    expect([report.calls.map(({ status }) => status), started]).toEqual([['not-started'], 0]);
  });

  it('S47 a deadline that passes while the loop is blocked: no timer has fired, and nothing is started', async () => {
    let now = 0;
    const clock = { now: () => now, setTimer: () => ({ release: () => undefined }) };
    const { agent } = stage({ clock });
    const source = new CancellationTokenSource({ timeoutMs: 50, clock });
    let started = 0;
    const turn = agent.runTurn(
      ({ tools }) => {
        // What a computation does to the clock: time has passed, and no timer could fire.
        now += 60;
        return tools([call('c1')], () => ++started);
      },
      { token: source.token },
    );
    expect(await turn).toMatchObject({ status: 'cancelled', reason: { kind: 'deadline' } });
    expect([(await turn).calls.map(({ status }) => status), started]).toEqual([['not-started'], 0]);
  });

  it('S47 below a released middle a stop is heard, and what says that it can be cancelled can be', () => {
    const top = new CancellationTokenSource();
    const middle = top.token.child();
    const early = middle.token.child();
    middle.release();
    const late = middle.token.child();
    const heard: string[] = [];
    for (const [name, { token }] of Object.entries({ early, late })) token.onCancelled(() => heard.push(name));
    expect([middle, early, late].map(({ token }) => token.canBeCancelled)).toEqual([false, true, true]);
    top.cancel('enough');
    expect(heard.sort()).toEqual(['early', 'late']);
    expect([middle, early, late].map(({ token }) => token.isCancelled)).toEqual([false, true, true]);
  });

  it('S47 work under the token of a call that has finished hears the stop of its turn', async () => {
    const { agent, clock } = stage();
    let kept: CancellationToken | undefined;
    const turn = agent.runTurn(async ({ tool, token }) => {
      await tool(call('c1'), (_call, context) => {
        kept = context.token;
      });
      await obedient({ token });
    });
    await tick();
    const below = (kept as CancellationToken).child();
    const work = runUntilCancelled(below.token, ({ token }) => delay(token, 3_600_000));
    expect(below.token.canBeCancelled).toBe(true);
    agent.cancel('enough');
    await clock.advance(0);
    expect(await work).toMatchObject({ status: 'cancelled', reason: { message: 'enough' } });
    await turn;
  });

  it('S47 the token of a call that has ended can not be cancelled: who listens to it hears no stop, who stands below it does', async () => {
    const { agent } = stage();
    const heard: string[] = [];
    let kept: CancellationToken | undefined;
    const turn = agent.runTurn(async ({ tool, token }) => {
      await tool(call('c1'), (_call, context) => {
        kept = context.token;
        context.token.onCancelled(() => heard.push('its own listener'));
        context.token.child().token.onCancelled(() => heard.push('a child'));
        void runUntilCancelled(context.token, (own) => delay(own.token, 3_600_000)).then(() => heard.push('a scope'));
      });
      await obedient({ token });
    });
    await tick();
    expect(kept?.canBeCancelled).toBe(false);
    agent.cancel('enough');
    await turn;
    expect([heard.sort(), kept?.isCancelled]).toEqual([['a child', 'a scope'], false]);
  });
});
