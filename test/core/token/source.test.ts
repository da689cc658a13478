import { inspect } from 'node:util';

import { describe, expect, it, vi } from 'vitest';

import { CancellationToken, CancellationTokenSource } from '../../../src/index.ts';
import { createReason, isCancelReason } from '../../../src/core/foundation/reason.ts';
import { tokenOf } from '../../../src/core/token/bridge/linked-tokens.ts';
import { Source } from '../../../src/core/token/source.ts';
import { childOf, shieldOf } from '../../../src/core/token/token.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** How somebody may look on while things happen; nothing of it may change what is true in the end. */
const onlookers: Readonly<Record<string, (token: CancellationToken) => void>> = {
  'nobody looking': () => {},
  'callbacks on both': (token) => void token.onCancelled(() => {}),
  'kill callbacks on both': (token) => void token.onKilled(() => {}),
  'signals on both': (token) => void token.signal,
};

interface Scene {
  readonly clock: VirtualClock;
  readonly parent: CancellationTokenSource;
  readonly child: CancellationTokenSource;
}

/** What a token reads, in one word: kind, the scope that was cancelled, and an exclamation mark for kill. */
function read(token: CancellationToken): string {
  const { reason } = token;
  expect(token.isCancelled).toBe(reason !== undefined);
  return reason === undefined ? 'live' : `${reason.kind}@${String(reason.source)}${token.isKilled ? '!' : ''}`;
}

const steps = {
  'parent.cancel': ({ parent }) => parent.cancel('user'),
  'child.cancel': ({ child }) => child.cancel('user'),
  'parent.kill': ({ parent }) => parent.kill('shutdown'),
  'child.kill': ({ child }) => child.kill('shutdown'),
  'parent.release': ({ parent }) => parent.release(),
  'child.release': ({ child }) => child.release(),
  'child.disarm': ({ child }) => child.cancelAfter(Infinity),
  'child.cancelAfter(5)': ({ child }) => child.cancelAfter(5, 'budget'),
  'parent.cancel(grace 10)': ({ parent }) => parent.cancel('user', { graceMs: 10 }),
  'child.cancel(grace 10)': ({ child }) => child.cancel('user', { graceMs: 10 }),
  'wait 5': ({ clock }) => clock.advanceSync(5),
  'wait 10': ({ clock }) => clock.advanceSync(10),
  'wait 100': ({ clock }) => clock.advanceSync(100),
} as const satisfies Record<string, (scene: Scene) => unknown>;

type Step = keyof typeof steps;

