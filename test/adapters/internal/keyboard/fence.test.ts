import { beforeEach, describe, expect, it } from 'vitest';

import type { KeyEvent } from '../../../../src/adapters/internal/keyboard/decoder/key-event.ts';
import { Fence, fenceMs } from '../../../../src/adapters/internal/keyboard/fence.ts';
import { KeyReader } from '../../../../src/adapters/internal/keyboard/key-reader.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

const answer: KeyEvent = { type: 'reply', sequence: '0n' };

let clock: VirtualClock;
let asked: number;
let fence: Fence;
beforeEach(() => {
  clock = new VirtualClock();
  asked = 0;
  fence = new Fence(clock, () => {
    asked += 1;
    return true;
  });
});

describe('a fence', () => {
  it('F1 asks once until it is answered, and takes nothing but its answer', () => {
    expect(fence.hears(answer)).toBe(false);
    expect([fence.ask(), fence.ask(), asked, fence.isOpen]).toEqual([true, true, 1, true]);
    expect(fence.hears({ type: 'reply', sequence: '?62;22c' })).toBe(false);
    expect([fence.hears(answer), fence.isOpen, fence.hears(answer)]).toEqual([true, false, false]);
    expect([fence.ask(), asked]).toEqual([true, 2]);
  });

  it('F2 asks no more after silence, until the answer comes after all', () => {
    fence.ask();
    fence.giveUp();
    expect([fence.isOpen, fence.ask(), asked]).toEqual([false, false, 1]);
    expect(fence.hears(answer)).toBe(true);
    expect([fence.ask(), asked]).toEqual([true, 2]);
  });

  it('F3 tells when it is closed: at once, by its answer, or after a second', () => {
    const told: string[] = [];
    fence.whenClosed(() => told.push('at once'));
    fence.ask();
    fence.whenClosed(() => told.push('by its answer'));
    expect(told).toEqual(['at once']);
    fence.hears(answer);
    expect([told.at(-1), clock.pending]).toEqual(['by its answer', 0]);
    fence.ask();
    fence.whenClosed(() => told.push('after a second'));
    clock.advanceSync(fenceMs - 1);
    expect(told).toHaveLength(2);
    clock.advanceSync(1);
    expect(told.at(-1)).toBe('after a second');
  });

  it('is none where nobody may ask', () => {
    const mute = new Fence(clock, () => false);
    expect([mute.ask(), mute.isOpen]).toEqual([false, false]);
  });
});

describe('a reader with a fence', () => {
  let seen: string[];
  let reader: KeyReader;
  let polls: (() => void)[];

  function type(keys: string): void {
    reader.feed(keys);
    reader.arm();
  }

  beforeEach(() => {
    seen = [];
    polls = [];
    const afterPoll = (fn: () => void) => {
      polls = [fn];
      return { release: () => void (polls = []) };
    };
    reader = new KeyReader({ clock, escTimeoutMs: 50, afterPoll, fence }, (event) => {
      seen.push(event.type === 'key' ? event.name : event.type);
    });
  });

  it('takes an arrow key that is cut in two by 900 ms for what it is', () => {
    type('\x1b');
    clock.advanceSync(900);
    type('[A');
    type('\x1b[0n');
    expect([seen, asked]).toEqual([['up'], 1]);
  });

  it('knows an ESC by the answer, however soon it comes', () => {
    type('\x1b');
    clock.advanceSync(5);
    type('\x1b[0n');
    expect([seen, clock.pending]).toEqual([['escape'], 0]);
  });

  it('hears every ESC pressed before the answer', () => {
    type('\x1b');
    type('\x1b');
    type('\x1b');
    type('\x1b[0n');
    expect([seen, asked]).toEqual([['escape', 'escape', 'escape'], 1]);
  });

  it('keeps an ESC apart from the letter that is typed after it, though the answer is still missing', () => {
    type('\x1b');
    clock.advanceSync(50);
    type('p');
    type('\x1bp'); // Alt with a letter, in one piece
    type('\x1b[0n');
    expect(seen).toEqual(['escape', 'p', 'p']);
  });

  it('falls back to the silence for a terminal that does not answer', () => {
    type('\x1b');
    clock.advanceSync(fenceMs);
    polls[0]?.();
    expect(seen).toEqual(['escape']);
    type('\x1b');
    clock.advanceSync(50);
    polls[0]?.();
    expect([seen, asked]).toEqual([['escape', 'escape'], 1]);
  });
});
