import { EventEmitter } from 'node:events';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { FrontHost } from '../../../../../src/adapters/internal/keyboard/front-group.ts';
import type { JobHost } from '../../../../../src/adapters/internal/keyboard/job-control.ts';
import { LentTerminal } from '../../../../../src/adapters/internal/keyboard/mode/lent-terminal.ts';
import { createProcessHooks } from '../../../../../src/adapters/internal/process/process-hooks.ts';
import { VirtualClock } from '../../../../../src/testing/virtual-clock.ts';
import { FakeTty } from '../fake-tty.ts';

const registry = Symbol.for('desist.process-hooks.v1');
const home = globalThis as Record<symbol, unknown>;

let tty: FakeTty & { fd?: number };
let clock: VirtualClock;
let host: EventEmitter;
let before: unknown;
/** The group in front; ours is 7, 8 is that of the shell above us, and nobody is in the others. */
let front: number;
let canTake: boolean;
let hasShell: boolean;
let isShared: boolean;
let said: string[];
let listeners: Map<string, () => void>;

beforeEach(() => {
  tty = Object.assign(new FakeTty(), { fd: 0 });
  clock = new VirtualClock();
  const stand = { pid: 1, platform: 'linux', kill: () => undefined, exit: () => undefined };
  host = Object.assign(new EventEmitter(), stand);
  before = home[registry];
  home[registry] = createProcessHooks(Object.assign(host, stand), (fn) => {
    fn();
  });
  [front, canTake, hasShell, isShared] = [7, true, true, false];
  said = [];
  listeners = new Map();
});

afterEach(() => {
  expect([listeners.size, clock.pending, host.eventNames()]).toEqual([0, 0, []]);
  home[registry] = before;
});

const jobHost: JobHost = {
  pid: 7,
  platform: 'linux',
  kill: (_pid, signal) => said.push(signal),
  stat: () => `7 (node) S 6 7 6 1 ${String(front)} 0`,
  onSignal: (signal, fn) => {
    listeners.set(signal, fn);
    return { release: () => listeners.delete(signal) };
  },
};

const frontHost: FrontHost = {
  table: {
    find: (pid) => {
      const row = { pid, sessionId: 6, startTime: 0, state: 'running' as const };
      if (pid === 7) return { ...row, groupId: 7, parentPid: hasShell ? 8 : 1 };
      return pid === 8 ? { ...row, groupId: 8, parentPid: 1 } : undefined;
    },
    snapshot: () => undefined,
  },
  take: () => {
    said.push('take');
    if (canTake) front = 7;
  },
};

function lentTerminal(): LentTerminal {
  const stty = (_fd: number, argument: string): string => {
    said.push(argument);
    return 'found';
  };
  return new LentTerminal(
    tty,
    { clock, jobHost, frontHost, stty },
    {
      isShared: () => isShared,
      setRaw: (raw) => tty.setRawMode(raw),
      lost: () => said.push('lost'),
    },
  );
}

describe('the settings of a terminal that programs have', () => {
  it('L1 are noted before the first, and put back after the last, once', () => {
    const lent = lentTerminal();
    const [first, second] = [lent.lend(), lent.lend()];
    first();
    first();
    expect(said).toEqual(['-g']);
    second();
    second();
    expect(said.splice(0)).toEqual(['-g', 'found']);
    lent.lend()();
    expect(said).toEqual(['-g', 'found']);
  });

  it('L1 are put back when the process ends, after all that ends with it', () => {
    const lent = lentTerminal();
    const putBack = lent.lend();
    host.emit('exit');
    expect(said.splice(0)).toEqual(['-g', 'found']);
    putBack();
    host.emit('exit');
    expect(said).toEqual(['found']);
  });

  it('are nobody\u2019s where nobody says which terminal it is, and left alone where it is another job\u2019s', () => {
    const putBack = lentTerminal().lend();
    front = 8;
    putBack();
    lentTerminal().lend()();
    expect(said.splice(0)).toEqual(['-g']);
    front = 7;
    delete tty.fd;
    lentTerminal().lend()();
    expect(said).toEqual([]);
  });

  it('are the line mode where somebody beside us has left it raw, and raw again if he is still there', () => {
    const lent = lentTerminal();
    isShared = true;
    tty.setRawMode(true);
    const putBack = lent.lend();
    expect(tty.isRaw).toBe(false);
    putBack();
    expect(tty.isRaw).toBe(true);
    const leaves = lent.lend();
    isShared = false;
    leaves();
    expect(tty.isRaw).toBe(false);
  });
});

describe('the front of a terminal that programs have', () => {
  it('L2 is ours again, with the settings, at the end of the last, and between two', () => {
    const lent = lentTerminal();
    lent.takeUp(); // nobody has it
    const putBack = lent.lend();
    lent.takeUp(); // it is ours
    expect(said.splice(0)).toEqual(['-g']);
    front = 9;
    lent.takeUp();
    expect(said.splice(0)).toEqual(['take', 'found']);
    front = 9;
    const second = lent.lend();
    expect(said.splice(0)).toEqual(['take', 'found']);
    second();
    front = 9;
    putBack();
    expect(said).toEqual(['take', 'found']);
  });

  it('L2 is left to our shell after Ctrl+Z and bg, and ours again after fg', () => {
    const lent = lentTerminal();
    const putBack = lent.lend();
    listeners.get('SIGTSTP')?.();
    front = 8;
    listeners.get('SIGCONT')?.();
    front = 9; // another job of the shell, at whose end it has not looked
    lent.takeUp();
    expect(said.splice(0)).toEqual(['-g', 'SIGTSTP']);
    front = 7;
    clock.advanceSync(200);
    front = 9;
    lent.takeUp();
    expect(said.splice(0)).toEqual(['take', 'found']);
    listeners.get('SIGTSTP')?.();
    front = 9;
    listeners.get('SIGCONT')?.();
    putBack();
    expect(said).toEqual(['SIGTSTP']);
  });

  it('stops our job where only a shell above us can change it, and is lost where there is none', () => {
    canTake = false;
    const stops = lentTerminal().lend();
    front = 9;
    stops();
    expect(said.splice(0)).toEqual(['-g', 'take', 'SIGTSTP']);
    [front, hasShell] = [7, false];
    const loses = lentTerminal().lend();
    front = 9;
    loses();
    expect(said).toEqual(['-g', 'take', 'lost']);
  });
});
