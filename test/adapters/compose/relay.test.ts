import { expect, it } from 'vitest';

import { relay, runUnder } from '../../../src/adapters/compose/relay.ts';
import { tokenOf } from '../../../src/core/token/bridge/linked-tokens.ts';
import { CancellationToken, CancellationTokenSource } from '../../../src/index.ts';
import { errorOf, listeners, obedient } from './observe.ts';

it('a cancel from inside is heard once the library listens', async () => {
  const source = new CancellationTokenSource();
  const seen: string[] = [];
  const end = relay(tokenOf(source.token), (signal) => {
    source.cancel('user');
    seen.push(`inside: ${signal.aborted}`);
    return obedient({ signal });
  });
  expect(await errorOf(end)).toBe(source.signal.reason);
  expect(seen).toEqual(['inside: false']);
});

it('the signal carries the one error of the token', async () => {
  const source = new CancellationTokenSource();
  const end = relay(tokenOf(source.token), (signal) => obedient({ signal }));
  source.cancel('user');
  expect(await errorOf(end)).toBe(source.signal.reason);
});

it('lets go of the token when the promise settles, either way', async () => {
  const controller = new AbortController();
  const token = tokenOf(controller.signal);
  await relay(token, () => Promise.resolve());
  await errorOf(relay(token, () => Promise.reject(new Error('disk full'))));
  expect(listeners(controller.signal)).toBe(0);
});

it('a released token takes its link away', () => {
  const source = new CancellationTokenSource();
  const child = source.token.child();
  let heard: AbortSignal | undefined;
  void relay(tokenOf(child.token), (signal) => {
    heard = signal;
    return new Promise(() => {});
  });
  child.release();
  source.cancel('user');
  expect(heard?.aborted).toBe(false);
});

it('runUnder starts nothing under a cancelled token, and hands over a context', async () => {
  let started = 0;
  const start = (_signal: AbortSignal, { token }: { token: CancellationToken }): Promise<boolean> => {
    started += 1;
    return Promise.resolve(token.canBeCancelled);
  };
  expect(await errorOf(runUnder(CancellationToken.alreadyCancelled(), start, {}))).toHaveProperty('name', 'AbortError');
  expect(started).toBe(0);
  expect(await runUnder(null, start, {})).toBe(true);
});
