import { expect, it, vi } from 'vitest';

import { cancelRun } from '../../../src/adapters/remote-run/cancel-run.ts';

it('says that the other side has answered', async () => {
  const cancel = vi.fn();
  expect(await cancelRun('r1', cancel)).toEqual({ status: 'cancelled', id: 'r1' });
  expect(cancel).toHaveBeenCalledExactlyOnceWith('r1', { signal: expect.any(AbortSignal) as AbortSignal });
});

it('says what was thrown', async () => {
  const error = new Error('no such run');
  expect(await cancelRun('r1', () => Promise.reject(error))).toEqual({ status: 'failed', id: 'r1', error });
});

it('says that nobody answered, and takes its request back', async () => {
  let signal: AbortSignal | undefined;
  const deaf = (_id: string, context: { signal: AbortSignal }) => {
    ({ signal } = context);
    return new Promise<never>(() => undefined);
  };
  expect(await cancelRun('r1', deaf, { graceMs: 5 })).toMatchObject({ status: 'abandoned', id: 'r1' });
  expect(String(signal?.reason)).toBe('Request cancelled');
});

it.each([
  ['', vi.fn(), {}, 'id must be a string that is not empty'],
  ['r1', undefined, {}, 'cancel must be a function, got undefined'],
  ['r1', vi.fn(), { graceMs: -1 }, 'graceMs'],
  ['r1', vi.fn(), { grace: 1 }, 'options.grace is no option'],
])('refuses %o %o %o', async (id, cancel, options, message) => {
  await expect(cancelRun(id, cancel as never, options as never)).rejects.toThrow(message);
});