/** Who wins: limits of parent and child in ms, what happens in which order, what each reads in the end. */
const causes: readonly (readonly [parentMs: number, childMs: number, happens: readonly Step[], string, string])[] = [
  [Infinity, Infinity, ['wait 100'], 'live', 'live'],
  // One cancel, and both in each order.
  [Infinity, Infinity, ['parent.cancel'], 'user@p', 'user@p'],
  [Infinity, Infinity, ['child.cancel'], 'live', 'user@c'],
  [Infinity, Infinity, ['parent.cancel', 'child.cancel'], 'user@p', 'user@p'],
  [Infinity, Infinity, ['child.cancel', 'parent.cancel'], 'user@p', 'user@c'],
  // One limit, and both in each order.
  [10, Infinity, ['wait 5'], 'live', 'live'],
  [10, Infinity, ['wait 10'], 'deadline@p', 'deadline@p'],
  [Infinity, 10, ['wait 10'], 'live', 'deadline@c'],
  [5, 10, ['wait 100'], 'deadline@p', 'deadline@p'],
  [10, 5, ['wait 5'], 'live', 'deadline@c'],
  [10, 5, ['wait 100'], 'deadline@p', 'deadline@c'],
  [10, 10, ['wait 10'], 'deadline@p', 'deadline@p'],
  [0, 0, ['wait 5'], 'deadline@p', 'deadline@p'],
  // A cancel and a limit in each order.
  [10, Infinity, ['parent.cancel', 'wait 10'], 'user@p', 'user@p'],
  [10, Infinity, ['wait 10', 'parent.cancel'], 'deadline@p', 'deadline@p'],
  [10, Infinity, ['child.cancel', 'wait 10'], 'deadline@p', 'user@c'],
  [10, Infinity, ['wait 10', 'child.cancel'], 'deadline@p', 'deadline@p'],
  [Infinity, 10, ['parent.cancel', 'wait 10'], 'user@p', 'user@p'],
  [Infinity, 10, ['wait 10', 'parent.cancel'], 'user@p', 'deadline@c'],
  [Infinity, 10, ['child.cancel', 'wait 10'], 'live', 'user@c'],
  [Infinity, 10, ['wait 10', 'child.cancel'], 'live', 'deadline@c'],
  [5, 10, ['child.cancel', 'parent.cancel', 'wait 100'], 'user@p', 'user@c'],
  // Limits that are moved or taken back.
  [Infinity, 10, ['child.disarm', 'wait 100'], 'live', 'live'],
  [10, 5, ['child.disarm', 'wait 100'], 'deadline@p', 'deadline@p'],
  [Infinity, 100, ['child.cancelAfter(5)', 'wait 5'], 'live', 'budget@c'],
  [Infinity, Infinity, ['wait 100', 'child.cancelAfter(5)', 'wait 10'], 'live', 'budget@c'],
  // The second rung.
  [Infinity, Infinity, ['parent.kill'], 'shutdown@p!', 'shutdown@p!'],
  [Infinity, Infinity, ['child.kill'], 'live', 'shutdown@c!'],
  [Infinity, Infinity, ['parent.cancel', 'parent.kill'], 'user@p!', 'user@p!'],
  [Infinity, Infinity, ['parent.cancel', 'child.kill'], 'user@p', 'user@p!'],
  [Infinity, Infinity, ['child.cancel', 'parent.kill'], 'shutdown@p!', 'user@c!'],
  [Infinity, Infinity, ['parent.kill', 'child.kill'], 'shutdown@p!', 'shutdown@p!'],
  [10, 5, ['parent.kill', 'wait 100'], 'shutdown@p!', 'shutdown@p!'],
  // Grace.
  [Infinity, Infinity, ['parent.cancel(grace 10)', 'wait 5'], 'user@p', 'user@p'],
  [Infinity, Infinity, ['parent.cancel(grace 10)', 'wait 10'], 'user@p!', 'user@p!'],
  [Infinity, Infinity, ['child.cancel(grace 10)', 'wait 10'], 'live', 'user@c!'],
  [Infinity, Infinity, ['parent.cancel', 'child.cancel(grace 10)', 'wait 10'], 'user@p', 'user@p!'],
  [Infinity, Infinity, ['child.cancel', 'parent.cancel(grace 10)', 'wait 10'], 'user@p!', 'user@c!'],
  [Infinity, Infinity, ['parent.cancel(grace 10)', 'parent.release', 'wait 10'], 'user@p', 'user@p'],
  // Release freezes, whatever comes later, and cancels nothing.
  [Infinity, Infinity, ['child.release', 'parent.cancel'], 'user@p', 'live'],
  [Infinity, Infinity, ['child.release', 'child.cancel', 'child.kill'], 'live', 'live'],
  [Infinity, 10, ['child.release', 'wait 100'], 'live', 'live'],
  [Infinity, Infinity, ['child.release', 'child.cancelAfter(5)', 'wait 100'], 'live', 'live'],
  [Infinity, Infinity, ['parent.cancel', 'child.release'], 'user@p', 'user@p'],
  [Infinity, Infinity, ['parent.cancel', 'child.release', 'parent.kill'], 'user@p!', 'user@p'],
  [Infinity, Infinity, ['child.cancel', 'child.release', 'parent.kill'], 'shutdown@p!', 'user@c'],
  [Infinity, Infinity, ['parent.kill', 'child.release'], 'shutdown@p!', 'shutdown@p!'],
  [10, Infinity, ['parent.release', 'parent.cancel', 'wait 100'], 'live', 'live'],
  [Infinity, Infinity, ['parent.release', 'child.cancel'], 'live', 'user@c'],
  [Infinity, Infinity, ['parent.cancel', 'parent.release', 'child.kill'], 'user@p', 'user@p!'],
];

