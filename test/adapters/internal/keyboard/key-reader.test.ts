import { expect, it } from 'vitest';

import { Fence } from '../../../../src/adapters/internal/keyboard/fence.ts';
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

it('T5 an ESC within a paste is text, however late the rest of the paste comes', () => {
  const clock = new VirtualClock({ startAt: 1000 });
  const seen: string[] = [];
  const fence = new Fence(clock, () => false);
  const reader = new KeyReader({ clock, escTimeoutMs: 50, fence }, (event) => {
    seen.push(event.type === 'paste' ? event.text : event.type);
  });
  for (const chunk of ['\x1b[200~abc', '\x1b', 'def\x1b', 'ghi', '\x1b[201~']) {
    reader.feed(chunk);
    reader.arm();
    clock.advanceSync(300);
  }
  expect(seen).toEqual(['abc\x1bdef\x1bghi']);
});

it('T6 an ESC that had come when the keyboard was taken back is nobody\u2019s, other keys are kept, and a later ESC counts', () => {
  const clock = new VirtualClock({ startAt: 1000 });
  const polls: (() => void)[] = [];
  const poll = (): void => {
    for (const fn of polls.splice(0)) fn();
  };
  const afterPoll = (fn: () => void) => {
    polls.push(fn);
    return { release: () => void polls.splice(polls.indexOf(fn), 1) };
  };
  const seen: string[] = [];
  const reader = new KeyReader({ clock, escTimeoutMs: 50, afterPoll }, (event) => {
    seen.push(event.type === 'key' ? event.name : event.type);
  });
  const silence = (): void => {
    clock.advanceSync(50);
    poll();
  };
  reader.takeBack();
  reader.takeBack();
  poll();
  reader.feed('man\x1b\x1b[A\x1b[27u\x1b');
  reader.arm();
  poll();
  silence();
  expect(seen).toEqual(['m', 'a', 'n', 'up']);
  clock.advanceSync(1);
  reader.feed('\x1b');
  reader.arm();
  silence();
  expect([seen.at(-1), polls]).toEqual(['escape', []]);
  reader.takeBack();
  reader.feed('s'); // what had come is here, and a slow handler holds up the loop
  clock.advanceSync(1);
  reader.feed('\x1b');
  reader.arm();
  silence();
  expect([seen.slice(-2), polls]).toEqual([['s', 'escape'], []]);
});

it('T6 who waits until what was typed for the borrower has come goes on after two polls, or after its first byte', async () => {
  const polls: (() => void)[] = [];
  const afterPoll = (fn: () => void) => {
    polls.push(fn);
    return { release: () => void polls.splice(polls.indexOf(fn), 1) };
  };
  const reader = new KeyReader({ clock: new VirtualClock(), escTimeoutMs: 50, afterPoll }, () => undefined);
  const said: string[] = [];
  const wait = (name: string) => reader.caughtUp().then(() => said.push(name));
  await wait('nobody had it');
  reader.takeBack();
  const polled = wait('polled');
  polls.shift()?.();
  await Promise.resolve();
  expect(said).toEqual(['nobody had it']);
  polls.shift()?.();
  await polled;
  reader.takeBack();
  const typed = wait('typed');
  reader.feed('a');
  await typed;
  expect([said, polls]).toEqual([['nobody had it', 'polled', 'typed'], []]);
});

it('S4 a key that is decided late comes with what was noted at its first byte, and what follows without', async () => {
  const clock = new VirtualClock({ startAt: 1000 });
  const seen: string[] = [];
  let notes = 0;
  const afterPoll = (fn: () => void) => {
    fn();
    return { release: () => undefined };
  };
  const noteArrival = () => ({ layers: [], isWaitingInput: false, at: ++notes });
  const reader = new KeyReader({ clock, escTimeoutMs: 50, afterPoll, noteArrival }, (event, at, arrival) => {
    seen.push(`${event.type === 'key' ? event.name : event.type} ${String(at)} ${String(arrival?.at)}`);
  });
  const type = (keys: string) => {
    reader.feed(keys);
    reader.arm();
    clock.advanceSync(20);
  };
  type('a\x1b');
  type('\x1b');
  const decided = reader.decided().then(() => seen.push('decided'));
  type('\x03b');
  await decided;
  expect(seen).toEqual([
    'a 1000 undefined',
    'escape 1000 1',
    'escape 1000 1',
    'c 1040 undefined',
    'b 1040 undefined',
    'decided',
  ]);
  expect(reader.isUndecided).toBe(false);
  await reader.decided(); // at once
  seen.length = 0;
  type('\x1b[');
  clock.advanceSync(1000);
  expect(seen).toEqual(['[ 1060 2']);
});

const answers = [
  ['OSC', '\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\'],
  ['DCS', '\x1bP>|xterm(390)\x1b\\'],
  ['APC', '\x1b_Gi=31;OK\x1b\\'],
  ['PM', '\x1b^note\x1b\\'],
] as const;

/** What is heard of chunks that come so many milliseconds apart, and a key behind them. */
function heard(chunks: readonly string[], gapMs: number, hasFence: boolean): string[] {
  const clock = new VirtualClock({ startAt: 1000 });
  const seen: string[] = [];
  const afterPoll = (fn: () => void) => {
    fn();
    return { release: () => undefined };
  };
  let asked = 0;
  const fence = hasFence ? new Fence(clock, () => ++asked > 0) : undefined;
  const reader = new KeyReader({ clock, escTimeoutMs: 50, fence, afterPoll }, (event) => {
    seen.push(event.type === 'key' ? (event.alt ? 'alt+' : '') + event.name : event.type);
  });
  for (const chunk of chunks) {
    reader.feed(chunk);
    reader.arm();
    clock.advanceSync(gapMs);
  }
  for (; asked > 0; asked--) reader.feed('\x1b[0n'); // the terminal answers in the order of its keys
  reader.feed('y');
  clock.advanceSync(2000);
  expect(clock.pending).toBe(0);
  return seen;
}

it.each(answers)(
  'T5 an answer (%s) that is torn anywhere behind its begin is no ESC, and none of its bytes is typed',
  (_kind, answer) => {
    for (let cut = 3; cut < answer.length; cut++) {
      expect([cut, heard([answer.slice(0, cut), answer.slice(cut)], 200, false)]).toEqual([cut, ['y']]);
    }
  },
);

it.each(answers)('T5 with the fence an answer (%s) may be torn anywhere at all', (_kind, answer) => {
  for (let cut = 1; cut < answer.length; cut++) {
    expect([cut, heard([answer.slice(0, cut), answer.slice(cut)], 900, true)]).toEqual([cut, ['y']]);
  }
});

it('T5 an ESC in the middle of an answer that broke off is a key: after a second, or with the next one', () => {
  expect(heard(['\x1b]11;rgb', '\x1b'], 1001, false)).toEqual(['escape', 'y']);
  expect(heard(['\x1b]11;rgb', '\x1b', 'x'], 200, false)).toEqual(['escape', 'x', 'y']);
  expect(heard(['\x1b]11;rgb', '\x1b', '\x1b[A'], 200, false)).toEqual(['escape', 'up', 'y']);
});
