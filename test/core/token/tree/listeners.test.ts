import { runInNewContext } from 'node:vm';

import { describe, expect, it, vi } from 'vitest';

import { CancellationToken, CancellationTokenSource, type Registration } from '../../../../src/index.ts';
import { tokenOf } from '../../../../src/core/token/bridge/linked-tokens.ts';
import { listenWith } from '../../../../src/core/token/tree/listeners.ts';

function source(): CancellationTokenSource & { readonly errors: unknown[] } {
  const errors: unknown[] = [];
  return Object.assign(new CancellationTokenSource({ onCallbackError: (error) => void errors.push(error) }), {
    errors,
  });
}

function watchOf(token: CancellationToken): number {
  return tokenOf(token).extra?.watch ?? 0;
}

describe('unregister', () => {
  it('unregister is true while the callback has not run, and then it never does', () => {
    const { token, cancel } = bound();
    const heard = vi.fn();
    const registration = token.onCancelled(heard);
    expect([registration.unregister(), registration.unregister()]).toEqual([true, true]);
    cancel();
    expect(heard).not.toHaveBeenCalled();
    expect(registration.unregister()).toBe(true);
  });

  it('unregister is false once it ran, and while it runs', () => {
    const { token, cancel } = bound();
    const answers: boolean[] = [];
    const registration: Registration = token.onCancelled(() => void answers.push(registration.unregister()));
    cancel();
    answers.push(registration.unregister());
    expect(answers).toEqual([false, false]);
  });

  it('unregister is false for one that ran at once, true for one that never can', () => {
    const late = CancellationToken.alreadyCancelled().onCancelled(() => {});
    expect([late.unregister(), late.unregister()]).toEqual([false, false]);
    expect(CancellationToken.none.onCancelled(() => {}).unregister()).toBe(true);
    expect(CancellationToken.none.onKilled(() => {}).unregister()).toBe(true);
  });

  it('unregister is what `using` does', () => {
    const { token, cancel } = bound();
    const heard = vi.fn();
    {
      using _registration = token.onCancelled(heard);
      using _second = token.onKilled(heard);
    }
    cancel();
    expect(heard).not.toHaveBeenCalled();
    CancellationToken.none.onCancelled(heard)[Symbol.dispose]();
  });

  it.each([0, 1, 2, 3, 4])(
    'unregister of callback %d from inside another keeps it from running, if it has not yet',
    (victim) => {
      for (let culprit = 0; culprit < 5; culprit++) {
        const one = source();
        const ran: number[] = [];
        let answer: boolean | undefined;
        const registrations = [0, 1, 2, 3, 4].map((i) =>
          one.token.onCancelled(() => {
            ran.push(i);
            if (i === culprit) answer = registrations[victim]!.unregister();
          }),
        );
        one.cancel();
        expect(answer).toBe(victim > culprit);
        expect(ran).toEqual([0, 1, 2, 3, 4].filter((i) => i !== victim || victim <= culprit));
        expect(one.errors).toEqual([]);
        expect(watchOf(one.token)).toBe(0);
      }
    },
  );

  function bound(): { token: CancellationToken; cancel: () => boolean } {
    const one = source();
    return { token: one.token, cancel: () => one.cancel('user') };
  }
});

describe('registration order', () => {
  it.each(['onCancelled', 'onKilled'] as const)('%s keeps it, whatever was taken out before', (method) => {
    // All ways to take some of up to five out, in both directions, with three more registered afterwards.
    for (let count = 1; count <= 5; count++) {
      const first = Array.from({ length: count }, (_, i) => i);
      const more = [5, 6, 7];
      for (let mask = 0; mask < 2 ** count; mask++) {
        for (const backwards of [false, true]) {
          const one = source();
          const ran: number[] = [];
          const registrations = first.map((i) => one.token[method](() => void ran.push(i)));
          const out = first.filter((i) => (mask & (1 << i)) !== 0);
          for (const i of backwards ? out.toReversed() : out) expect(registrations[i]!.unregister()).toBe(true);
          for (const i of more) one.token[method](() => void ran.push(i));
          one.kill();
          expect(ran).toEqual([...first, ...more].filter((i) => !out.includes(i)));
          expect(watchOf(one.token)).toBe(0);
        }
      }
    }
  });

  it('registration order survives long use: the list closes its holes and stays in order', () => {
    const one = source();
    const ran: number[] = [];
    const kept: number[] = [];
    let open: [number, Registration][] = [];
    for (let i = 0; i < 2_000; i++) {
      open.push([i, one.token.onCancelled(() => void ran.push(i))]);
      if (i % 100 === 0) kept.push(open.pop()![0]);
      if (open.length > 20) {
        for (const [, registration] of open.slice(0, 15)) registration.unregister();
        open = open.slice(15);
      }
    }
    expect(tokenOf(one.token).extra?.rare?.slots?.length).toBeLessThan(200);
    one.cancel();
    expect(ran).toEqual([...kept, ...open.map(([i]) => i)].sort((a, b) => a - b));
  });
});

