import { describe, expect, it } from 'vitest';

import { CancellationToken, CancellationTokenSource } from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { canBeCancelled, canChange, deadlineOf } from '../../../../src/core/token/tree/ancestors.ts';
import { Source } from '../../../../src/core/token/source.ts';
import { shieldOf, type Token } from '../../../../src/core/token/token.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

function at(deadlineAt: number, clock: VirtualClock, parent?: CancellationToken): CancellationTokenSource {
  return new CancellationTokenSource({ deadlineAt, clock, parent });
}

describe('deadlineAt', () => {
  it('deadlineAt is the earliest of the chain', () => {
    const clock = new VirtualClock({ startAt: 10 });
    const root = at(100, clock);
    const [sooner, later] = [root.token.child({ timeoutMs: 50 }), root.token.child({ deadlineAt: 200 })];
    expect(root.token.child().token.child().token.deadlineAt).toBe(100);
    expect(sooner.token.deadlineAt).toBe(60);
    expect(later.token.deadlineAt).toBe(100);
    expect(later.token.remainingMs()).toBe(90);
    clock.advanceSync(30);
    expect(later.token.child().token.remainingMs()).toBe(60);
    root.cancelAfter(Infinity);
    expect(later.token.deadlineAt).toBe(200);
    expect([root.token.deadlineAt, root.token.remainingMs()]).toEqual([Infinity, Infinity]);
  });

  it('deadlineAt of any is the earliest, of all the latest, of a shield its own', () => {
    const clock = new VirtualClock();
    const [one, two, none] = [at(100, clock), at(200, clock), at(Infinity, clock)];
    expect(CancellationToken.any(one.token, two.token, none.token).deadlineAt).toBe(100);
    expect(CancellationToken.all(one.token, two.token).deadlineAt).toBe(200);
    expect(CancellationToken.all(one.token, none.token).deadlineAt).toBe(Infinity);
    expect(new CancellationTokenSource({ parent: [one.token, two.token], timeoutMs: 50, clock }).token.deadlineAt).toBe(
      50,
    );
    expect(CancellationToken.any(two.token, CancellationToken.all(one.token, one.token.child().token)).deadlineAt).toBe(
      100,
    );
    const shield = new Source(shieldOf(tokenOf(one.token)));
    expect(shield.token.deadlineAt).toBe(Infinity);
    expect(shield.token.child({ timeoutMs: 300 }).token.deadlineAt).toBe(300);
    expect(CancellationToken.any(shield.token, two.token).deadlineAt).toBe(200);
    expect(CancellationToken.any(shield.token.child().token, none.token).deadlineAt).toBe(Infinity);
    shield.cancelAfter(70);
    expect(shield.token.deadlineAt).toBe(70);
  });

  it('deadlineAt of none, a foreign signal and a released child is never', () => {
    const child = at(100, new VirtualClock()).token.child({ timeoutMs: 5 });
    child.release();
    for (const token of [CancellationToken.none, CancellationToken.from(new AbortController().signal), child.token]) {
      expect([token.deadlineAt, token.remainingMs()]).toEqual([Infinity, Infinity]);
    }
  });

  it('deadlineAt is still told after it has passed, and remains 0', () => {
    const clock = new VirtualClock();
    const source = at(100, clock);
    clock.advanceSync(150);
    expect([source.token.deadlineAt, source.token.remainingMs()]).toEqual([100, 0]);
  });

  it('deadlineAt does not double its work at each level of a lattice', () => {
    const clock = new VirtualClock();
    let token = at(100, clock).token;
    for (let i = 0; i < 24; i++) token = CancellationToken.any(token.child().token, token.child().token);
    const before = performance.now();
    expect(deadlineOf(tokenOf(token))).toBe(100);
    expect(performance.now() - before).toBeLessThan(500);
  });
});

describe('canBeCancelled', () => {
  it.each<[string, boolean, () => CancellationToken]>([
    ['none', false, () => CancellationToken.none],
    ['a source', true, () => new CancellationTokenSource().token],
    ['a child of none', true, () => CancellationToken.none.child().token],
    ['a cancelled source', true, () => cancelled().token],
    ['a cancelled source that was released', false, () => released(cancelled())],
    ['a live source that was released', false, () => released(new CancellationTokenSource())],
    ['an already cancelled token', true, () => CancellationToken.alreadyCancelled()],
    ['a foreign signal', true, () => CancellationToken.from(new AbortController().signal)],
    ['an aborted signal', true, () => CancellationToken.from(AbortSignal.abort())],
    ['a timeout', true, () => CancellationToken.timeout(1e9)],
    ['an endless timeout', false, () => CancellationToken.timeout(Infinity)],
    ['any of two', true, () => CancellationToken.any(live(), live())],
    [
      'any of a live and a frozen one',
      true,
      () => CancellationToken.any(live(), released(new CancellationTokenSource())),
    ],
    [
      'any of two frozen ones',
      false,
      () => CancellationToken.any(released(new CancellationTokenSource()), released(new CancellationTokenSource())),
    ],
    ['all of two', true, () => CancellationToken.all(live(), live())],
    [
      'all of a live and a frozen one',
      false,
      () => CancellationToken.all(live(), released(new CancellationTokenSource())),
    ],
    ['all of a live and a cancelled one', true, () => CancellationToken.all(live(), cancelled().token)],
  ])('canBeCancelled of %s is %o', (_title, expected, make) => {
    const token = make();
    expect(token.canBeCancelled).toBe(expected);
    expect(canBeCancelled(tokenOf(token))).toBe(expected);
  });

  function live(): CancellationToken {
    return new CancellationTokenSource().token;
  }
  function cancelled(): CancellationTokenSource {
    const source = new CancellationTokenSource();
    source.cancel();
    return source;
  }
  function released(source: CancellationTokenSource): CancellationToken {
    source.release();
    return source.token;
  }
});

describe('canChange', () => {
  it('canChange is over with kill and release', () => {
    const make = (): { source: CancellationTokenSource; node: Token } => {
      const source = new CancellationTokenSource();
      return { source, node: tokenOf(source.token) };
    };
    const [one, two] = [make(), make()];
    expect(canChange(one.node)).toBe(true);
    one.source.cancel();
    expect(canChange(one.node)).toBe(true);
    one.source.kill();
    two.source.release();
    expect([canChange(one.node), canChange(two.node), canChange(tokenOf(CancellationToken.none))]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
