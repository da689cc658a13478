import { describe, expect, it, vi } from 'vitest';

import {
  TaskkillFamily,
  resisting,
  taskkillPath,
  type ToolEnd,
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
  readonly kills: number[] = [];
  answer: ToolEnd = { status: 0, errors: '' };
  /** Of the tools that run. */
  readonly ends: (() => void)[] = [];

  run(file: string, args: readonly string[]): Promise<ToolEnd> {
    this.runs.push([file, ...args].join(' '));
    return new Promise((resolve) => {
      this.ends.push(() => resolve(this.answer));
    });
  }

  runNow(file: string, args: readonly string[]): ToolEnd {
    this.runs.push(['now', file, ...args].join(' '));
    return this.answer;
  }

  kill(pid: number): void {
    this.kills.push(pid);
  }

  /** The tools have run. */
  end(): void {
    for (const end of this.ends.splice(0)) end();
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
    host.end();
    expect((await family.look()).alive).toEqual([]);
    expect([family.hasKnownAlive(), host.kills]).toEqual([false, []]);
  });

  it('knows who resisted, for as long as they are alive', async () => {
    const host = new FakeWindows();
    host.answer = { status: 1, errors };
    const family = new TaskkillFamily(500, host);
    family.signal();
    host.end();
    expect(family.describe((await family.look()).alive)).toEqual([
      { pid: 812, command: '?' },
      { pid: 940, command: '?' },
    ]);
    expect(family.hasKnownAlive()).toBe(true);
    host.alive.delete(812);
    expect((await family.look()).alive.map(({ pid }) => pid)).toEqual([940]);
  });

  it('W3 looks once the tool has run, which is not started twice meanwhile, and again afterwards', async () => {
    const host = new FakeWindows();
    host.answer = { status: 1, errors };
    const family = new TaskkillFamily(500, host);
    family.signal();
    const looked = vi.fn();
    const look = family.look().then(looked);
    expect(family.signal()).toBe('all');
    await new Promise((resolve) => setImmediate(resolve));
    expect([host.runs.length, looked.mock.calls]).toEqual([1, []]);
    host.end();
    await look;
    expect(looked).toHaveBeenCalledWith({ alive: [812, 940].map((pid) => ({ pid, startTime: 0 })), isSure: true });
    family.signal();
    expect(host.runs).toHaveLength(2);
  });

  it.each([
    ['cannot be run', null, [500]],
    ['fails', 1, [500]],
    ['knows no such process', 128, []],
  ])('ends at least the process itself where the tool %s, but no stranger', async (_, status, kills) => {
    const host = new FakeWindows();
    host.answer = { status, errors: '' };
    const family = new TaskkillFamily(500, host);
    family.signal();
    host.end();
    await family.look();
    expect(host.kills).toEqual(kills);
  });

  it('W2 ends nobody if the leader was reaped while the tool ran', async () => {
    const host = new FakeWindows();
    host.answer = { status: 1, errors: '' };
    const family = new TaskkillFamily(500, host);
    family.signal();
    family.leaderReaped();
    host.end();
    await family.look();
    expect(host.kills).toEqual([]);
  });

  it('W3 waits for nothing at the end of our own process', () => {
    const host = new FakeWindows();
    const family = new TaskkillFamily(500, host);
    expect(family.killNow()).toBe('all');
    expect(host.runs).toEqual(['now D:\\Win\\System32\\taskkill.exe /PID 500 /T /F']);
    host.answer = { status: null, errors: '' };
    expect(family.killNow()).toBe('nobody');
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

  it('on the real machine asks for a pid without hurting it', async () => {
    expect(new TaskkillFamily(process.pid).isLeaderAlive()).toBe(true);
    const nobody = new TaskkillFamily(2 ** 30);
    expect(nobody.isLeaderAlive()).toBe(false);
    // No such tool here, or no such process there: told as data either way.
    expect(nobody.killNow()).toBe('nobody');
    nobody.signal();
    expect(await nobody.look()).toEqual({ alive: [], isSure: true });
  });
});