describe.each(Object.keys(onlookers))('who wins, with %s', (onlooker) => {
  it.each(causes)(
    'limits %d and %d, %j: parent %s, child %s',
    (parentMs, childMs, happens, parentReads, childReads) => {
      const clock = new VirtualClock();
      const parent = new CancellationTokenSource({ name: 'p', timeoutMs: parentMs, clock });
      const child = parent.token.child({ name: 'c', timeoutMs: childMs });
      const scene: Scene = { clock, parent, child };
      for (const token of [parent.token, child.token]) onlookers[onlooker]!(token);
      for (const step of happens) steps[step](scene);
      expect({ parent: read(parent.token), child: read(child.token) }).toEqual({
        parent: parentReads,
        child: childReads,
      });
      // I2: the same reason is the same object.
      if (parent.reason?.source === child.reason?.source) expect(child.reason).toBe(parent.reason);
      expect(child.isCancelled).toBe(child.token.isCancelled);
      expect(parent.reason).toBe(parent.token.reason);
      // A signal says what its token says, also one asked for only now.
      for (const { token, signal } of [parent, child]) {
        expect(signal).toBe(token.signal);
        expect(signal.aborted).toBe(token.isCancelled);
        if (signal.aborted) expect((signal.reason as { reason: unknown }).reason).toBe(token.reason);
      }
    },
  );
});

describe('cancel', () => {
  it('cancel says whether it won', () => {
    const parent = new CancellationTokenSource();
    const child = parent.token.child();
    expect(parent.cancel()).toBe(true);
    expect(parent.cancel()).toBe(false);
    expect(child.cancel()).toBe(false);
    const released = new CancellationTokenSource();
    released.release();
    expect(released.cancel()).toBe(false);
    expect(new CancellationTokenSource({ parent: CancellationToken.alreadyCancelled() }).cancel()).toBe(false);
  });

  it.each([
    ['nothing', undefined, { kind: 'unknown', message: 'Cancelled' }],
    ['a kind', 'user', { kind: 'user', message: 'User cancelled' }],
    ['a message', 'tests went red', { kind: 'unknown', message: 'tests went red' }],
    ['an init', { kind: 'budget', by: 'ada', cause: 5 }, { kind: 'budget', by: 'ada', cause: 5 }],
    ['a scope of its own', { source: 'elsewhere', at: 3 }, { source: 'elsewhere', at: 3 }],
  ] as const)('cancel takes %s for a reason', (_title, init, expected) => {
    const clock = new VirtualClock({ startAt: 77 });
    const source = new CancellationTokenSource({ name: 'turn', clock });
    source.cancel(init);
    expect(isCancelReason(source.reason)).toBe(true);
    expect(source.reason).toMatchObject({ source: 'turn', at: 77, ...expected });
  });

  it('cancel keeps a finished reason, the same object', () => {
    const reason = createReason('lease-lost');
    const source = new CancellationTokenSource();
    source.cancel(reason);
    expect(source.reason).toBe(reason);
  });

  it.each<[string, unknown, unknown, typeof Error]>([
    ['a reason that is a number', 5, undefined, TypeError],
    ['a grace that is a string', 'user', { graceMs: '5' }, TypeError],
    ['a grace of NaN', 'user', { graceMs: NaN }, RangeError],
    ['a negative grace', 'user', { graceMs: -1 }, RangeError],
    ['a reason with a message that is none', { message: 5 }, undefined, TypeError],
  ])('cancel stops all the same for %s, and reports the misuse', (_title, reason, options, type) => {
    for (const how of ['cancel', 'kill'] as const) {
      const onCallbackError = vi.fn();
      const source = new CancellationTokenSource({ onCallbackError });
      expect(source[how](reason as string, options as object)).toBe(true);
      expect([source.isCancelled, source.token.isKilled]).toEqual([true, how === 'kill']);
      if (how === 'kill' && options !== undefined) continue;
      expect(onCallbackError.mock.calls).toEqual([[expect.any(type)]]);
    }
  });

  it('cancel arms kill with its grace, which an earlier grace hurries and a later one cannot delay', () => {
    for (const [first, second, killedAt] of [
      [10, 5, 5],
      [5, 10, 5],
      [0, 10, 0],
      [10, Infinity, 10],
      [Infinity, 10, 10],
    ] as const) {
      const clock = new VirtualClock();
      const source = new CancellationTokenSource({ clock });
      let at: number | undefined;
      source.token.onKilled(() => (at = clock.now()));
      source.cancel('user', { graceMs: first });
      source.cancel('shutdown', { graceMs: second });
      clock.advanceSync(100);
      expect(at).toBe(killedAt);
      expect(source.reason?.kind).toBe('user');
      expect(clock.pending).toBe(0);
    }
  });

  it('cancel forgets its grace on kill and on release', () => {
    for (const end of ['kill', 'release'] as const) {
      const clock = new VirtualClock();
      const source = new CancellationTokenSource({ clock });
      source.cancel('user', { graceMs: 10 });
      source[end]();
      expect(clock.pending).toBe(0);
      source.cancel('user', { graceMs: 10 });
      expect(clock.pending).toBe(0);
    }
  });

  it('cancel arms no kill where a callback has killed or released already', () => {
    for (const end of ['kill', 'release'] as const) {
      const clock = new VirtualClock();
      const source = new CancellationTokenSource({ clock });
      source.token.onCancelled(() => void source[end]());
      source.cancel('user', { graceMs: 10 });
      expect(clock.pending).toBe(0);
      expect(source.token.isKilled).toBe(end === 'kill');
    }
  });
});

