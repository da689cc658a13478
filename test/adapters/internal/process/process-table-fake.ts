/**
 * A process table written by hand: rows in memory, signals recorded, deaths as the test says.
 *
 * @module
 */
import { ProcessSnapshot } from '../../../../src/adapters/internal/process/process-snapshot.ts';
import type {
  ProcessEntry,
  ProcessTable,
  SendOutcome,
} from '../../../../src/adapters/internal/process/process-table.ts';

/** The pid and the group of the process that plays "us". */
export const ownPid = 100;

/** One row; what is left out is that of a child of the leader 500, in its group and session. */
export interface FakeRow extends Partial<ProcessEntry> {
  readonly pid: number;
  readonly environment?: string | undefined;
  readonly command?: string | undefined;
  /** What it has open. */
  readonly files?: readonly string[] | undefined;
  /** Signals it survives. */
  readonly deafTo?: readonly NodeJS.Signals[] | undefined;
  /** Whether we may signal it; yes by default. */
  readonly foreign?: boolean | undefined;
}

export class FakeTable implements ProcessTable {
  readonly ownPid: number = ownPid;
  readonly sent: [target: number, signal: NodeJS.Signals][] = [];
  readonly reads: ('snapshot' | 'look' | 'find' | 'environment' | 'files')[] = [];
  /** Whether there are too many processes to read them all at once. */
  isLarge = false;
  /** Whether there are no descriptors to read anything with. */
  isUnreadable = false;
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

  snapshot(atMost = Infinity): ProcessSnapshot | undefined {
    if (this.isUnreadable || (this.isLarge && atMost !== Infinity)) return undefined;
    this.reads.push('snapshot');
    return this.#read();
  }

  snapshotAfter(): ProcessSnapshot | undefined {
    return this.snapshot();
  }

  look(): Promise<ProcessSnapshot | undefined> {
    if (this.isUnreadable) return Promise.resolve(undefined);
    this.reads.push('look');
    return Promise.resolve(this.#read());
  }

  descendantsOf(pids: readonly number[]): ProcessEntry[] | undefined {
    if (this.isUnreadable) return undefined;
    const found = [...this.rows.values()].filter(({ pid }) => pids.includes(pid));
    for (const parent of found) {
      found.push(...[...this.rows.values()].filter((row) => row.parentPid === parent.pid && !found.includes(row)));
    }
    return found;
  }

  find(pid: number): ProcessEntry | 'unreadable' | undefined {
    if (this.isUnreadable) return 'unreadable';
    this.reads.push('find');
    return this.rows.get(pid);
  }

  openFileOf(): undefined {
    return undefined;
  }

  openFilesOf(pid: number): readonly string[] {
    this.reads.push('files');
    return this.rows.get(pid)?.files ?? [];
  }

  #read(): ProcessSnapshot {
    return new ProcessSnapshot([...this.rows.values()], this);
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
