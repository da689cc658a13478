import { beforeEach, expect, it, vi } from 'vitest';

import { PressFilter, type PressFilterOptions } from '../../../src/adapters/global-hotkey/press-filter.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

let clock: VirtualClock;
let presses: number[];

beforeEach(() => {
  clock = new VirtualClock({ startAt: 1000 });
  presses = [];
});

function make(options: Partial<PressFilterOptions> = {}): PressFilter {
  return new PressFilter({
    clock,
    gate: undefined,
    focusProbe: () => true,
    stopsUnknown: false,
    keyboard: () => undefined,
    press: (at) => presses.push(at),
    ...options,
  });
}

/** Lets every promise that waits for nothing else go on. */
const settled = (): Promise<void> => clock.advance(0);

it('a press in our window is handed on with its instant', async () => {
  make().down();
  await settled();
  expect(presses).toEqual([1000]);
});

it.each([
  [false, false, 0],
  [false, true, 0],
  [undefined, false, 0],
  [undefined, true, 1],
])(
  'a press while the focus is %s, and unknown counts: %s, is handed on %i times',
  async (focus, stopsUnknown, times) => {
    make({ focusProbe: () => Promise.resolve(focus), stopsUnknown }).down();
    await settled();
    expect(presses).toHaveLength(times);
  },
);

it.each([
  [undefined, true, false, 1],
  [undefined, false, true, 0],
  [undefined, undefined, true, 1],
  [true, false, true, 0],
  [true, undefined, false, 1],
  [false, true, true, 0],
])(
  'a press while the window has the focus: %s, its terminal says: %s, and unknown counts: %s, is handed on %i times',
  async (inFront, focused, stopsUnknown, times) => {
    const keyboard = { isWaitingInput: false, lastBytesAt: undefined, focused };
    make({ focusProbe: () => inFront, stopsUnknown, keyboard: () => keyboard }).down();
    await settled();
    expect(presses).toHaveLength(times);
  },
);

it('a probe that throws leaves the focus unknown, and is reported', async () => {
  const report = vi.spyOn(console, 'error').mockReturnValue();
  make({
    focusProbe: () => {
      throw new Error('no probe');
    },
  }).down();
  await settled();
  expect([presses, report.mock.calls.length]).toEqual([[], 1]);
  report.mockRestore();
});

it('a probe that never answers leaves the focus unknown, and holds up no later press', async () => {
  const answers = [new Promise<boolean>(() => undefined), Promise.resolve(true)];
  const filter = make({ focusProbe: () => answers.shift() });
  filter.down();
  await clock.advance(100);
  filter.down();
  await clock.advance(3000);
  expect(presses).toEqual([1100]);
  expect(clock.pending).toBe(0);
});

it('a probe that answers too late stops nothing any more', async () => {
  const filter = make({
    focusProbe: () =>
      new Promise((resolve) => {
        clock.setTimer(() => void resolve(true), 5000, { ref: false });
      }),
  });
  filter.down();
  await clock.advance(6000);
  expect(presses).toEqual([]);
});

it('a gate that throws is reported, and the next press counts', async () => {
  const report = vi.spyOn(console, 'error').mockReturnValue();
  let isBroken = true;
  const gate = {
    get isWaitingInput(): boolean {
      if (isBroken) throw new Error('no gate');
      return false;
    },
  };
  const filter = make({ gate });
  filter.down();
  await settled();
  isBroken = false;
  filter.down();
  await settled();
  expect([presses, report.mock.calls.length]).toEqual([[1000], 1]);
  report.mockRestore();
});

it('a press while a prompt waits is the prompt’s, here or in a watched terminal', async () => {
  make({ gate: { isWaitingInput: true } }).down();
  make({ keyboard: () => ({ isWaitingInput: true, lastBytesAt: undefined, focused: undefined }) }).down();
  await settled();
  expect(presses).toEqual([]);
});

it('a prompt that opens while the focus is looked up keeps the press', async () => {
  const gate = { isWaitingInput: false };
  make({
    gate,
    focusProbe: () => {
      gate.isWaitingInput = true;
      return true;
    },
  }).down();
  await settled();
  expect(presses).toEqual([]);
});

it('a press that the watched terminal has heard too is the terminal’s', async () => {
  const keyboard = { isWaitingInput: false, lastBytesAt: 990, focused: undefined };
  make({ keyboard: () => keyboard }).down();
  await settled();
  expect(presses).toEqual([]);
  await clock.advance(1000);
  const filter = make({ keyboard: () => keyboard });
  filter.down();
  await clock.advance(40);
  expect(presses).toEqual([2000]);
});

it('a press that the watched terminal hears late is waited for as long as the terminal takes', async () => {
  const keyboard = { isWaitingInput: false, lastBytesAt: -Infinity, focused: undefined };
  make({ keyboard: () => keyboard, delayMs: 600 }).down();
  await clock.advance(500);
  keyboard.lastBytesAt = clock.now();
  await clock.advance(100);
  expect(presses).toEqual([]);
});

it('presses keep their order, whichever question is answered first', async () => {
  const answers: ((focused: boolean) => void)[] = [];
  const filter = make({ focusProbe: () => new Promise((resolve) => answers.push(resolve)) });
  filter.down();
  await clock.advance(100);
  filter.down();
  answers[1]?.(true);
  await settled();
  expect(presses).toEqual([]);
  answers[0]?.(true);
  await settled();
  expect(presses).toEqual([1000, 1100]);
});
