import { describe, expect, it } from 'vitest';

import { RateLimit } from '../../../../src/adapters/http-request/stop-route/rate-limit.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

describe('RateLimit', () => {
  it('allows so many at once, and as many again in every span', async () => {
    const clock = new VirtualClock();
    const limit = new RateLimit(2, 1000, clock);
    expect([limit.take('a'), limit.take('a'), limit.take('a'), limit.take('b')]).toEqual([0, 0, 500, 0]);
    await clock.advance(499);
    expect(limit.take('a')).toBe(1);
    await clock.advance(1);
    expect([limit.take('a'), limit.take('a')]).toEqual([0, 500]);
    await clock.advance(60_000);
    expect([limit.take('a'), limit.take('a'), limit.take('a')]).toEqual([0, 0, 500]);
  });

  it('forgets who was quiet longest beyond ten thousand keys, and nobody else', () => {
    const limit = new RateLimit(1, 1_000_000, new VirtualClock());
    for (let i = 0; i < 10_000; i++) expect(limit.take(String(i))).toBe(0);
    expect(limit.take('0')).toBeGreaterThan(0); // used last from here on
    expect(limit.take('new')).toBe(0);
    expect([limit.take('1'), limit.take('0') > 0]).toEqual([0, true]);
  });

  it.each([3, 7, 20, 60, 1_000])('%d at once are as many, whatever the fractions sum up to', (max) => {
    const limit = new RateLimit(max, 10_000, new VirtualClock({ startAt: 1_764_000_000_123 }));
    expect(Array.from({ length: max }, () => limit.take('a')).every((waitMs) => waitMs === 0)).toBe(true);
    expect(limit.take('a')).toBeGreaterThan(0);
  });

  it('Infinity is no limit', () => {
    const limit = new RateLimit(Infinity, 1000, new VirtualClock());
    for (let i = 0; i < 100; i++) expect(limit.take('a')).toBe(0);
  });
});
