import { beforeEach, describe, expect, it, vi } from 'vitest';

import { notGuarded, type GuardUnavailable } from '../../../../../src/adapters/internal/guardian/guard-status.ts';
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
        return { unavailable: undefined, release: () => (guards -= 1) };
      },
    });
    expect(mode.guardProblem?.reason).toBe('no-terminal');
    mode.guard(() => '', true);
    mode.guard(() => '', true);
    expect([mode.guardProblem, guards]).toEqual([undefined, 1]);
    mode.forget();
    mode.forget();
    mode.set();
    expect([mode.guardProblem?.reason, guards]).toEqual(['no-terminal', 0]);
  });

  it('is guarded anew where more is to be switched off', () => {
    const told: string[] = [];
    const mode = new RawMode(Object.assign(tty, { fd: 0 }), {
      jobHost,
      guardMode: (_fd, _setMode, off) => {
        told.push(`guards ${JSON.stringify(off)}`);
        return { unavailable: undefined, release: () => told.push('forgets') };
      },
    });
    mode.guard(() => '', true);
    mode.guard(() => '\x1b[<u', true);
    expect(told).toEqual(['guards ""', 'forgets', 'guards "\\u001b[<u"']);
  });

  it('is guarded as soon as it is ours, where it is not yet', () => {
    const guardMode = vi.fn((_fd: number, setMode: (watched: boolean) => void) => {
      setMode(false);
      setMode(true);
      return { unavailable: undefined, release: () => undefined };
    });
    const mode = new RawMode(Object.assign(tty, { fd: 0 }), { jobHost, guardMode });
    mode.guard(() => 'off', false);
    expect([guardMode.mock.calls.length, mode.guardProblem?.reason]).toEqual([0, 'no-terminal']);
    mode.set();
    mode.set();
    expect([guardMode.mock.calls.length, mode.guardProblem, tty.isRaw]).toEqual([1, undefined, true]);
    expect(guardMode.mock.lastCall).toMatchObject([0, expect.any(Function), 'off']);
  });

  it('says as long as it is guarded whether it is', () => {
    const helper: { problem?: GuardUnavailable } = {};
    const guardMode = () => ({
      get unavailable() {
        return helper.problem;
      },
      release: () => undefined,
    });
    const mode = new RawMode(Object.assign(tty, { fd: 0 }), { jobHost, guardMode });
    mode.guard(() => '', true);
    expect(mode.guardProblem).toBeUndefined();
    helper.problem = notGuarded('no-process', 'has ended');
    expect(mode.guardProblem?.reason).toBe('no-process');
  });

  it('is set for somebody else without a guard', () => {
    const mode = new RawMode(tty, { jobHost });
    expect([mode.put(true), mode.put(true), mode.put(false)]).toEqual([true, true, true]);
    expect(tty.modes).toEqual([true, false, true, false]);
  });

  it('is not guarded without a file descriptor', () => {
    const mode = new RawMode(tty, { jobHost });
    mode.guard(() => '', true);
    expect(mode.guardProblem?.reason).toBe('no-descriptor');
  });
});
