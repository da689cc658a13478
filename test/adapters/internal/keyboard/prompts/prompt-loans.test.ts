import { expect, it } from 'vitest';

import { PromptLoans } from '../../../../../src/adapters/internal/keyboard/prompts/prompt-loans.ts';
import { VirtualClock } from '../../../../../src/testing/virtual-clock.ts';
import { FakeTty } from '../fake-tty.ts';

it('gives what was typed, and hears ESC until the loan ends, but nothing where there is no terminal', () => {
  const clock = new VirtualClock();
  const tty = new FakeTty();
  tty.isReffed = false;
  let lent = 0;
  const host = {
    degraded: undefined as string | undefined,
    lendStream: () => {
      lent++;
      return { release: () => void lent-- };
    },
  };
  const heard: unknown[] = [];
  const loans = new PromptLoans(tty, { clock, escTimeoutMs: 50 }, host);
  const loan = loans.lend('typed', (key) => heard.push(key));
  expect([lent, tty.unshifted, tty.isReffed]).toEqual([1, ['typed'], true]);
  tty.resume();
  tty.type('\x1b[27u');
  loan.release();
  tty.type('\x1b[27u');
  expect([lent, heard.length, tty.listenerCount('data')]).toEqual([0, 1, 0]);
  loans.lend('').release();

  host.degraded = 'no terminal';
  loans.lend('more', () => heard.push(0)).release();
  loans.keepAlive().release();
  expect([tty.unshifted.length, clock.pending]).toEqual([1, 0]);
  host.degraded = undefined;
  const alive = loans.keepAlive();
  expect(clock.pending).toBe(1);
  alive.release();
});
