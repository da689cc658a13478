import { beforeAll, describe, expect, it, vi } from 'vitest';

import { isCancelledError } from '../../../src/core/foundation/errors.ts';
import { CancellationToken, CancellationTokenSource } from '../../../src/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

describe('none', () => {
  it('CancellationToken.none is what nothing ever cancels', async () => {
    const { none } = CancellationToken;
    expect([none.isCancelled, none.isKilled, none.canBeCancelled]).toEqual([false, false, false]);
    expect([none.reason, none.name, none.deadlineAt, none.remainingMs()]).toEqual([
      undefined,
      undefined,
      Infinity,
      Infinity,
    ]);
    expect(() => none.throwIfCancelled()).not.toThrow();
    const settled = vi.fn();
    void none.whenCancelled().then(settled);
    await Promise.resolve();
    expect(settled).not.toHaveBeenCalled();
  });

  it('CancellationToken.none has children that can be cancelled', () => {
    const child = CancellationToken.none.child();
    const heard = vi.fn();
    child.token.onCancelled(heard);
    expect(child.cancel('user')).toBe(true);
    expect(heard).toHaveBeenCalledTimes(1);
    expect(CancellationToken.none.isCancelled).toBe(false);
  });
});

describe('alreadyCancelled', () => {
  it('alreadyCancelled is cancelled from the start', () => {
    const token = CancellationToken.alreadyCancelled({ kind: 'user', by: 'ada' });
    expect(token.reason).toMatchObject({ kind: 'user', by: 'ada' });
    expect([token.isCancelled, token.isKilled, token.canBeCancelled]).toEqual([true, false, true]);
    expect(token.signal.aborted).toBe(true);
    expect(isCancelledError(token.signal.reason)).toBe(true);
    const heard = vi.fn();
    token.onCancelled(heard);
    token.onKilled(heard);
    expect(heard).toHaveBeenCalledExactlyOnceWith(token.reason);
    expect(token.child().reason).toBe(token.reason);
    expect(token.child().kill()).toBe(true);
    expect(token.isKilled).toBe(false);
    expect(CancellationToken.alreadyCancelled().reason?.kind).toBe('unknown');
    expect(CancellationToken.alreadyCancelled()).not.toBe(CancellationToken.alreadyCancelled());
    expect(() => CancellationToken.alreadyCancelled(5 as never)).toThrow(TypeError);
  });
});

describe('timeout', () => {
  it('CancellationToken.timeout is cancelled with kind deadline, and keeps no process alive', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const token = CancellationToken.timeout(50);
    const heard = vi.fn();
    token.onCancelled(heard);
    vi.advanceTimersByTime(49);
    expect(token.isCancelled).toBe(false);
    expect(token.remainingMs()).toBeCloseTo(1);
    vi.advanceTimersByTime(2);
    expect(token.reason?.kind).toBe('deadline');
    expect(heard).toHaveBeenCalledTimes(1);
    vi.useRealTimers();
  });

  it('CancellationToken.timeout of Infinity is none; of what is no time is refused', () => {
    expect(CancellationToken.timeout(Infinity)).toBe(CancellationToken.none);
    expect(() => CancellationToken.timeout(NaN)).toThrow(RangeError);
    expect(() => CancellationToken.timeout(-1)).toThrow(RangeError);
    expect(() => CancellationToken.timeout('5' as never)).toThrow(TypeError);
  });
});

describe('the statics', () => {
  it('the statics can be taken apart and not be changed', () => {
    const { from, any, all, timeout, alreadyCancelled, none } = CancellationToken;
    expect(from(none)).toBe(none);
    expect(any(none, all(none, alreadyCancelled()))).toBe(none);
    expect(timeout(Infinity)).toBe(none);
    expect(Object.isFrozen(CancellationToken)).toBe(true);
  });
});

describe('new CancellationTokenSource', () => {
  it('new CancellationTokenSource without a parent is a root', () => {
    for (const parent of [undefined, null, [], CancellationToken.none]) {
      const source = new CancellationTokenSource({ parent });
      expect(source.isCancelled).toBe(false);
      expect(source.cancel('user')).toBe(true);
    }
  });

  it('new CancellationTokenSource follows one parent, or the earliest of several, tokens and signals mixed', () => {
    const [one, two] = [new CancellationTokenSource(), new AbortController()];
    const single = new CancellationTokenSource({ parent: two.signal });
    const several = new CancellationTokenSource({
      parent: [one.token, two.signal, one.signal, CancellationToken.none],
    });
    const doubled = new CancellationTokenSource({ parent: [one.token, one.signal, one.token] });
    const heard = vi.fn();
    for (const source of [single, several, doubled]) source.token.onCancelled(heard);
    two.abort('there');
    one.cancel('user');
    expect([single, several].map((source) => source.reason?.message)).toEqual(['there', 'there']);
    expect(doubled.reason).toBe(one.reason);
    expect(heard).toHaveBeenCalledTimes(3);
    expect(several.cancel()).toBe(false);
  });

  it('new CancellationTokenSource of several parents can be cancelled and limited by itself', () => {
    const clock = new VirtualClock();
    const [one, two] = [new CancellationTokenSource({ clock }), new CancellationTokenSource({ clock })];
    const source = new CancellationTokenSource({ name: 'joined', parent: [one.token, two.token], timeoutMs: 10 });
    clock.advanceSync(10);
    expect(source.reason).toMatchObject({ kind: 'deadline', source: 'joined' });
    expect([one.isCancelled, two.isCancelled]).toEqual([false, false]);
  });

  it('new CancellationTokenSource has cancelled parents: the earliest cancel counts', () => {
    const [one, two] = [new CancellationTokenSource(), new CancellationTokenSource()];
    two.cancel('user');
    one.cancel('shutdown');
    const source = new CancellationTokenSource({ parent: [one.token, two.token] });
    expect([source.reason, source.cancel()]).toEqual([two.reason, false]);
    expect(new CancellationTokenSource({ parent: one.token }).reason).toBe(one.reason);
  });

  it('new CancellationTokenSource knows its instances, those of child() too', () => {
    const source = new CancellationTokenSource();
    expect(source).toBeInstanceOf(CancellationTokenSource);
    expect(source.token.child()).toBeInstanceOf(CancellationTokenSource);
    expect(source.token).not.toBeInstanceOf(CancellationTokenSource);
    expect(null).not.toBeInstanceOf(CancellationTokenSource);
  });
});