describe('kill', () => {
  it('kill implies cancel, says whether it was the first, and keeps the first reason', () => {
    const source = new CancellationTokenSource();
    expect(source.kill('shutdown')).toBe(true);
    expect(source.kill('user')).toBe(false);
    expect(source.cancel('user')).toBe(false);
    expect(read(source.token)).toBe('shutdown@undefined!');
    const parent = new CancellationTokenSource();
    const child = parent.token.child();
    parent.cancel('user');
    expect(child.kill('shutdown')).toBe(true);
    expect(child.reason).toBe(parent.reason);
    expect(parent.token.isKilled).toBe(false);
    expect(parent.kill()).toBe(true);
    expect(parent.token.child().kill()).toBe(false);
  });
});

describe('release', () => {
  it('release is also what disposing does, and is not cancel', () => {
    const source = new CancellationTokenSource();
    const heard = vi.fn();
    source.token.onCancelled(heard);
    source[Symbol.dispose]();
    source.release();
    expect(source.cancel()).toBe(false);
    expect(heard).not.toHaveBeenCalled();
    expect(source.token.canBeCancelled).toBe(false);
  });

  it('release tells a listener’s handle that it will not run', () => {
    const source = new CancellationTokenSource();
    const registrations = [source.token.onCancelled(() => {}), source.token.onKilled(() => {})];
    source.release();
    for (const registration of registrations) expect(registration.unregister()).toBe(true);
    expect(source.token.onCancelled(() => {}).unregister()).toBe(true);
  });

  it('release leaves a promise pending and a signal alone', async () => {
    const parent = new CancellationTokenSource();
    const child = parent.token.child();
    let resolved = false;
    void child.token.whenCancelled().then(() => (resolved = true));
    const { signal } = child;
    child.release();
    parent.cancel();
    await Promise.resolve();
    expect([resolved, signal.aborted, child.isCancelled]).toEqual([false, false, false]);
    expect(child.token.signal).toBe(signal);
  });

  it('release freezes a child of a foreign signal, observed or not', () => {
    for (const observe of [() => {}, (token: CancellationToken) => void token.onCancelled(() => {})]) {
      const controller = new AbortController();
      const child = new CancellationTokenSource({ parent: controller.signal });
      observe(child.token);
      child.release();
      controller.abort();
      expect(child.isCancelled).toBe(false);
      expect(child.token.reason).toBeUndefined();
    }
    const controller = new AbortController();
    const child = new CancellationTokenSource({ parent: controller.signal });
    controller.abort('stop');
    child.release();
    expect(child.reason?.message).toBe('stop');
  });

  it('release is transparent: what hangs below hears from above as before, and the token itself says what it said', () => {
    const root = new CancellationTokenSource();
    const middle = root.token.child();
    const before = middle.token.child();
    const heard: string[] = [];
    const { signal } = middle;
    middle.token.onCancelled(() => heard.push('middle'));
    before.token.onCancelled(() => heard.push('before'));
    root.token.child().token.onCancelled(() => heard.push('sibling'));
    middle.release();
    const after = middle.token.child();
    after.token.onCancelled(() => heard.push('after'));
    expect([middle.token.canBeCancelled, before.token.canBeCancelled, after.token.canBeCancelled]).toEqual([
      false,
      true,
      true,
    ]);
    root.cancel('user');
    expect([middle.isCancelled, middle.reason, signal.aborted]).toEqual([false, undefined, false]);
    expect([before.reason, after.reason]).toEqual([root.reason, root.reason]);
    expect(heard).toEqual(['before', 'sibling', 'after']);
    expect(middle.cancel()).toBe(false);
    expect(middle.token.onCancelled(() => heard.push('late')).unregister()).toBe(true);
    root.kill();
    expect([before.token.isKilled, after.token.isKilled, middle.token.isKilled]).toEqual([true, true, false]);
  });

  it('release takes its own limit along, not those above', () => {
    const clock = new VirtualClock();
    const root = new CancellationTokenSource({ clock, timeoutMs: 100 });
    const middle = root.token.child({ timeoutMs: 10 });
    const below = middle.token.child();
    expect(below.token.remainingMs()).toBe(10);
    middle.release();
    expect([middle.token.remainingMs(), below.token.remainingMs()]).toEqual([Infinity, 100]);
    clock.advanceSync(50);
    expect(below.isCancelled).toBe(false);
    clock.advanceSync(50);
    expect([below.reason, middle.isCancelled]).toEqual([root.reason, false]);
  });

  it('release lets a kill through also if it was cancelled before', () => {
    const root = new CancellationTokenSource();
    const middle = root.token.child();
    const below = middle.token.child();
    const heard = vi.fn();
    below.token.onKilled(heard);
    middle.cancel('user');
    middle.release();
    root.kill();
    expect([heard.mock.calls.length, below.token.isKilled, middle.token.isKilled]).toEqual([1, true, false]);
  });

  it.each([false, true])('release does not let a chain of released tokens grow, listened to: %s', (isListenedTo) => {
    const root = new CancellationTokenSource();
    let current = root.token.child();
    for (let i = 0; i < 10_000; i++) {
      const next = current.token.child();
      if (isListenedTo) next.token.onCancelled(() => undefined);
      current.release();
      current = next;
    }
    let depth = 0;
    for (let node = tokenOf(current.token).parent; node !== undefined; node = node.parent) depth++;
    expect(depth).toBeLessThanOrEqual(3);
    root.cancel('user');
    expect(current.reason).toBe(root.reason);
  });
});

