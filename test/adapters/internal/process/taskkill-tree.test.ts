import { describe, expect, it } from 'vitest';

import {
  TaskkillFamily,
  resisting,
  taskkillPath,
  type WindowsHost,
} from '../../../../src/adapters/internal/process/taskkill-tree.ts';

const errors = [
  'ERROR: The process with PID 812 (child process of PID 500) could not be terminated.',
  'Reason: Access is denied.',
  'FEHLER: Der Prozess mit PID 940 (untergeordneter Prozess von PID 812) konnte nicht beendet werden.',
].join('\r\n');

class FakeWindows implements WindowsHost {
  readonly environment: Record<string, string | undefined> = { SystemRoot: 'D:\\Win' };
  readonly runs: string[] = [];
  readonly alive: Set<number> = new Set([500, 812, 940]);
  answer: { status: number | null; errors: string } = { status: 0, errors: '' };

  run(file: string, args: readonly string[]): { status: number | null; errors: string } {
    this.runs.push([file, ...args].join(' '));
    return this.answer;
  }

  isAlive(pid: number): boolean {
    return this.alive.has(pid);
  }
}

describe('taskkillPath', () => {
  it.each([
    [{ SystemRoot: 'D:\\Win' }, 'D:\\Win\\System32\\taskkill.exe'],
    [{ SYSTEMROOT: 'D:\\Win', PATH: 'C:\\evil' }, 'D:\\Win\\System32\\taskkill.exe'],
    [{ PATH: 'C:\\evil' }, 'C:\\Windows\\System32\\taskkill.exe'],
    [{ SystemRoot: '' }, 'C:\\Windows\\System32\\taskkill.exe'],
  ])('W1 %j', (environment, path) => {
    expect(taskkillPath(environment)).toBe(path);
  });
});

describe('resisting', () => {
  it('reads who would not end, in any language, and not their parents', () => {
    expect(resisting(errors)).toEqual([812, 940]);
    expect(resisting('')).toEqual([]);
  });
});

describe('TaskkillFamily', () => {
  it('ends the whole tree by force, whatever signal is asked for', async () => {
    const host = new FakeWindows();
    const family = new TaskkillFamily(500, host);
    expect(family.signal()).toBe('all');
    expect(host.runs).toEqual(['D:\\Win\\System32\\taskkill.exe /PID 500 /T /F']);
    expect((await family.look()).alive).toEqual([]);
    expect(family.hasKnownAlive()).toBe(false);
  });

  it('knows who resisted, for as long as they are alive', async () => {
    const host = new FakeWindows();
    host.answer = { status: 1, errors };
    const family = new TaskkillFamily(500, host);
    expect(family.signal()).toBe('nobody');
    expect(family.describe((await family.look()).alive)).toEqual([
      { pid: 812, command: '?' },
      { pid: 940, command: '?' },
    ]);
    expect(family.hasKnownAlive()).toBe(true);
    host.alive.delete(812);
    expect((await family.look()).alive.map(({ pid }) => pid)).toEqual([940]);
  });

  it('says so where the tool cannot be run', () => {
    const host = new FakeWindows();
    host.answer = { status: null, errors: '' };
    expect(new TaskkillFamily(500, host).signal()).toBe('nobody');
  });

  it('W2 ends nobody once the leader has been reaped', () => {
    const host = new FakeWindows();
    const family = new TaskkillFamily(500, host);
    expect(family.isLeaderAlive()).toBe(true);
    family.leaderReaped();
    expect([family.signal(), family.killNow(), family.isLeaderAlive()]).toEqual(['nobody', 'nobody', false]);
    expect(host.runs).toEqual([]);
  });

  it('has no groups, and leaves Ctrl+C to the console', () => {
    const host = new FakeWindows();
    const family = new TaskkillFamily(500, host);
    family.interrupt();
    expect([family.isLeaderDead(), family.hadLeaderEnded(), host.runs]).toEqual([false, false, []]);
  });

  it('on the real machine asks for a pid without hurting it', () => {
    expect(new TaskkillFamily(process.pid).isLeaderAlive()).toBe(true);
    expect(new TaskkillFamily(2 ** 30).isLeaderAlive()).toBe(false);
    // No such tool here, or no such process there: told as data either way.
    expect(new TaskkillFamily(2 ** 30).signal()).toBe('nobody');
  });
});
