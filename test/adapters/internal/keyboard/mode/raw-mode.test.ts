import { beforeEach, describe, expect, it } from 'vitest';

import type { JobHost } from '../../../../../src/adapters/internal/keyboard/job-control.ts';
import { RawMode } from '../../../../../src/adapters/internal/keyboard/mode/raw-mode.ts';
import { FakeTty } from '../fake-tty.ts';

let tty: FakeTty;
let front: number;
const jobHost: JobHost = {
  pid: 7,
  platform: 'linux',
  kill: () => undefined,
  stat: () => `7 (node) S 1 7 7 1 ${String(front)} 0`,
  onSignal: () => ({ release: () => undefined }),
};

beforeEach(() => {
  tty = new FakeTty();
  front = 7;
});

describe('the mode of a terminal', () => {
  it.each([false, true])('is put back as it was noted: raw %s', (raw) => {
    tty.isRaw = raw;
    const mode = new RawMode(tty, { jobHost });
    mode.note();
    expect(mode.set()).toBe(true);
    expect(tty.isRaw).toBe(true);
    mode.restore();
    expect(tty.isRaw).toBe(raw);
  });

  it('is set anew where the stream believes that it is raw', () => {
    tty.isRaw = true;
    new RawMode(tty, { jobHost }).set();
    expect(tty.modes).toEqual([false, true]);
  });

  it('is left alone where the terminal is another job\u2019s', () => {
    const mode = new RawMode(tty, { jobHost });
    mode.set();
    front = 8;
    mode.restore();
    expect(tty.modes).toEqual([true]);
  });

  it('says that it cannot be set, and survives that it cannot be put back', () => {
    const mode = new RawMode(tty, { jobHost });
    tty.broken = true;
    expect(mode.set()).toBe(false);
    mode.restore();
    expect(tty.modes).toEqual([]);
  });

  it('is guarded once, until it is forgotten', () => {
    let guards = 0;
    const mode = new RawMode(Object.assign(tty, { fd: 0 }), {
      jobHost,
      guardMode: () => {
        guards += 1;
        return { release: () => (guards -= 1) };
      },
    });
    expect([mode.isGuarded, mode.guard(''), mode.guard(''), mode.isGuarded, guards]).toEqual([
      false,
      true,
      true,
      true,
      1,
    ]);
    mode.forget();
    mode.forget();
    expect([mode.isGuarded, guards]).toEqual([false, 0]);
  });

  it('is guarded anew where more is to be switched off', () => {
    const told: string[] = [];
    const mode = new RawMode(Object.assign(tty, { fd: 0 }), {
      jobHost,
      guardMode: (_fd, _setMode, off) => {
        told.push(`guards ${JSON.stringify(off)}`);
        return { release: () => told.push('forgets') };
      },
    });
    mode.guard('');
    mode.guard('\x1b[<u');
    expect(told).toEqual(['guards ""', 'forgets', 'guards "\\u001b[<u"']);
  });

  it('is noted for a program and put back, but not while the terminal is another job\u2019s', () => {
    const ran: string[] = [];
    const stty = (_fd: number, argument: string): string => {
      ran.push(argument);
      return 'found';
    };
    new RawMode(tty, { jobHost, stty }).lend()();
    expect(ran).toEqual([]); // nobody says which terminal it is
    const mode = new RawMode(Object.assign(tty, { fd: 0 }), { jobHost, stty });
    const putBack = mode.lend();
    front = 8;
    putBack();
    mode.lend()();
    expect(ran).toEqual(['-g']);
    front = 7;
    putBack();
    expect(ran).toEqual(['-g', 'found']);
  });

  it('is not guarded without a file descriptor', () => {
    expect(new RawMode(tty, { jobHost }).guard('')).toBe(false);
  });
});
