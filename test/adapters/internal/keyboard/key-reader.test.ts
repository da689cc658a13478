import { expect, it } from 'vitest';

import { KeyReader } from '../../../../src/adapters/internal/keyboard/key-reader.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

it('T3 an ESC is a key after the timeout and one more poll, with the instant of its byte', () => {
  const clock = new VirtualClock({ startAt: 1000 });
  const polls: (() => void)[] = [];
  const seen: string[] = [];
  const afterPoll = (fn: () => void) => {
    polls.push(fn);
    return { release: () => void polls.splice(0) };
  };
  const reader = new KeyReader({ clock, escTimeoutMs: 50, afterPoll }, (event, at) => {
    seen.push(`${event.type === 'key' ? event.name : event.type} ${String(at)}`);
  });
  const type = (keys: string) => {
    reader.feed(keys);
    reader.arm();
  };
  type('\x1b');
  clock.advanceSync(50);
  type('[A'); // it was in the kernel
  expect([seen, polls.length]).toEqual([['up 1050'], 0]);
  type('\x1b');
  clock.advanceSync(50);
  polls[0]?.();
  expect(seen).toEqual(['up 1050', 'escape 1050']);
  expect(clock.pending).toBe(0);
});
