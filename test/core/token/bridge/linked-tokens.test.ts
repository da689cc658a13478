import { describe, expect, it, vi } from 'vitest';

import { CancellationToken, CancellationTokenSource, CancelledError, type TokenLike } from '../../../../src/index.ts';
import { all, any, never, tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { isToken } from '../../../../src/core/token/token.ts';
import { rareOf } from '../../../../src/core/token/tree/node.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

function sources(count: number): CancellationTokenSource[] {
  return Array.from({ length: count }, () => new CancellationTokenSource());
}

describe('tokenOf', () => {
  it('tokenOf gives a token back as it is, nothing as none, a signal as its token', () => {
    const { token, signal } = new CancellationTokenSource();
    expect(tokenOf(token)).toBe(token);
    expect(tokenOf(signal)).toBe(token);
    expect([tokenOf(null), tokenOf(undefined)]).toEqual([never, never]);
    const controller = new AbortController();
    expect(tokenOf(controller.signal).signal).toBe(controller.signal);
  });

  it.each([
    [5, '5'],
    ['token', '"token"'],
    [{}, 'an instance of Object'],
    [() => 1, 'a function'],
    [new AbortController(), 'an instance of AbortController'],
    [new CancellationTokenSource(), 'a source: pass source.token'],
    [{ signal: {} }, 'an instance of Object'],
    [true, 'true'],
  ])('tokenOf refuses %o and names it', (value, name) => {
    for (const use of [CancellationToken.from, CancellationToken.any, CancellationToken.all]) {
      expect(() => use(value as never)).toThrow(
        new TypeError(`a token must be a CancellationToken or an AbortSignal, got ${name}`),
      );
    }
  });

  it('tokenOf reaches a token of another layout of the package through its signal', () => {
    const controller = new AbortController();
    const stranger = {
      signal: controller.signal,
      onCancelled: () => ({ unregister: () => true }),
    } as unknown as CancellationToken;
    const child = new CancellationTokenSource({ parent: stranger });
    const heard = vi.fn();
    child.token.onCancelled(heard);
    const reason = new CancelledError('budget');
    controller.abort(reason);
    expect(heard).toHaveBeenCalledExactlyOnceWith(reason.reason);
    expect(child.signal.reason).toBe(reason);
  });
});

describe('any', () => {
  it('CancellationToken.any is cancelled with the earliest, whichever it is', () => {
    for (let i = 0; i < 3; i++) {
      const inputs = sources(3);
      const heard = vi.fn();
      const token = any(inputs.map((one) => one.token));
      token.onCancelled(heard);
      inputs[i]!.cancel('user');
      for (const one of inputs) one.cancel('shutdown');
      expect(heard).toHaveBeenCalledExactlyOnceWith(inputs[i]!.reason);
      expect(token.reason).toBe(inputs[i]!.reason);
    }
  });

  it('CancellationToken.any of cancelled ones is cancelled with the one that was first, not the one named first', () => {
    const [one, two] = sources(2);
    two!.cancel('user');
    one!.cancel('shutdown');
    expect(any([one!.token, two!.token]).reason).toBe(two!.reason);
  });

  it('CancellationToken.any of nothing that can be cancelled is none', () => {
    for (const likes of [[], [null], [undefined, CancellationToken.none], [CancellationToken.any()]]) {
      expect(CancellationToken.any(...likes)).toBe(CancellationToken.none);
    }
  });

  it('CancellationToken.any of one is that one; doubles, nothing and none do not count', () => {
    const { token, signal } = new CancellationTokenSource();
    expect(CancellationToken.any(token)).toBe(token);
    expect(CancellationToken.any(token, null, token, CancellationToken.none, signal)).toBe(token);
  });

  it('CancellationToken.any touches nobody', () => {
    const [one, two] = sources(2);
    const token = any([one!.token, two!.token]);
    token.child().cancel();
    one!.cancel();
    expect([two!.isCancelled, token.isCancelled]).toEqual([false, true]);
  });

  it('CancellationToken.any of links hears in the order of AbortSignal.any: each hangs on the sources themselves', () => {
    const [one, two, three] = sources(3);
    const inner = CancellationToken.any(one!.token, two!.token);
    const outer = CancellationToken.any(inner, three!.token);
    const order: string[] = [];
    outer.onCancelled(() => void order.push('outer'));
    inner.onCancelled(() => void order.push('inner'));
    two!.cancel('user');
    expect(order).toEqual(['outer', 'inner']);
    expect(outer.reason).toBe(two!.reason);
  });

  it('CancellationToken.any of a link with a life of its own follows that life', () => {
    const clock = new VirtualClock();
    const [one, two, three] = sources(3);
    const limited = new CancellationTokenSource({ parent: [one!.token, two!.token], timeoutMs: 5, clock });
    const token = CancellationToken.any(limited.token, three!.token);
    clock.advanceSync(5);
    expect(token.reason).toBe(limited.reason);
    const released = new CancellationTokenSource({ parent: [one!.token, two!.token] });
    const other = CancellationToken.any(released.token, three!.token);
    released.release();
    // A released token is a relay for what is below it.
    one!.cancel();
    expect([other.isCancelled, released.isCancelled]).toEqual([true, false]);
  });

  it('CancellationToken.any mixes tokens and signals', () => {
    const controller = new AbortController();
    const source = new CancellationTokenSource();
    const likes: TokenLike[] = [controller.signal, source.token, source.signal];
    const token = CancellationToken.any(...likes);
    const below = CancellationToken.any(token, new AbortController().signal);
    controller.abort('there');
    expect(token.reason?.message).toBe('there');
    expect(below.reason).toBe(token.reason);
  });

  it('CancellationToken.any has the clock and the handler of what it follows', () => {
    const clock = new VirtualClock({ startAt: 100 });
    const onCallbackError = vi.fn();
    const [one, two] = [0, 0].map(() => new CancellationTokenSource({ clock, onCallbackError }));
    for (const token of [any([one!.token, two!.token]), all([one!.token, two!.token])]) {
      const child = token.child({ timeoutMs: 10 });
      expect(child.token.deadlineAt).toBe(clock.now() + 10);
      expect(child.token.remainingMs()).toBe(10);
      clock.advanceSync(10);
      expect(child.reason?.kind).toBe('deadline');
      token.onCancelled(() => {
        throw new Error('reported');
      });
    }
    one!.cancel();
    two!.cancel();
    expect(onCallbackError.mock.calls).toEqual([[new Error('reported')], [new Error('reported')]]);
  });
});

describe('all', () => {
  it('CancellationToken.all waits for the last, and has its reason', () => {
    const inputs = sources(3);
    const token = CancellationToken.all(...inputs.map((one) => one.token));
    const heard = vi.fn();
    token.onCancelled(heard);
    inputs[2]!.cancel('user');
    inputs[0]!.cancel('budget');
    expect([token.isCancelled, heard.mock.calls.length]).toEqual([false, 0]);
    inputs[1]!.cancel('shutdown');
    expect(token.reason).toBe(inputs[1]!.reason);
    expect(heard).toHaveBeenCalledExactlyOnceWith(inputs[1]!.reason);
  });

  it('CancellationToken.all of cancelled ones is cancelled, by the one that was last', () => {
    const [one, two] = sources(2);
    two!.cancel('user');
    one!.cancel('shutdown');
    expect(CancellationToken.all(one!.token, two!.token).reason).toBe(one!.reason);
    expect(CancellationToken.all(two!.token, one!.token).reason).toBe(one!.reason);
  });

  it('CancellationToken.all of one is that one; doubles count once', () => {
    const { token, signal } = new CancellationTokenSource();
    expect(CancellationToken.all(token)).toBe(token);
    expect(CancellationToken.all(token, signal, token)).toBe(token);
  });

  it('CancellationToken.all with one that nothing cancels is none', () => {
    const { token } = new CancellationTokenSource();
    for (const like of [null, undefined, CancellationToken.none]) {
      expect(CancellationToken.all(token, like)).toBe(CancellationToken.none);
    }
  });

  it('CancellationToken.all of none at all is refused', () => {
    expect(() => CancellationToken.all()).toThrow(TypeError);
    expect(() => CancellationToken.all()).toThrow(/at least one token/);
  });

  it('CancellationToken.all composes with any, both ways', () => {
    const [a, b, c] = sources(3);
    const anyOfAll = CancellationToken.any(CancellationToken.all(a!.token, b!.token), c!.token);
    const allOfAny = CancellationToken.all(CancellationToken.any(a!.token, b!.token), c!.token);
    a!.cancel('user');
    expect([anyOfAll.isCancelled, allOfAny.isCancelled]).toEqual([false, false]);
    c!.cancel('budget');
    expect([anyOfAll.reason, allOfAny.reason]).toEqual([c!.reason, c!.reason]);
    b!.cancel();
    expect([anyOfAll.reason, allOfAny.reason]).toEqual([c!.reason, c!.reason]);
  });
});

/** Counts how often a token of several looks at one of them, or at a foreign signal above them. */
function looksOf(token: CancellationToken): () => number {
  let looks = 0;
  const counted = <T extends object>(list: readonly T[]): readonly T[] =>
    new Proxy(list, {
      get: (target, key, receiver) => {
        looks += Number(typeof key === 'string' && /^\d+$/.test(key));
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
  if (!isToken(token)) throw new TypeError('not of this package');
  const rare = rareOf(token);
  rare.parents = counted(rare.parents);
  rare.hints = counted(rare.hints);
  return () => looks;
}

describe('all of many', () => {
  interface Stoppable {
    readonly like: TokenLike;
    cancel(): void;
    kill(): void;
  }

  const ways: readonly [string, (each: readonly Stoppable[]) => void][] = [
    ['are cancelled one after the other', (each) => each.forEach((one) => one.cancel())],
    ['are cancelled from the last to the first', (each) => each.toReversed().forEach((one) => one.cancel())],
    ['are killed one after the other', (each) => each.forEach((one) => one.kill())],
    [
      'are cancelled, and then killed one after the other',
      (each) => {
        for (const one of each) one.cancel();
        for (const one of each) one.kill();
      },
    ],
  ];
  const tokens = (): Stoppable => {
    const source = new CancellationTokenSource();
    return { like: source.token, cancel: () => source.cancel(), kill: () => source.kill() };
  };
  const signals = (): Stoppable => {
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort();
    };
    return { like: controller.signal, cancel: abort, kill: abort };
  };

  it.each([
    ...ways.map((way) => [...way, tokens] as const),
    ...ways.slice(0, 2).map((way) => [...way, signals] as const),
  ])('CancellationToken.all of many that %s looks at each a fixed number of times', (_what, stop, make) => {
    const looksAt = (count: number): number => {
      const each = Array.from({ length: count }, make);
      const token = CancellationToken.all(...each.map(({ like }) => like));
      const looks = looksOf(token);
      const heard: string[] = [];
      token.onCancelled(() => heard.push('cancelled'));
      token.onKilled(() => heard.push('killed'));
      stop(each);
      expect(heard[0]).toBe('cancelled');
      expect(heard.length).toBe(token.isKilled ? 2 : 1);
      return looks();
    };
    expect(looksAt(800)).toBeLessThan(looksAt(100) * 9);
  });

  it('CancellationToken.all of many looks at each a fixed number of times where somebody asks after every cancel', () => {
    const looksAt = (count: number): number => {
      const each = sources(count);
      const token = CancellationToken.all(...each.map((source) => source.token));
      const looks = looksOf(token);
      const states = each.map((source) => {
        source.cancel();
        return token.isCancelled;
      });
      expect(states.indexOf(true)).toBe(count - 1);
      return looks();
    };
    expect(looksAt(800)).toBeLessThan(looksAt(100) * 9);
  });
});

describe('a token of 130,000 others', () => {
  // More than an engine takes as the arguments of one call.
  const parents = sources(130_000);
  const tokens = parents.map((parent) => parent.token);

  it('a token of 130,000 others is listened to, let go of, limited, cancelled and killed like one of two', () => {
    const token = any(tokens);
    const heard: string[] = [];
    token.onCancelled(() => void heard.push('unregistered')).unregister();
    expect(tokens.every((parent) => tokenOf(parent).extra?.watch === 0)).toBe(true);
    token.onCancelled((reason) => void heard.push(reason.message));
    token.onKilled(() => void heard.push('killed'));
    const last = parents.at(-1)!;
    last.cancelAfter(1_000);
    expect([token.deadlineAt, all(tokens).deadlineAt]).toEqual([last.token.deadlineAt, Infinity]);
    last.cancel('enough');
    last.kill();
    expect(heard).toEqual(['enough', 'killed']);
  });

  it('a token of 130,000 others is cancelled by the last of all', () => {
    for (const parent of parents) parent.cancel();
    expect(all(tokens).reason).toBe(parents.at(-2)!.reason);
  });
});
