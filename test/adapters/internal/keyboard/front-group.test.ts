import { describe, expect, it } from 'vitest';

import { takeFront, type FrontRow } from '../../../../src/adapters/internal/keyboard/front-group.ts';
import type { JobHost } from '../../../../src/adapters/internal/keyboard/job-control.ts';

/** A login, its shell, a job of it (npm and us), another job, a program of ours, and an orphan; the number after the group is the parent. */
const login: FrontRow = { pid: 10, group: 10, parent: 1, session: 10 };
const shell: FrontRow = { pid: 20, group: 20, parent: 10, session: 20 };
const npm: FrontRow = { pid: 30, group: 30, parent: 20, session: 20 };
const ours: FrontRow = { pid: 31, group: 30, parent: 30, session: 20 };
const lent: FrontRow = { pid: 40, group: 40, parent: 31, session: 20 };
const orphan: FrontRow = { pid: 41, group: 40, parent: 1, session: 20 };
const adopted: FrontRow = { pid: 41, group: 40, parent: 10, session: 20 }; // by a login that is a subreaper
const other: FrontRow = { pid: 50, group: 50, parent: 20, session: 20 };
const all = [{ pid: 1, group: 1, parent: 0, session: 1 }, login, shell, npm, ours];

function hostWith(front: number, isTaken = true): { job: JobHost; taken: number[]; take: (terminal: number) => void } {
  const taken: number[] = [];
  let now = front;
  const job: JobHost = {
    pid: 31,
    platform: 'linux',
    kill: () => undefined,
    stat: () => `31 (node) S 30 30 20 1 ${String(now)} 0`,
    onSignal: () => ({ release: () => undefined }),
  };
  const take = (terminal: number): void => {
    taken.push(terminal);
    if (isTaken) now = 30;
  };
  return { job, taken, take };
}

describe('the group in front after a program', () => {
  it.each([
    ['of a shell that is not there any more', 40, all],
    ['of a child that a dead shell has left in front', 40, [...all, orphan]],
    ['of a child that another process has taken up', 40, [...all, adopted]],
    ['of a program of ours that still lives', 40, [...all, lent]],
  ])('is ours again if it is that %s', (_name, front, rows) => {
    const { job, taken, take } = hostWith(front);
    expect(takeFront(7, job, { rows: () => rows, take })).toBe(true);
    expect(taken).toEqual([7]);
  });

  it.each([
    ['the shell that has started us', 20, all],
    ['another job of that shell', 50, [...all, other]],
    ['a child of another job of it', 51, [...all, other, { pid: 51, group: 51, parent: 50, session: 20 }]],
  ])('stays with %s', (_name, front, rows) => {
    const { job, taken, take } = hostWith(front);
    expect(takeFront(7, job, { rows: () => rows, take })).toBe(false);
    expect(taken).toEqual([]);
  });

  it('is not looked for while it is ours, or where no terminal controls us', () => {
    const rows = (): never => {
      throw new Error('nobody asks');
    };
    for (const front of [30, -1]) {
      const { job, taken, take } = hostWith(front);
      expect(takeFront(7, job, { rows, take })).toBe(true);
      expect(taken).toEqual([]);
    }
  });

  it('is lost where nothing can change it', () => {
    const { job, take } = hostWith(40, false);
    expect(takeFront(7, job, { rows: () => all, take })).toBe('lost');
  });

  it('survives a table in which we are not, and one that goes in a circle', () => {
    const circle = [
      { pid: 31, group: 30, parent: 60, session: 20 },
      { pid: 60, group: 60, parent: 61, session: 21 },
      { pid: 61, group: 40, parent: 60, session: 21 },
    ];
    for (const rows of [[], circle]) {
      const { job, take } = hostWith(40);
      expect(takeFront(7, job, { rows: () => rows, take })).toBe(true);
    }
  });
});
