import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Waiters } from '../../../src/testing/model-server/waiters.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount(), 'limits left armed').toBe(0);
  vi.useRealTimers();
});

it('a wait resolves at once when the condition already holds', async () => {
  await expect(new Waiters().waitFor(() => 'now', 10)).resolves.toBe('now');
});

it('a wait asks again after each change, and no more once it held', async () => {
  const waiters = new Waiters();
  let value = 0;
  const condition = vi.fn(() => value > 1 && value);
  const held = waiters.waitFor(condition, 10);
  for (value = 1; value < 5; value += 1) waiters.changed();
  await expect(held).resolves.toBe(2);
  expect(condition).toHaveBeenCalledTimes(3);
});

it('a wait fails at its limit, and with what the condition throws', async () => {
  const waiters = new Waiters();
  const late = waiters.waitFor(() => false, 10);
  const outcome = expect(late).rejects.toThrow('The condition did not hold within 10 ms');
  vi.advanceTimersByTime(10);
  await outcome;
  await expect(
    waiters.waitFor(() => {
      throw new Error('mistake');
    }, 10),
  ).rejects.toThrow('mistake');
});

it('a wait failAll rejects every wait', async () => {
  const waiters = new Waiters();
  const all = [waiters.waitFor(() => false, 10), waiters.waitFor(() => false, 10)];
  const outcome = Promise.allSettled(all);
  waiters.failAll(new Error('closed'));
  expect((await outcome).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
