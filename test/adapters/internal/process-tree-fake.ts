/**
 * A process table written by hand: rows in memory, signals recorded, deaths as the test says.
 *
 * @module
 */
import type { ProcessEntry, ProcessTable, SendOutcome } from '../../../src/adapters/internal/process-tree.ts';

/** The pid and the group of the process that plays "us". */
export const ownPid = 100;

/** One row; what is left out is that of a child of the leader 500, in its group and session. */
export interface FakeRow extends Partial<ProcessEntry> {
  readonly pid: number;
  readonly environment?: string | undefined;
  readonly command?: string | undefined;
  /** Signals it survives. */
  readonly deafTo?: readonly NodeJS.Signals[] | undefined;
  /** Whether we may signal it; yes by default. */
  readonly foreign?: boolean | undefined;
}

export class FakeTable implements ProcessTable {
  readonly ownPid: number = ownPid;
  readonly sent: [target: number, signal: NodeJS.Signals][] = [];
  readonly reads: ('snapshot' | 'find' | 'environment')[] = [];
  readonly rows: Map<number, FakeRow & ProcessEntry> = new Map();

  constructor(...rows: FakeRow[]) {
    this.add({ pid: ownPid, parentPid: 1, groupId: ownPid, sessionId: ownPid, startTime: 10 });
    for (const row of rows) this.add(row);
  }

  add(row: FakeRow): void {
    const defaults = { parentPid: 500, groupId: 500, sessionId: 500, startTime: 60, state: 'running' } as const;
    this.rows.set(row.pid, { ...defaults, ...row });
  }

  remove(...pids: number[]): void {
    for (const pid of pids) this.rows.delete(pid);
  }

  snapshot(): ProcessEntry[] {
    this.reads.push('snapshot');
    return [...this.rows.values()];
  }

  find(pid: number): ProcessEntry | undefined {
    this.reads.push('find');
    return this.rows.get(pid);
  }

  environmentOf(pid: number): string | undefined {
    this.reads.push('environment');
    return this.rows.get(pid)?.environment;
  }

  commandOf(pid: number): string {
    return this.rows.get(pid)?.command ?? '?';
  }

  send(target: number, signal: NodeJS.Signals | 0): SendOutcome {
    const hit = [...this.rows.values()].filter((row) => (target < 0 ? row.groupId === -target : row.pid === target));
    if (signal === 0) return hit.length > 0 ? 'sent' : 'gone';
    this.sent.push([target, signal]);
    if (hit.length === 0) return 'gone';
    if (hit.every((row) => row.foreign === true)) return 'refused';
    for (const row of hit) {
      const deadly = signal === 'SIGKILL' || (signal !== 'SIGCONT' && row.state !== 'stopped');
      if (deadly && row.foreign !== true && row.deafTo?.includes(signal) !== true) this.rows.delete(row.pid);
    }
    return 'sent';
  }
}

/** The leader that `FakeRow`'s defaults hang on. */
export const leader: FakeRow = { pid: 500, parentPid: ownPid, startTime: 50, command: 'sh -c work' };
