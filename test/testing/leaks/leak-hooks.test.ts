import { describe, expect, it } from 'vitest';

import { CancellationTokenSource } from '../../../src/index.ts';
import { leakHooks, type LeakHookOptions } from '../../../src/testing/leaks/leak-hooks.ts';

/** A runner of one test: what the hook after it threw, if it threw. */
async function around(test: () => unknown, options: LeakHookOptions = {}): Promise<string | undefined> {
  let begin = (): void => undefined;
  let end = (): Promise<void> => Promise.resolve();
  leakHooks({ before: (fn) => (begin = fn), after: (fn) => (end = fn) }, { settleMs: 0, ...options });
  begin();
  await test();
  return end().then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
}

describe('leakHooks', () => {
  it('leakHooks lets a test pass that left nothing', async () => {
    expect(await around(() => undefined)).toBeUndefined();
  });

  it('leakHooks names what is left, and how often', async () => {
    const held: AbortController[] = [];
    const message = await around(() => {
      held.push(new AbortController());
      for (const _ of [1, 2]) held[0]?.signal.addEventListener('abort', () => undefined);
    });
    expect(message).toBe('left behind: 2 × abort listener');
    held[0]?.abort();
  });

  it('leakHooks counts what hangs on a token that outlives the test', async () => {
    const session = new CancellationTokenSource({ name: 'session' });
    const earlier = session.token.onCancelled(() => undefined);
    const tokens = [session.token];
    const message = await around(
      () => {
        session.token.onCancelled(() => undefined);
        session.token.child().token.onCancelled(() => undefined);
      },
      { tokens },
    );
    expect(message).toBe('left behind: 2 × attached to session');
    earlier.unregister();
  });

  it('leakHooks says that the collector is needed, where it is not there', async () => {
    const { gc } = globalThis;
    (globalThis as { gc?: unknown }).gc = undefined;
    try {
      const made: AbortController[] = [];
      const message = await around(() => {
        made.push(new AbortController());
        made[0]?.signal.addEventListener('abort', () => undefined);
      });
      expect(message).toBe(
        'left behind: 1 × abort listener; run Node with --expose-gc for exact counts of abort listeners',
      );
      made[0]?.abort();
    } finally {
      (globalThis as { gc?: unknown }).gc = gc;
    }
  });

  it('leakHooks leaves out what is no leak here', async () => {
    const held: AbortController[] = [];
    const left = await around(
      () => {
        held.push(new AbortController());
        held[0]?.signal.addEventListener('abort', () => undefined);
      },
      { ignore: ['abort listener'] },
    );
    expect(left).toBeUndefined();
    held[0]?.abort();
  });

  it('leakHooks refuses a hook that is no function, and tokens that are none of this package', () => {
    expect(() => {
      leakHooks({ before: undefined as never, after: () => undefined });
    }).toThrow('leakHooks(hooks) takes a function as before, got undefined');
    let begin = (): void => undefined;
    leakHooks(
      { before: (fn) => (begin = fn), after: () => undefined },
      { tokens: [new AbortController().signal as never] },
    );
    expect(begin).toThrow('leakCheck({ tokens }) takes tokens of this package');
  });
});

it.each([
  [null, {}, 'hooks must be an object, got null'],
  [{ before: () => undefined, after: () => undefined }, null, 'options must be an object, got null'],
  [{ before: () => undefined, after: () => undefined }, { ignore: 'x' }, 'options.ignore must be a list, got x'],
])('leakHooks refuses %o with %o', (hooks, options, words) => {
  expect(() => {
    leakHooks(hooks as never, options as never);
  }).toThrow(new TypeError(words));
});
