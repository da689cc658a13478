/** Guards of a state freeze what stands in it, to the bottom, and proxies and copies take its place: a stop comes all the same. */
import { describe, expect, it } from 'vitest';

import {
  CancellationToken,
  CancellationTokenSource,
  InterruptController,
  withCancellation,
  type Turn,
} from '../../src/index.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { deepFreeze } from '../support/deep-freeze.ts';
import { call, errorOf, obedient, stage } from './interrupt/kit.ts';

describe('a deeply frozen source', () => {
  it.each(['cancel', 'kill'] as const)('its %s reaches all that hangs on it, and throws nothing', (how) => {
    const source = new CancellationTokenSource();
    const child = source.token.child();
    const below = [child, child.token.child()].map((each) => each.token);
    const heard: string[] = [];
    for (const token of [source.token, ...below]) {
      deepFreeze(token.onCancelled(() => heard.push('cancelled')));
      deepFreeze(token.onKilled(() => heard.push('killed')));
    }
    deepFreeze([source, child, ...below]);
    expect(source[how]('user')).toBe(true);
    expect(below.map(({ reason }) => reason)).toEqual([source.reason, source.reason]);
    expect(heard.filter((what) => what === 'cancelled')).toHaveLength(3);
    expect(heard.filter((what) => what === 'killed')).toHaveLength(how === 'kill' ? 3 : 0);
    expect(source.kill()).toBe(how === 'cancel');
  });

  it('a deeply frozen source keeps its limits, its grace, its signal and its release', () => {
    const clock = new VirtualClock();
    const source = deepFreeze(new CancellationTokenSource({ clock }));
    const child = deepFreeze(source.token.child({ timeoutMs: 5 }));
    const { signal } = child;
    clock.advanceSync(5);
    expect([child.reason?.kind, signal.aborted, source.isCancelled]).toEqual(['deadline', true, false]);
    source.cancelAfter(7);
    source.cancel('user', { graceMs: 3 });
    clock.advanceSync(3);
    expect([source.token.isKilled, child.token.isKilled]).toEqual([true, true]);
    const released = deepFreeze(new CancellationTokenSource());
    released.release();
    expect(released.cancel()).toBe(false);
  });

  it('a deeply frozen registration can be taken back', () => {
    const source = new CancellationTokenSource();
    let heard = 0;
    const [first, second] = [1, 2].map(() => deepFreeze(source.token.onCancelled(() => void heard++)));
    expect(first?.unregister()).toBe(true);
    source.cancel();
    expect([heard, second?.unregister()]).toEqual([1, false]);
  });
});

describe('what was made of a token and is none', () => {
  const { token } = new CancellationTokenSource();
  it.each([
    [
      'a copy with its prototype',
      Object.assign(Object.create(Object.getPrototypeOf(token) as object) as object, token),
    ],
    ['a proxy', new Proxy(token, {})],
    ['what inherits from it', Object.create(token) as CancellationToken],
    ['a copy of its fields', { ...token }],
  ] as [string, CancellationToken][])(
    '%s is refused wherever a token belongs, and is never silently deaf',
    async (_what, like) => {
      const used = [
        () => CancellationToken.from(like),
        () => new CancellationTokenSource({ parent: like }),
        () => new InterruptController({ token: like }),
        () => like.child(),
        () => like.onCancelled(() => undefined),
        () => like.throwIfCancelled(),
      ];
      for (const use of used) expect(use).toThrow(TypeError);
      expect(await errorOf(withCancellation(like, () => 1))).toBeInstanceOf(TypeError);
    },
  );
});

describe('what somebody keeps in the state of a screen', () => {
  it.each([
    ['CancellationToken', new CancellationTokenSource().token],
    ['InterruptController', new InterruptController()],
  ])('a %s is no plain object, so that nobody takes it for one and puts a proxy in its place', (tag, kept) => {
    expect(Object.prototype.toString.call(kept)).toBe(`[object ${tag}]`);
  });
});

describe('a deeply frozen agent', () => {
  it('a deeply frozen agent is stopped, and so is what it was asked for', async () => {
    const { agent } = stage();
    deepFreeze(agent);
    const [first, second] = [deepFreeze(agent.accept()), deepFreeze(agent.accept())];
    const running = agent.runTurn(obedient, { ticket: first });
    const waiting = agent.runTurn(obedient, { ticket: second, whenBusy: 'queue' });
    const receipt = deepFreeze(agent.cancel());
    expect(receipt.accepted).toBe(true);
    expect((await Promise.all([running, waiting])).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(first.cancel().accepted).toBe(false);
  });

  it('a deeply frozen message is delivered, or given back', async () => {
    const { agent } = stage({ undelivered: 'keep' });
    const early = deepFreeze(agent.interject('early', { delivery: 'after-turn' }));
    const report = await agent.runTurn(({ model }) => {
      deepFreeze(agent.interject('now', { delivery: 'after-current-tool' }));
      return model(({ readInterjections }) => readInterjections().map(({ message }) => message));
    });
    expect(report.unwrap()).toMatchObject({ value: ['early', 'now'] });
    expect(await early.settled).toBe('delivered');
    const late = deepFreeze(agent.interject('late'));
    expect([late.withdraw(), await late.settled]).toEqual([true, 'withdrawn']);
  });

  it('a turn and a context refuse to be frozen, and go on', async () => {
    const { agent } = stage();
    const refused = (value: object): void => {
      expect(() => Object.freeze(value)).toThrow(TypeError);
      expect(Object.keys(value)).toContain('token');
    };
    const report = await agent.runTurn(async (turn: Turn) => {
      refused(turn);
      return turn.tool(call('a'), (_call, context) => {
        refused(context);
        deepFreeze(context.token);
        agent.cancel();
        return obedient(context);
      });
    });
    expect(report).toMatchObject({ status: 'cancelled', calls: [{ status: 'stopped' }] });
  });
});
