import { describe, expect, it } from 'vitest';

import { StatusFeed } from '../../../../src/adapters/http-request/status-stream/status-feed.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

describe('a status feed', () => {
  it('a status feed looks once for all who listen, tells what is new, and to a late one what is known', async () => {
    const clock = new VirtualClock();
    let looks = 0;
    const feed = new StatusFeed({
      ...{ clock, everyMs: 100 },
      look: () => Promise.resolve({ data: String(Math.floor(looks++ / 2)), isLast: false }),
    });
    const heard: string[] = [];
    const first = feed.listen('a', ({ data }) => heard.push(`1:${data}`));
    await clock.advance(250);
    const second = feed.listen('a', ({ data }) => heard.push(`2:${data}`));
    expect([looks, heard]).toEqual([3, ['1:0', '1:1', '2:1']]);
    first.release();
    first.release();
    await clock.advance(100);
    expect(looks).toBe(4);
    second.release();
    await clock.advance(1_000);
    expect([looks, clock.pending]).toEqual([4, 0]);
  });

  it('a status feed does not start a look before the last has ended, nor after everybody has left', async () => {
    const clock = new VirtualClock();
    const slow = deferred<{ data: string; isLast: boolean }>();
    let looks = 0;
    const feed = new StatusFeed({
      ...{ clock, everyMs: 10 },
      look: () => {
        looks++;
        return slow.promise;
      },
    });
    const heard: string[] = [];
    const listening = feed.listen('a', ({ data }) => heard.push(data));
    await clock.advance(1_000);
    expect(looks).toBe(1);
    listening.release();
    slow.resolve({ data: 'late', isLast: false });
    await clock.advance(1_000);
    expect([looks, heard, clock.pending]).toEqual([1, [], 0]);
  });

  it('a status feed whose listener leaves while it is told arms nothing', async () => {
    const clock = new VirtualClock();
    const feed = new StatusFeed({ clock, everyMs: 10, look: () => Promise.resolve({ data: 'x', isLast: true }) });
    const listening = feed.listen('a', () => {
      listening.release();
    });
    await clock.advance(100);
    expect(clock.pending).toBe(0);
  });
});
