import { describe, expect, it } from 'vitest';

import { takeFront, type FrontHost } from '../../../../src/adapters/internal/keyboard/front-group.ts';
import type { JobHost } from '../../../../src/adapters/internal/keyboard/job-control.ts';
import { ProcessSnapshot } from '../../../../src/adapters/internal/process/process-snapshot.ts';
import type { ProcessEntry } from '../../../../src/adapters/internal/process/process-table.ts';

function row(pid: number, groupId: number, parentPid: number, sessionId: number): ProcessEntry {
  return { pid, groupId, parentPid, sessionId, startTime: 0, state: 'running' };
}

/** A login, its shell, a job of it (npm and us), another job, a program of ours, and an orphan. */
const login = row(10, 10, 1, 10);
const shell = row(20, 20, 10, 20);
const npm = row(30, 30, 20, 20);
const ours = row(31, 30, 30, 20);
const lent = row(40, 40, 31, 20);
const orphan = row(41, 40, 1, 20);
const adopted = row(41, 40, 10, 20); // by a login that is a subreaper
const other = row(50, 50, 20, 20);
const all = [row(1, 1, 0, 1), login, shell, npm, ours];

interface Fake {
  readonly job: JobHost;
  readonly host: FrontHost;
  /** The terminals that were taken. */
  readonly taken: number[];
  /** How often the whole table was read. */
  readonly reads: () => number;
}

function hostWith(front: number, rows: readonly ProcessEntry[], { canTake = true, canRead = true } = {}): Fake {
  const taken: number[] = [];
  let now = front;
  let reads = 0;
  const job: JobHost = {
    pid: 31,
    platform: 'linux',
    kill: () => undefined,
    stat: () => `31 (node) S 30 30 20 1 ${String(now)} 0`,
    onSignal: () => ({ release: () => undefined }),
  };
  const take = (terminal: number): void => {
    taken.push(terminal);
    if (canTake) now = 30;
  };
  const table = {
    find: (pid: number) => rows.find((each) => each.pid === pid),
    snapshot: () => {
      reads += 1;
      return canRead ? new ProcessSnapshot(rows, { environmentOf: () => undefined, openFilesOf: () => [] }) : undefined;
    },
  };
  return { job, host: { table, take }, taken, reads: () => reads };
}

describe('the group in front after a program', () => {
  it.each([
    ['of a shell that is not there any more', 40, all],
    ['of a child that a dead shell has left in front', 40, [...all, orphan]],
    ['of a child that another process has taken up', 40, [...all, adopted]],
    ['of nobody, whose number another process has by now', 40, [...all, row(40, 50, 20, 20)]],
    ['of a program of ours that still lives', 40, [...all, lent]],
    ['of a child of one that still lives', 42, [...all, lent, row(43, 42, 40, 20)]],
  ])('is ours again if it is that %s', (_name, front, rows) => {
    const { job, host, taken } = hostWith(front, rows);
    expect(takeFront(7, false, job, host)).toBe('ours');
    expect(taken).toEqual([7]);
  });

  it.each([
    ['the shell that has started us', 20, all],
    ['another job of that shell', 50, [...all, other]],
    ['another job of it that has ended, and at which it has not looked yet', 50, [...all, { ...other, state: 'dead' as const }]], // prettier-ignore
    ['a job of it whose leader is gone', 50, [...all, row(51, 50, 20, 20)]],
    ['a child of another job of it', 51, [...all, other, row(51, 51, 50, 20)]],
  ])('stays with %s', (_name, front, rows) => {
    const { job, host, taken } = hostWith(front, rows);
    expect(takeFront(7, false, job, host)).toBe('others');
    expect(taken).toEqual([]);
  });

  it('stays with a program of ours that lives where others than it have ended, and is ours where it does not', () => {
    const living = hostWith(40, [...all, lent]);
    expect([takeFront(7, true, living.job, living.host), living.taken]).toEqual(['others', []]);
    const gone = hostWith(40, [...all, orphan]);
    expect([takeFront(7, true, gone.job, gone.host), gone.taken]).toEqual(['ours', [7]]);
  });

  it('is not looked for while it is ours, or where no terminal controls us', () => {
    for (const front of [30, -1]) {
      const { job, host, taken, reads } = hostWith(front, []);
      expect([takeFront(7, false, job, host), reads()]).toEqual(['ours', 0]);
      expect(taken).toEqual([]);
    }
  });

  it('is looked for in the whole table only where it has lost its leader, and is nobody\u2019s where that cannot be read', () => {
    const led = hostWith(50, [...all, other]);
    takeFront(7, false, led.job, led.host);
    expect(led.reads()).toBe(0);
    const crowded = hostWith(50, [...all, row(51, 50, 20, 20)], { canRead: false });
    expect([takeFront(7, false, crowded.job, crowded.host), crowded.reads()]).toEqual(['ours', 1]);
  });

  it('is nobody\u2019s where nothing can change it but a shell above us, and lost where there is none', () => {
    const below = hostWith(40, all, { canTake: false });
    expect(takeFront(7, false, below.job, below.host)).toBe('nobody');
    const alone = hostWith(40, [row(31, 30, 30, 20), row(30, 30, 10, 20), login], { canTake: false });
    expect(takeFront(7, false, alone.job, alone.host)).toBe('lost');
  });

  it('survives a table in which we are not, one that cannot be read, and one that goes in a circle', () => {
    const circle = [row(31, 30, 60, 20), row(60, 60, 61, 21), row(61, 40, 60, 21)];
    for (const rows of [[], circle]) {
      const { job, host } = hostWith(40, rows);
      expect(takeFront(7, false, job, host)).toBe('ours');
    }
    const { job, host } = hostWith(40, all);
    for (const table of [undefined, { find: () => 'unreadable' as const, snapshot: () => undefined }]) {
      expect(takeFront(7, false, job, { ...host, table })).toBe('ours');
    }
  });
});