describe('another copy of the package in the process', () => {
  let copy: typeof import('../../../src/index.ts');
  beforeAll(async () => {
    vi.resetModules();
    copy = await import('../../../src/index.ts');
    expect(copy.CancellationTokenSource).not.toBe(CancellationTokenSource);
  });

  it('another copy of the package in the process knows our tokens, signals and none', () => {
    const source = new CancellationTokenSource();
    expect(copy.CancellationToken.from(source.token)).toBe(source.token);
    expect(copy.CancellationToken.from(source.signal)).toBe(source.token);
    expect(copy.CancellationToken.any(CancellationToken.none, null)).toBe(copy.CancellationToken.none);
    expect(copy.CancellationToken.all(CancellationToken.none, source.token).canBeCancelled).toBe(false);
  });

  it('another copy of the package in the process hears our cancel and our kill through any mixture of links', () => {
    const ours = new CancellationTokenSource();
    const theirs = new copy.CancellationTokenSource({ parent: ours.token });
    const back = new CancellationTokenSource({ parent: [theirs.token, new CancellationTokenSource().token] });
    const linked = copy.CancellationToken.any(back.token, new CancellationTokenSource().token);
    const order: string[] = [];
    linked.onKilled(() => void order.push('linked!'));
    linked.onCancelled(() => void order.push('linked'));
    theirs.token.onCancelled(() => void order.push('theirs'));
    back.token.onCancelled(() => void order.push('back'));
    expect(linked.isCancelled).toBe(false);
    ours.cancel('user');
    expect(order).toEqual(['linked', 'theirs', 'back'].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
    expect(new Set([ours.reason, theirs.reason, back.reason, linked.reason]).size).toBe(1);
    expect(linked.signal.reason).toBe(ours.signal.reason);
    ours.kill();
    expect(order.at(-1)).toBe('linked!');
    expect(theirs.token.isKilled).toBe(true);
  });

  it('another copy of the package in the process gives a callback the reason and nothing else', () => {
    const ours = new CancellationTokenSource();
    const heard = vi.fn();
    copy.CancellationToken.from(ours.token).child().token.onCancelled(heard);
    new copy.CancellationTokenSource({ parent: ours.token }).token.onKilled(heard);
    ours.kill();
    expect(heard.mock.calls).toEqual([[ours.reason], [ours.reason]]);
  });

  it.each(['cancel', 'kill', 'release'] as const)(
    'another copy of the package in the process has limits and graces that survive our %s',
    (act) => {
      const clock = new VirtualClock();
      const errors: unknown[] = [];
      const ours = new CancellationTokenSource({ clock, onCallbackError: (error) => void errors.push(error) });
      const limits = [
        ours.token.child({ timeoutMs: 30 }),
        new copy.CancellationTokenSource({ parent: ours.token, timeoutMs: 20 }),
      ];
      const outside = new CancellationTokenSource({ clock, timeoutMs: 10 });
      const theirOutside = new copy.CancellationTokenSource({ clock, timeoutMs: 10 });
      const heard = vi.fn();
      for (const limit of limits) limit.token.onCancelled(heard);
      expect(() => ours[act]()).not.toThrow();
      expect(heard).toHaveBeenCalledTimes(act === 'release' ? 0 : 2);
      clock.advanceSync(100);
      expect([outside.reason?.kind, theirOutside.reason?.kind]).toEqual(['deadline', 'deadline']);
      expect(heard).toHaveBeenCalledTimes(2);
      expect(errors).toEqual([]);
    },
  );

  it('another copy of the package in the process has limits on the system’s clock that survive our cancel', () => {
    const ours = new CancellationTokenSource();
    const theirs = new copy.CancellationTokenSource({ parent: ours.token, timeoutMs: 60_000 });
    const heard = vi.fn();
    theirs.token.onCancelled(heard);
    expect(() => ours.cancel('user')).not.toThrow();
    expect(heard).toHaveBeenCalledTimes(1);
    const other = new copy.CancellationTokenSource();
    const mine = new CancellationTokenSource({ parent: other.token, timeoutMs: 60_000 });
    mine.token.onKilled(heard);
    expect(() => other.kill()).not.toThrow();
    expect(heard).toHaveBeenCalledTimes(2);
  });
});
