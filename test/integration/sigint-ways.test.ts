/** Ctrl+C in a real terminal stops the turn, whichever way the program hears of it, and leaves what has a token of its own. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { limitMs } from '../support/limit.ts';
import { openTerminal } from './support/terminal-pty.ts';

const FIXTURE = fileURLToPath(new URL('support/sigint-ways.ts', import.meta.url));
const sleeping = (seconds: string): boolean =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n').includes(`sleep ${seconds}`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const isSo = (what: () => boolean): Promise<void> =>
  expect.poll(what, { timeout: limitMs(10_000), interval: 20 }).toBe(true);

describe('Ctrl+C', () => {
  it.each([
    ['watchTerminal', true],
    ['a plain listener', true],
    ['drainOnSignals', false],
  ])('by %s stops the turn with its command, and what runs in the background lives on: %s', async (WAY, livesOn) => {
    // Nobody else sleeps so long: told apart by the process and the way.
    const [TURN, BACK] = [1, 2].map((digit) => `6${String(digit)}.${String(process.pid)}${String(WAY.length)}`);
    const screen = await openTerminal('', { FIXTURE, WAY, TURN: TURN ?? '', BACK: BACK ?? '' });
    try {
      await screen.shows(/<runs>/);
      await isSo(() => sleeping(TURN ?? '') && sleeping(BACK ?? ''));
      screen.type('\x03');
      if (livesOn) {
        await screen.shows(/<turn cancelled>/);
        await pause(300);
        expect([sleeping(TURN ?? ''), sleeping(BACK ?? '')]).toEqual([false, true]);
        expect(screen.text()).not.toContain('<background');
      } else {
        await screen.shows(/<exit 130>/);
        expect([sleeping(TURN ?? ''), sleeping(BACK ?? '')]).toEqual([false, false]);
      }
    } finally {
      await screen.close();
    }
    await isSo(() => !sleeping(BACK ?? ''));
  });
});
