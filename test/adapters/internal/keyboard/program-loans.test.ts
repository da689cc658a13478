import { EventEmitter } from 'node:events';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { acquireStdin } from '../../../../src/adapters/internal/keyboard/stdin-registry.ts';
import { screenReset } from '../../../../src/adapters/internal/keyboard/mode/screen-reset.ts';
import type { StdinLease } from '../../../../src/adapters/internal/keyboard/stdin-owner.ts';
import { afterSignals, createProcessHooks } from '../../../../src/adapters/internal/process/process-hooks.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { FakeTty } from './fake-tty.ts';

const registry = Symbol.for('desist.process-hooks.v1');
const home = globalThis as Record<symbol, unknown>;

let tty: FakeTty;
let host: EventEmitter;
let lease: StdinLease;
let before: unknown;
const ends: string[] = [];

beforeEach(() => {
  tty = new FakeTty();
  ends.length = 0;
  const stand = Object.assign(new EventEmitter(), {
    pid: 1,
    platform: 'linux',
    kill: (_pid: number, signal: string) => ends.push(signal),
    exit: () => undefined,
  });
  host = stand;
  before = home[registry];
  home[registry] = createProcessHooks(stand, (fn) => {
    fn();
  });
  lease = acquireStdin(tty, { clock: new VirtualClock(), escTimeoutMs: 50 }, false);
});

afterEach(async () => {
  lease.release();
  await new Promise<void>(afterSignals);
  expect([tty.attached(), host.eventNames()]).toEqual([0, []]);
  home[registry] = before;
});

describe('a program that has the terminal', () => {
  it('P1 has its signals as well, until it gives it back, and the one that ended it, told after its end', async () => {
    const loan = lease.owner.programs.lend();
    host.emit('SIGINT');
    host.emit('SIGQUIT');
    expect(ends).toEqual([]);
    loan.release();
    host.emit('SIGINT');
    expect(ends).toEqual([]);
    await new Promise<void>(afterSignals);
    host.emit('SIGINT');
    expect(ends).toEqual(['SIGINT']);
  });

  it('P1 has no signals where there is no terminal that could send them', async () => {
    const loan = lease.owner.programs.lend();
    tty.isTTY = false;
    lease.release();
    lease = acquireStdin(tty, { clock: new VirtualClock(), escTimeoutMs: 50 }, false);
    loan.release();
    await new Promise<void>(afterSignals);
    const other = lease.owner.programs.lend();
    host.emit('SIGINT');
    expect(ends).toEqual(['SIGINT']);
    other.release();
  });

  it('P2 waits for nobody, and others wait for it', async () => {
    const seen: string[] = [];
    const { owner } = lease;
    const loan = owner.programs.lend();
    const waiting = owner.turns.run(() => void seen.push(`prompt, raw ${String(tty.isRaw)}`));
    await loan.within(() => owner.turns.run(() => void seen.push('its own prompt')));
    expect(seen).toEqual(['its own prompt']);
    loan.release();
    await waiting;
    expect(seen).toEqual(['its own prompt', 'prompt, raw true']);
  });

  it('P3 gives it back once, and who draws on the screen is told', () => {
    const told: boolean[] = [];
    const listener = lease.owner.programs.onReturn(() => void told.push(tty.isRaw));
    const [first, second] = [lease.owner.programs.lend(), lease.owner.programs.lend()];
    expect([tty.isRaw, tty.attached(), lease.owner.isWaitingInput]).toEqual([false, 0, true]);
    first.release();
    first.release();
    expect([tty.isRaw, lease.owner.isWaitingInput, told]).toEqual([false, true, [false]]);
    second.release();
    expect([tty.isRaw, lease.owner.isWaitingInput, told]).toEqual([true, false, [false, true]]);
    listener.release();
    lease.owner.programs.lend().release();
    expect(told).toHaveLength(2);
  });
});

describe('the screen of a program that was killed', () => {
  it('is put back before what we switch on ourselves, and only while the program has it', () => {
    lease.release();
    const written: string[] = [];
    const output = { isTTY: true, write: (text: string) => written.push(text) };
    const options = { clock: new VirtualClock(), escTimeoutMs: 50 };
    lease = acquireStdin(tty, options, false, { output, switches: ['focus'], fence: false });
    const loan = lease.owner.programs.lend();
    loan.killed();
    loan.release();
    loan.killed();
    expect(written).toEqual(['\x1b[?1004h', '\x1b[?1004l', screenReset, '\x1b[?1004h']);
  });

  it('is left alone where the terminal has gone, and where nobody said which it is', () => {
    const unknown = lease.owner.programs.lend();
    unknown.killed();
    unknown.release();
    tty.broken = true;
    const written: string[] = [];
    const output = { isTTY: true, write: (text: string) => written.push(text) };
    const other = lease.owner.lease('watch', { output, switches: [], fence: false });
    lease.owner.programs.lend().release();
    expect(lease.owner.degraded).toBe('no raw mode');
    const gone = lease.owner.programs.lend();
    gone.killed();
    gone.release();
    other.release();
    expect(written).toEqual([]);
  });
});

describe('the settings of the terminal', () => {
  it('are put back before we read again, whatever the program has left', () => {
    lease.release();
    const ran: string[] = [];
    const stty = (_fd: number, argument: string): string => {
      ran.push(`${argument}, raw ${String(tty.isRaw)}`);
      return 'as:found\n';
    };
    Object.assign(tty, { fd: 0 });
    lease = acquireStdin(tty, { clock: new VirtualClock(), escTimeoutMs: 50, stty }, false);
    const loan = lease.owner.programs.lend();
    expect(ran).toEqual(['-g, raw false']);
    loan.putBack();
    expect(ran).toEqual(['-g, raw false', 'as:found, raw false']);
    loan.release(); // put back already
    expect(ran.splice(0)).toEqual(['-g, raw false', 'as:found, raw false']);
    lease.owner.programs.lend().release();
    expect(ran.splice(0)).toEqual(['-g, raw false', 'as:found, raw false']);
    lease.owner.prompts.lend('').release(); // a prompt sets and restores its own
    expect(ran).toEqual([]);
  });
});
