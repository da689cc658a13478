import { expect, it } from 'vitest';

import { forever } from '../../../src/adapters/compose/index.ts';
import { CancellationToken, CancellationTokenSource, isCancelledError } from '../../../src/index.ts';
import { errorOf, listeners, stateOf } from './observe.ts';

it('rejects when the token is cancelled, with its error, and not before', async () => {
  const source = new CancellationTokenSource();
  const waiting = forever(source.token);
  expect(await stateOf(waiting)).toBe('pending');
  source.cancel('shutdown');
  expect(await errorOf(waiting)).toBe(source.signal.reason);
});

it('rejects at once under a cancelled token', async () => {
  const token = CancellationToken.alreadyCancelled('user');
  expect(await errorOf(forever(token))).toBe(token.signal.reason);
});

it('waits for ever under nothing', async () => {
  expect(await stateOf(forever(null))).toBe('pending');
});

it('refuses what is no token', async () => {
  expect(await errorOf(forever(7 as never))).toBeInstanceOf(TypeError);
});

it('keeps no listener on a foreign signal, whose reason becomes one of ours', async () => {
  const controller = new AbortController();
  const waiting = errorOf(forever(controller.signal));
  expect(listeners(controller.signal)).toBe(1);
  controller.abort(new Error('lost'));
  const error = await waiting;
  expect(isCancelledError(error) && error.reason).toMatchObject({ kind: 'unknown', message: 'lost' });
  expect(listeners(controller.signal)).toBe(0);
});
