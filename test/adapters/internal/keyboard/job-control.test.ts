import { beforeEach, describe, expect, it } from 'vitest';

import { isInForeground, Job, type JobHost } from '../../../../src/adapters/internal/keyboard/job-control.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

let clock: VirtualClock;
let said: string[];
let listeners: Map<string, Set<() => void>>;
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
      const told = listeners.get(signal) ?? new Set();
      listeners.set(signal, told.add(fn));
      return {
        release: () => {
          told.delete(fn);
          if (told.size === 0) listeners.delete(signal);
        },
      };
    },
  };
});

/** A signal comes. */
function receive(signal: 'SIGTSTP' | 'SIGCONT'): void {
  const told = listeners.get(signal) ?? new Set();
  for (const fn of [...told]) if (told.has(fn)) fn();
}

function job(name = ''): Job {
  return new Job({ clock, host, enter: () => said.push(`enter${name}`), leave: () => said.push(`leave${name}`) });
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
    receive('SIGCONT');
    expect(said.slice(2)).toEqual(['enter']);
    expect([...listeners.keys()].sort()).toEqual(['SIGCONT', 'SIGTSTP']);
    one.release();
    expect([listeners.size, clock.pending]).toEqual([0, 0]);
  });

  it('J1 stops itself alone when somebody sends it the signal', () => {
    const one = job();
    receive('SIGTSTP');
    expect(said).toEqual(['leave', 'SIGTSTP 41']);
    one.release();
  });

  it.each([
    ['its own key', 0],
    ['a signal from elsewhere', 41],
  ])('J3 two of one process are stopped by %s once, by the default action', (_name, pid) => {
    const both = [job(' a'), job(' b')];
    if (pid === 0) both[1]?.stop();
    else receive('SIGTSTP');
    expect(said).toEqual(['leave a', 'leave b', `SIGTSTP ${String(pid)}`]);
    receive('SIGCONT');
    expect(said.slice(3).sort()).toEqual(['enter a', 'enter b']);
    both[0]?.release();
    both[1]?.stop();
    expect(said.slice(5)).toEqual(['leave b', 'SIGTSTP 0']);
    both[1]?.release();
    expect([listeners.size, clock.pending]).toEqual([0, 0]);
  });

  it('J1 continued in the background it touches nothing until it is in front', () => {
    const one = job();
    one.stop();
    front = 39;
    receive('SIGCONT');
    clock.advanceSync(10_000);
    expect(said).not.toContain('enter');
    front = 40;
    clock.advanceSync(200);
    expect(said.at(-1)).toBe('enter');
    expect(clock.pending).toBe(0);
    one.release();
  });

  it('is in front behind a program with a group of its own, and not where it was stopped and continued behind', () => {
    const one = job();
    front = 39;
    expect(one.isInFront).toBe(true);
    one.stop();
    expect(one.isInFront).toBe(false);
    receive('SIGCONT');
    expect(one.isInFront).toBe(false);
    front = 40;
    clock.advanceSync(200);
    expect(one.isInFront).toBe(true);
    one.release();
    front = 39;
    const begun = job();
    expect(begun.isInFront).toBe(false);
    begun.release();
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
