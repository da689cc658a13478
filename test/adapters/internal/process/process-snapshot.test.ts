import { describe, expect, it } from 'vitest';

import {
  markersIn,
  readInSlices,
  readNow,
  type ProcessSnapshot,
  type Reading,
} from '../../../../src/adapters/internal/process/process-snapshot.ts';
import { FakeTable, leader } from './process-table-fake.ts';

const pids = (entries: readonly { readonly pid: number }[]) => entries.map(({ pid }) => pid).sort((a, b) => a - b);

const read = (table: FakeTable): ProcessSnapshot => table.snapshot()!;

describe('descendants', () => {
  it('follows parents down to any depth, roots included', () => {
    const table = new FakeTable(leader, { pid: 501 }, { pid: 502, parentPid: 501 }, { pid: 600, parentPid: 1 });
    expect(pids(read(table).descendants([{ pid: 500, startTime: 50 }]))).toEqual([500, 501, 502]);
  });

  it('leads nowhere from a root whose pid has a new owner', () => {
    const table = new FakeTable({ ...leader, startTime: 90 }, { pid: 501, startTime: 95 });
    expect(read(table).descendants([{ pid: 500, startTime: 50 }])).toEqual([]);
    expect(read(table).descendants([{ pid: 777, startTime: 50 }])).toEqual([]);
  });

  it('does not take a row for the child of a younger parent', () => {
    const table = new FakeTable(leader, { pid: 501, startTime: 49 }, { pid: 502, startTime: 50 });
    expect(pids(read(table).descendants([{ pid: 500, startTime: 50 }]))).toEqual([500, 502]);
  });

  it('ends on a circle, and on a chain of 100,000', () => {
    const circle = new FakeTable({ pid: 501, parentPid: 502 }, { pid: 502, parentPid: 501 });
    expect(pids(read(circle).descendants([{ pid: 501, startTime: 60 }]))).toEqual([501, 502]);
    const chain = new FakeTable();
    for (let pid = 1_000; pid < 101_000; pid += 1) chain.add({ pid, parentPid: pid - 1 });
    expect(read(chain).descendants([{ pid: 1_000, startTime: 60 }])).toHaveLength(100_000);
  });
});

describe('markersIn', () => {
  it.each([
    ['A=1\0DESIST_RUN=abc\0B=2\0', ['abc']],
    ['DESIST_RUN=outer,abc,inner', ['outer', 'abc', 'inner']],
    ['X_DESIST_RUN=abc\0NOTE=DESIST_RUN=abc\0', []],
    ['', []],
  ])('of %j are %j', (environment, markers) => {
    expect(markersIn(environment)).toEqual(markers);
  });
});

describe('who left a trace', () => {
  const table = () =>
    new FakeTable(
      { pid: 501, environment: 'DESIST_RUN=outer,abc\0' },
      { pid: 502, environment: 'DESIST_RUN=abcd\0', files: ['pipe:[1]', 'socket:[2]', 'socket:[2]'] },
      { pid: 503, environment: undefined, startTime: 40 },
      { pid: 504, environment: 'DESIST_RUN=abc\0', state: 'dead' },
    );

  it('is found by the very marker, among the living and young', () => {
    expect(pids(read(table()).marked('abc', 50))).toEqual([501]);
    expect(pids(read(table()).marked('abc', 61))).toEqual([]);
  });

  it('is found by an open file, once', () => {
    expect(pids(read(table()).holding('socket:[2]', 50))).toEqual([502]);
  });

  it('T1 is read once, however many ask, and only as far back as somebody asks', () => {
    const rows = table();
    const snapshot = read(rows);
    rows.reads.length = 0;
    for (const marker of ['a', 'b', 'c']) snapshot.marked(marker, 50);
    expect(rows.reads).toEqual(['environment', 'environment']);
    snapshot.marked('a', 30);
    expect(rows.reads).toHaveLength(3);
    expect(rows.reads).not.toContain('files');
  });

  it('is read again where there was no environment yet, in the middle of an exec', () => {
    const rows = new FakeTable({ ...leader, environment: '' }, { pid: 501, environment: '' });
    const snapshot = read(rows);
    expect(snapshot.marked('m', 0)).toEqual([]);
    rows.add({ ...leader, environment: 'DESIST_RUN=m\0' });
    expect(readNow(snapshot.readBlankAgain(0))).toBe(1);
    expect(pids(snapshot.marked('m', 0))).toEqual([500]);
    expect(readNow(snapshot.readBlankAgain(61))).toBe(0); // too old to be still starting
  });
});

describe('reading in slices', () => {
  function* count(to: number, spinMs: number): Reading<number> {
    for (let n = 0; n < to; n += 1) {
      const until = performance.now() + spinMs;
      while (performance.now() < until);
      yield;
    }
    return to;
  }

  it('gives the same as reading at once', async () => {
    expect(readNow(count(100, 0))).toBe(100);
    expect(await readInSlices(count(100, 0))).toBe(100);
  });

  it('lets the event loop run in between', async () => {
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      if (isOver) return;
      turns += 1;
      setImmediate(turn);
    };
    setImmediate(turn);
    await readInSlices(count(20, 2));
    isOver = true;
    expect(turns).toBeGreaterThan(4);
  });
});