describe('dropGuard', () => {
  it('dropGuard cancels when it is disposed, once', () => {
    const source = new CancellationTokenSource();
    const heard = vi.fn();
    source.token.onCancelled(heard);
    {
      using guard = source.dropGuard();
      expect(guard.token).toBe(source.token);
      expect(source.isCancelled).toBe(false);
    }
    expect(source.reason?.kind).toBe('unknown');
    expect(heard).toHaveBeenCalledTimes(1);
  });

  it('dropGuard does nothing once disarmed, disposed before, cancelled before or released', () => {
    const source = new CancellationTokenSource();
    const guard = source.dropGuard();
    guard.disarm();
    guard[Symbol.dispose]();
    expect(source.isCancelled).toBe(false);
    const second = source.dropGuard();
    source.cancel('user');
    second[Symbol.dispose]();
    second[Symbol.dispose]();
    expect(source.reason?.kind).toBe('user');
    const released = new CancellationTokenSource();
    const third = released.dropGuard();
    released.release();
    third[Symbol.dispose]();
    expect(released.isCancelled).toBe(false);
  });
});

describe('a token', () => {
  it('a token throws the one error of its cancel, the same for all it reached', () => {
    const source = new CancellationTokenSource();
    const child = source.token.child();
    expect(() => source.token.throwIfCancelled()).not.toThrow();
    source.cancel('user');
    const caught = [source.token, child.token, source.token.child().token].map((token) => {
      try {
        token.throwIfCancelled();
        return undefined;
      } catch (error) {
        return error;
      }
    });
    expect(caught[0]).toMatchObject({ name: 'AbortError', reason: source.reason });
    expect(caught).toEqual([caught[0], caught[0], caught[0]]);
    expect(new Set([...caught, source.signal.reason, child.signal.reason]).size).toBe(1);
  });

  it('a token promises the reason, one promise per token, and never rejects', async () => {
    const source = new CancellationTokenSource();
    const promise = source.token.whenCancelled();
    expect(source.token.whenCancelled()).toBe(promise);
    const child = source.token.child().token.whenCancelled();
    source.cancel('user');
    expect(await promise).toBe(source.reason);
    expect(await child).toBe(source.reason);
    expect(await source.token.whenCancelled()).toBe(source.reason);
    expect(await CancellationToken.alreadyCancelled('user').whenCancelled()).toMatchObject({ kind: 'user' });
  });

  it.each(['onCancelled', 'onKilled'] as const)('%s takes functions only', (method) => {
    for (const value of [undefined, null, {}, 'fn']) {
      expect(() => new CancellationTokenSource().token[method](value as never)).toThrow(TypeError);
      expect(() => CancellationToken.none[method](value as never)).toThrow(TypeError);
    }
  });

  it('a token can be inspected: name, state, reason', () => {
    const source = new CancellationTokenSource({ name: 'main "turn"' });
    expect(inspect(source.token)).toBe('CancellationToken "main \\"turn\\"" { live }');
    source.cancel({ kind: 'user', cause: 'hunter2' });
    expect(inspect(source.token)).toBe('CancellationToken "main \\"turn\\"" { cancelled: user, User cancelled }');
    source.kill();
    expect(inspect(source.token)).toBe('CancellationToken "main \\"turn\\"" { killed: user, User cancelled }');
    expect(inspect(CancellationToken.none)).toBe('CancellationToken { live }');
  });

  it('a token can be serialised by a logger: name, state, reason', () => {
    const source = new CancellationTokenSource({ name: 'turn' });
    expect(JSON.parse(JSON.stringify(source.token))).toEqual({ name: 'turn', isCancelled: false });
    source.cancel({ kind: 'user', by: 'ada', at: 5 });
    const reason = { kind: 'user', message: 'User cancelled', at: 5, source: 'turn', by: 'ada' };
    expect(JSON.parse(JSON.stringify(source.token))).toEqual({ name: 'turn', isCancelled: true, reason });
    expect(JSON.parse(JSON.stringify(CancellationToken.none))).toEqual({ isCancelled: false });
  });

  it('a token can be serialised by a logger, and tells no cause', () => {
    const source = new CancellationTokenSource();
    const child = source.token.child();
    child.token.onKilled(() => {});
    source.cancel({ kind: 'user', cause: { password: 'hunter2' } });
    expect(JSON.stringify({ token: child.token, source })).not.toContain('hunter2');
  });
});

describe('what the other rooms make', () => {
  it('what the other rooms make childOf and shieldOf are tokens below their parent, a Source can cancel them', () => {
    const parent = new CancellationTokenSource();
    const source = new Source(childOf(tokenOf(parent.token)));
    expect(source).toBeInstanceOf(CancellationTokenSource);
    expect(source.cancel('user')).toBe(true);
    expect(parent.isCancelled).toBe(false);
    const shield = new Source(shieldOf(tokenOf(parent.token)), { name: 'clean-up' });
    parent.cancel();
    expect(shield.isCancelled).toBe(false);
    expect(shield.cancel()).toBe(true);
  });
});
