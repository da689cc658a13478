import { afterEach, expect, it, vi } from 'vitest';
import { awaitUnwind, closeSource } from '../../../../src/adapters/internal/stream/source-end.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

it('says how a closing went', async () => {
  const failure = new Error('no');
  await expect(awaitUnwind(Promise.resolve(), 10, clock)).resolves.toEqual({ status: 'cancelled' });
  await expect(awaitUnwind(Promise.resolve({ done: false, value: 'last words' }), 10, clock)).resolves.toEqual({
    status: 'abandoned',
  });
  await expect(awaitUnwind(Promise.reject(failure), 10, clock)).resolves.toEqual({ status: 'failed', error: failure });
});

it('waits no longer than the grace, and hears a late failure in silence', async () => {
  const closing = deferred<undefined>();
  const end = awaitUnwind(closing.promise, 10, clock);
  await clock.advance(10);
  await expect(end).resolves.toEqual({ status: 'abandoned' });
  closing.reject(new Error('late'));
  await clock.advance(0);
});

it('closes a source, one that is on its way, and nothing', async () => {
  const source = { next: () => Promise.resolve({ done: true as const, value: undefined }), return: vi.fn() };
  await closeSource(source);
  await closeSource(Promise.resolve(source));
  await closeSource(undefined);
  await closeSource({ next: source.next });
  expect(source.return).toHaveBeenCalledTimes(2);
});
