import { describe, expect, it } from 'vitest';

import { isSameProcess, signalProcess, TurnCache } from '../../../../src/adapters/internal/process/process-table.ts';
import { FakeTable, leader, ownPid } from './process-table-fake.ts';

describe('identity', () => {
  it('is pid and start time together', () => {
    expect(isSameProcess({ pid: 5, startTime: 1 }, { pid: 5, startTime: 1 })).toBe(true);
    expect(isSameProcess({ pid: 5, startTime: 1 }, { pid: 5, startTime: 2 })).toBe(false);
    expect(isSameProcess({ pid: 5, startTime: 1 }, { pid: 6, startTime: 1 })).toBe(false);
  });
});

describe('signalProcess', () => {
  it('signals who is still who it was', () => {
    const table = new FakeTable(leader);
    expect(signalProcess(table, { pid: 500, startTime: 50 }, 'SIGTERM')).toBe('sent');
    expect(table.sent).toEqual([[500, 'SIGTERM']]);
  });

  it('S24 sends nothing to a recycled pid', () => {
    const table = new FakeTable({ ...leader, startTime: 51 });
    expect(signalProcess(table, { pid: 500, startTime: 50 }, 'SIGKILL')).toBe('gone');
    expect(table.sent).toEqual([]);
  });

  it('sends nothing to somebody who cannot be looked at', () => {
    const table = new FakeTable(leader);
    table.isUnreadable = true;
    expect(signalProcess(table, { pid: 500, startTime: 50 }, 'SIGKILL')).toBe('refused');
    expect(table.sent).toEqual([]);
  });

  it('sends nothing to the dead and the gone', () => {
    const table = new FakeTable({ ...leader, state: 'dead' });
    expect(signalProcess(table, { pid: 500, startTime: 50 }, 'SIGKILL')).toBe('gone');
    expect(signalProcess(table, { pid: 501, startTime: 50 }, 'SIGKILL')).toBe('gone');
    expect(table.sent).toEqual([]);
  });

  it.each([ownPid, 1, 0, -1, -500])('refuses pid %i: ourselves, everybody, a group', (pid) => {
    const table = new FakeTable({ pid, startTime: 10 });
    expect(signalProcess(table, { pid, startTime: 10 }, 'SIGKILL')).toBe('refused');
    expect(table.sent).toEqual([]);
  });
});

describe('TurnCache', () => {
  const snapshot = () => new FakeTable(leader).snapshot();
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('reads once in a turn of the loop, and again in the next', async () => {
    const cache = new TurnCache();
    let reads = 0;
    const read = () => ((reads += 1), snapshot());
    const first = cache.get(true, read);
    expect(cache.get(false, read)).toBe(first);
    await turn();
    expect(cache.get(true, read)).not.toBe(first);
    expect(reads).toBe(2);
  });

  it('reads again in a turn that is held up, for somebody may have been forked since, but not more than half of the time', () => {
    let now = 0;
    const cache = new TurnCache(() => now);
    const reads: number[] = [];
    const at = (ms: number, readMs: number): void => {
      now = ms;
      cache.get(true, () => {
        reads.push(now);
        now += readMs;
        return snapshot();
      });
    };
    for (const ms of [0, 9, 10, 19]) at(ms, 0);
    at(20, 40);
    for (const ms of [60, 99, 100]) at(ms, 0);
    expect(reads).toEqual([0, 10, 20, 100]);
  });

  it('does not ask twice whether there is too much to read, unless all of it is wanted', () => {
    const cache = new TurnCache();
    let asked = 0;
    const refuse = () => void (asked += 1);
    expect([cache.get(true, refuse), cache.get(true, refuse), asked]).toEqual([undefined, undefined, 1]);
    expect(cache.get(false, snapshot)).toBeDefined();
  });

  it('has one look serve all who asked before it began, for the oldest of them', async () => {
    const cache = new TurnCache();
    const begun: number[] = [];
    const read = async (since: number) => (begun.push(since), await turn(), snapshot());
    const looks = [cache.look(30, read), cache.look(10, read)];
    await Promise.resolve().then(() => undefined);
    const later = cache.look(20, read); // the first is on its way: this one may need what came since
    const [first, second] = await Promise.all(looks);
    expect(second).toBe(first);
    expect(await later).not.toBe(first);
    expect(begun).toEqual([10, 20]);
  });

  it('hands what a look read to whoever acts on it in the same turn', async () => {
    const cache = new TurnCache();
    const seen = await cache.look(0, () => Promise.resolve(snapshot()));
    expect(cache.get(true, () => undefined)).toBe(seen);
  });

  it('goes on after a look that failed', async () => {
    const cache = new TurnCache();
    await expect(cache.look(0, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await cache.look(0, () => Promise.resolve(undefined))).toBeUndefined();
  });
});
