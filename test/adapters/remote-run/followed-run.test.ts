import { expect, it, vi } from 'vitest';

import { followRun } from '../../../src/adapters/remote-run/follow-run.ts';
import { FollowedRun } from '../../../src/adapters/remote-run/followed-run.ts';

async function* events() {
  yield 'one';
  yield await Promise.resolve('two');
}

it('a run is opened by its first reader, once, and says at its end what it came to', async () => {
  const open = vi.fn(events);
  const run = followRun(null, open, { cancel: () => undefined });
  expect(run).toBeInstanceOf(FollowedRun);
  expect(open).not.toHaveBeenCalled();
  const reads = await Promise.all([run.next(), run.next(), run.next(), run.next()]);
  expect(reads.map(({ value }) => value as unknown)).toEqual(['one', 'two', undefined, undefined]);
  expect(open).toHaveBeenCalledOnce();
  expect((await run.closed).status).toBe('completed');
});

it('a run that is left before anybody has read is never opened', async () => {
  const open = vi.fn(events);
  const run = followRun(null, open, { cancel: () => undefined });
  await run.return();
  expect(await run.closed).toEqual({ status: 'left', id: undefined });
  expect(await run.next()).toEqual({ done: true, value: undefined });
  expect(open).not.toHaveBeenCalled();
});