describe('a callback', () => {
  it('a callback is given the reason, and nothing else', () => {
    const one = source();
    const heard = vi.fn();
    one.token.onCancelled(heard);
    one.token.onKilled(heard);
    one.kill('shutdown');
    one.token.onCancelled(heard);
    one.token.onKilled(heard);
    expect(heard.mock.calls).toEqual([[one.reason], [one.reason], [one.reason], [one.reason]]);
    expect(heard.mock.calls.every(([reason]) => reason === one.reason)).toBe(true);
  });

  it('a callback registered twice runs twice, each with a handle of its own', () => {
    const one = source();
    const heard = vi.fn();
    one.token.onCancelled(heard);
    const second = one.token.onCancelled(heard);
    one.token.onCancelled(heard);
    second.unregister();
    one.cancel();
    expect(heard).toHaveBeenCalledTimes(2);
  });

  it('a callback registered during the dispatch runs at once, before the rest', () => {
    const one = source();
    const ran: string[] = [];
    one.token.onCancelled(() => {
      ran.push('a');
      expect(one.token.onCancelled(() => void ran.push('inner')).unregister()).toBe(false);
      ran.push('a ends');
    });
    one.token.onCancelled(() => void ran.push('b'));
    one.cancel();
    expect(ran).toEqual(['a', 'inner', 'a ends', 'b']);
  });

  it('a callback for kill, registered by a cancel callback, waits for kill', () => {
    const one = source();
    const ran: string[] = [];
    one.token.onCancelled(() => {
      one.token.onKilled(() => void ran.push('kill'));
      ran.push('cancel');
    });
    one.cancel();
    expect(ran).toEqual(['cancel']);
    one.kill();
    expect(ran).toEqual(['cancel', 'kill']);
    expect(watchOf(one.token)).toBe(0);
  });

  it('a callback can take a context instead of a closure', () => {
    const one = source();
    const heard = vi.fn();
    listenWith(tokenOf(one.token), heard, { my: 'context' });
    listenWith(tokenOf(one.token), heard, undefined);
    one.cancel();
    expect(heard.mock.calls).toEqual([
      [one.reason, { my: 'context' }, one.token],
      [one.reason, undefined, one.token],
    ]);
  });
});

describe('a callback that fails', () => {
  it.each([0, 1, 2, 3])('a callback that fails number %d of four stops nobody', (bad) => {
    for (const method of ['onCancelled', 'onKilled'] as const) {
      const one = source();
      const child = one.token.child();
      const ran: number[] = [];
      for (let i = 0; i < 4; i++) {
        one.token[method](() => {
          ran.push(i);
          if (i === bad) throw new Error(`callback ${i}`);
        });
      }
      child.token[method](() => void ran.push(4));
      expect(one.kill()).toBe(true);
      expect(ran).toEqual([0, 1, 2, 3, 4]);
      expect(one.errors).toEqual([new Error(`callback ${bad}`)]);
    }
  });

  it('a callback that fails reports whatever is thrown, as it is', () => {
    const one = source();
    for (const thrown of [undefined, null, 'text', 0]) {
      one.token.onCancelled(() => {
        throw thrown;
      });
    }
    one.cancel();
    expect(one.errors).toEqual([undefined, null, 'text', 0]);
  });

  it('a callback that fails later, as a promise, is reported and no unhandled rejection', async () => {
    const one = source();
    // Promises where nothing is wanted: what a user may well return.
    const later = (error: unknown) => (): unknown => Promise.resolve().then(() => Promise.reject(error));
    const realm = runInNewContext('(async () => { throw "other realm" })') as () => void;
    one.token.onCancelled(later(new Error('later')));
    one.token.onCancelled(realm);
    one.cancel();
    one.token.onCancelled(later(new Error('at once')));
    expect(one.errors).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(one.errors.map(String).sort()).toEqual(['Error: at once', 'Error: later', 'other realm']);
  });

  it('a callback that fails when it is late throws nothing at the caller', () => {
    const one = source();
    one.kill();
    for (const method of ['onCancelled', 'onKilled'] as const) {
      const registration = one.token[method](() => {
        throw new Error('late');
      });
      expect(registration.unregister()).toBe(false);
    }
    expect(one.errors).toEqual([new Error('late'), new Error('late')]);
  });
});

describe('memory', () => {
  it('a listener that ran, was taken back or was released holds nothing', () => {
    const one = source();
    const other = source();
    const registrations = [
      one.token.onCancelled(() => {}),
      one.token.onCancelled(() => {}),
      other.token.onCancelled(() => {}),
      other.token.onKilled(() => {}),
    ];
    registrations[1]!.unregister();
    one.cancel();
    other.release();
    for (const registration of registrations) {
      const { node, fn, context } = registration as unknown as Record<string, unknown>;
      expect([node, fn, context]).toEqual([undefined, undefined, undefined]);
    }
  });
});
