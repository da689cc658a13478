import { beforeEach, describe, expect, it } from 'vitest';

import { isInForeground, Job, type JobHost } from '../../../../src/adapters/internal/keyboard/job-control.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

let clock: VirtualClock;
let said: string[];
let listeners: Map<string, () => void>;
let front: number;
let host: JobHost;

beforeEach(() => {
  clock = new VirtualClock();
  said = [];
  listeners = new Map();
  front = 40;
  host = {
    pid: 41,
    platform: 'linux',
    stat: () => `41 (node (a) b) S 1 40 39 34816 ${String(front)} 4194304`,
    kill: (pid, signal) => said.push(`${signal} ${String(pid)}${listeners.has(signal) ? ', heard' : ''}`),
    onSignal: (signal, fn) => {
      listeners.set(signal, fn);
      return { release: () => listeners.delete(signal) };
    },
  };
});

function job(): Job {
  return new Job({ clock, host, enter: () => said.push('enter'), leave: () => said.push('leave') });
}

describe('isInForeground', () => {
  it('compares our group with the one the terminal belongs to', () => {
    expect(isInForeground(host)).toBe(true);
    front = 39;
    expect(isInForeground(host)).toBe(false);
  });

  it('is true without a terminal, and where the system does not tell', () => {
    front = -1;
    expect(isInForeground(host)).toBe(true);
    expect(isInForeground({ ...host, stat: () => undefined })).toBe(true);
  });

  it('asks the kernel about this process', () => {
    expect(typeof isInForeground()).toBe('boolean');
  });
});

describe('a job', () => {
  it('J1 J2 leaves first, stops its group by the default action, and enters when it is continued', () => {
    const one = job();
    one.stop();
    expect(said).toEqual(['leave', 'SIGTSTP 0']);
    listeners.get('SIGCONT')?.();
    expect(said.slice(2)).toEqual(['enter']);
    expect([...listeners.keys()].sort()).toEqual(['SIGCONT', 'SIGTSTP']);
    one.release();
    expect([listeners.size, clock.pending]).toEqual([0, 0]);
  });

  it('J1 stops itself alone when somebody sends it the signal', () => {
    const one = job();
    listeners.get('SIGTSTP')?.();
    expect(said).toEqual(['leave', 'SIGTSTP 41']);
    one.release();
  });

  it('J1 continued in the background it touches nothing until it is in front', () => {
    const one = job();
    one.stop();
    front = 39;
    listeners.get('SIGCONT')?.();
    clock.advanceSync(10_000);
    expect(said).not.toContain('enter');
    front = 40;
    clock.advanceSync(200);
    expect(said.at(-1)).toBe('enter');
    expect(clock.pending).toBe(0);
    one.release();
  });

  it('goes on by itself where no shell could continue it', () => {
    const one = job();
    one.stop();
    clock.advanceSync(200);
    expect(said.at(-1)).toBe('enter');
    one.release();
  });

  it('is never stopped on Windows', () => {
    host = { ...host, platform: 'win32' };
    job().stop();
    expect(said).toEqual([]);
  });
});
