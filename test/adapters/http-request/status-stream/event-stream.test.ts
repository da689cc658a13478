import { describe, expect, it } from 'vitest';

import { EventStream } from '../../../../src/adapters/http-request/status-stream/event-stream.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

function open({ takes = Infinity, ...times }: { takes?: number; keepAliveMs?: number; maxMs?: number } = {}) {
  const clock = new VirtualClock();
  const seen = { texts: [] as string[], ends: [] as boolean[], ended: 0, room: takes };
  const stream = new EventStream({
    sink: {
      write: (text) => {
        seen.texts.push(text);
        return --seen.room > 0;
      },
      end: (isReading) => seen.ends.push(isReading),
    },
    ...{ clock, keepAliveMs: 100, maxMs: 1_000, ...times },
    ended: () => seen.ended++,
  });
  return { clock, seen, stream };
}

describe('an event stream', () => {
  it('an event stream says when to come again, tells what is new, and gives signs of life until its time is over', async () => {
    const { clock, seen, stream } = open({ maxMs: 250 });
    stream.tell('a', '{"n":1}');
    await clock.advance(200);
    expect(seen.texts).toEqual(['retry: 2000\n\n', 'event: status\ndata: {"n":1}\n\n', ':\n\n', ':\n\n']);
    await clock.advance(50);
    stream.tell('a', '{"n":2}');
    stream.end();
    await clock.advance(1_000);
    expect([seen.texts.length, seen.ends, seen.ended, stream.isOpen, clock.pending]).toEqual([4, [true], 1, false, 0]);
  });

  it('an event stream holds the newest of each run for a slow client, and cuts off one that never reads', async () => {
    const { clock, seen, stream } = open({ takes: 1 });
    for (let n = 0; n < 1_000; n++) {
      stream.tell('a', `a${String(n)}`);
      stream.tell('b', `b${String(n)}`);
    }
    await clock.advance(500);
    expect(seen.texts).toEqual(['retry: 2000\n\n']);
    seen.room = 2;
    stream.drained();
    expect(seen.texts.slice(1)).toEqual(['event: status\ndata: a999\n\n', 'event: status\ndata: b999\n\n']);
    await clock.advance(500);
    expect([seen.ends, clock.pending]).toEqual([[false], 0]);
  });

  it('an event stream that is finished says so after everything else was read, and ends', () => {
    const { seen, stream } = open({ takes: 2 });
    stream.tell('a', 'x');
    stream.tell('b', 'y');
    stream.finish();
    expect([seen.texts.length, seen.ends]).toEqual([2, []]);
    seen.room = 9;
    stream.drained();
    expect(seen.texts.slice(2)).toEqual(['event: status\ndata: y\n\n', 'id: closed\nevent: closed\ndata: {}\n\n']);
    expect([seen.ends, seen.ended]).toEqual([[true], 1]);
  });
});
