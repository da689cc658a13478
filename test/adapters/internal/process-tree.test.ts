import { describe, expect, it } from 'vitest';

import {
  byEnvironmentMarker,
  descendants,
  isSameProcess,
  signalProcess,
} from '../../../src/adapters/internal/process-tree.ts';
import { FakeTable, leader, ownPid } from './process-tree-fake.ts';

const pids = (entries: readonly { readonly pid: number }[]) => entries.map(({ pid }) => pid).sort((a, b) => a - b);

describe('identity', () => {
  it('is pid and start time together', () => {
    expect(isSameProcess({ pid: 5, startTime: 1 }, { pid: 5, startTime: 1 })).toBe(true);
    expect(isSameProcess({ pid: 5, startTime: 1 }, { pid: 5, startTime: 2 })).toBe(false);
    expect(isSameProcess({ pid: 5, startTime: 1 }, { pid: 6, startTime: 1 })).toBe(false);
  });
});

describe('descendants', () => {
  it('follows parents down to any depth, roots included', () => {
    const table = new FakeTable(leader, { pid: 501 }, { pid: 502, parentPid: 501 }, { pid: 600, parentPid: 1 });
    expect(pids(descendants(table.snapshot(), [{ pid: 500, startTime: 50 }]))).toEqual([500, 501, 502]);
  });

  it('leads nowhere from a root whose pid has a new owner', () => {
    const table = new FakeTable({ ...leader, startTime: 90 }, { pid: 501, startTime: 95 });
    expect(descendants(table.snapshot(), [{ pid: 500, startTime: 50 }])).toEqual([]);
    expect(descendants(table.snapshot(), [{ pid: 777, startTime: 50 }])).toEqual([]);
  });

  it('does not take a row for the child of a younger parent', () => {
    const table = new FakeTable(leader, { pid: 501, startTime: 49 }, { pid: 502, startTime: 50 });
    expect(pids(descendants(table.snapshot(), [{ pid: 500, startTime: 50 }]))).toEqual([500, 502]);
  });

  it('ends on a circle, and on a chain of 100,000', () => {
    const circle = new FakeTable({ pid: 501, parentPid: 502 }, { pid: 502, parentPid: 501 });
    expect(pids(descendants(circle.snapshot(), [{ pid: 501, startTime: 60 }]))).toEqual([501, 502]);
    const chain = new FakeTable();
    for (let pid = 1_000; pid < 101_000; pid += 1) chain.add({ pid, parentPid: pid - 1 });
    expect(descendants(chain.snapshot(), [{ pid: 1_000, startTime: 60 }])).toHaveLength(100_000);
  });
});

describe('byEnvironmentMarker', () => {
  it('finds the marker among the values of that variable, and nowhere else', () => {
    const table = new FakeTable(
      { pid: 501, environment: 'A=1\0DESIST_RUN=abc\0B=2\0' },
      { pid: 502, environment: 'DESIST_RUN=outer,abc,inner\0' },
      { pid: 503, environment: 'DESIST_RUN=abcd\0' },
      { pid: 504, environment: 'X_DESIST_RUN=abc\0NOTE=abc\0' },
      { pid: 505, environment: undefined },
    );
    const found = byEnvironmentMarker(table, table.snapshot(), 'DESIST_RUN', 'abc');
    expect(pids(found)).toEqual([501, 502]);
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
