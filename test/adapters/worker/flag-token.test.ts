import { describe, expect, it } from 'vitest';

import { CancelFlag } from '../../../src/adapters/worker/cancel-flag.ts';
import { FlagSignal, FlagToken } from '../../../src/adapters/worker/flag-token.ts';
import { createReason } from '../../../src/core/foundation/reason.ts';
import { shieldOf } from '../../../src/core/token/token.ts';
import { CancellationToken } from '../../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';

function setUp() {
  const flag = new CancelFlag();
  const signal = new FlagSignal(flag);
  return { flag, signal, token: new FlagToken(signal, flag) };
}

const user = createReason('user');

describe('a token over a flag', () => {
  it('is a token: taken as it is, with children and a native signal', () => {
    const { token } = setUp();
    expect(CancellationToken.from(token)).toBe(token);
    expect(token.signal).toBeInstanceOf(AbortSignal);
    expect([token.isCancelled, token.canBeCancelled, token.child().token.isCancelled]).toEqual([false, true, false]);
  });

  it('sees the flag without any event, in every way of asking', () => {
    const { flag, token } = setUp();
    const child = token.child().token;
    const linked = new CancellationTokenSource({ parent: [token, new AbortController().signal] }).token;
    flag.claim('receiver', user);
    expect(token.isCancelled).toBe(true);
    expect(token.reason).toBe(user);
    expect(() => token.throwIfCancelled()).toThrow('User cancelled');
    expect([child.isCancelled, child.reason, linked.isCancelled]).toEqual([true, user, true]);
    let late: unknown;
    token.onCancelled((reason) => (late = reason));
    expect(late).toBe(user);
  });

  it('is seen by a child that asks first', () => {
    const { flag, token } = setUp();
    const child = token.child().token;
    flag.claim('owner', user);
    expect([child.isCancelled, token.isCancelled]).toEqual([true, true]);
  });

  it('looks without luck every 64th time', () => {
    const { flag, signal } = setUp();
    // An engine that has read the flag once and never again.
    const token = new FlagToken(signal, { words: new Int32Array(1) });
    flag.claim('owner', user);
    const seenAt = Array.from({ length: 70 }, () => token.isCancelled).indexOf(true);
    expect(seenAt).toBe(63);
  });

  it('tells who listens once the signal says so, and once', async () => {
    const { flag, signal, token } = setUp();
    const heard: unknown[] = [];
    token.onCancelled((reason) => heard.push(reason));
    const native = token.signal;
    const waiting = token.whenCancelled();
    flag.claim('receiver', user);
    expect(heard).toEqual([]);
    signal.fire();
    signal.fire();
    expect(heard).toEqual([user]);
    expect(native.aborted).toBe(true);
    expect(await waiting).toBe(user);
  });

  it('takes no notice of a signal that fires for nothing', () => {
    const { signal, token } = setUp();
    let heard = 0;
    const registration = token.onCancelled(() => (heard += 1));
    signal.fire();
    expect([heard, token.isCancelled]).toEqual([0, false]);
    registration.unregister();
  });

  it.each([
    ['the token', (token: FlagToken) => token],
    ['a child', (token: FlagToken) => token.child().token],
    ['a link', (token: FlagToken) => CancellationToken.any(token, new AbortController().signal)],
    ['a link of two flags', (token: FlagToken) => CancellationToken.any(setUp().token, token)],
    ['a link with a shield', (token: FlagToken) => CancellationToken.any(shieldOf(token), token)],
  ])('%s tells who was registering when the other thread set the flag, whatever it had seen', (_of, of) => {
    // From the first kill of a program on, whoever is linked looks up for one.
    new CancellationTokenSource().kill();
    let looks = 0;
    for (let setAt = 1; setAt <= 12; setAt++) {
      const { flag, signal, token } = setUp();
      const below = of(token);
      const look = flag.look.bind(flag);
      looks = 0;
      // What another thread does between two instructions of this one.
      flag.look = () => {
        const seen = look();
        if (++looks === setAt) flag.claim('receiver', user);
        return seen;
      };
      const heard: unknown[] = [];
      below.onCancelled((reason) => heard.push(reason));
      flag.look = look;
      flag.claim('receiver', user);
      signal.fire();
      expect(heard, `set after look ${String(setAt)}`).toEqual([user]);
    }
    // Or the flag was set in the middle of nothing.
    expect(looks).toBeGreaterThan(1);
  });
});
