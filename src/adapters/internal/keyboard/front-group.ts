/**
 * The group of processes that is in front at our terminal when a program that had it has ended. A shell has groups of its own: one that is
 * killed, or whose last command takes its place, leaves in front what is not there any more, or what nobody waits for. No key reaches
 * anybody then, not even Ctrl+C, and whoever touches the terminal is stopped.
 *
 * Invariant: what somebody else has put in front – a shell above us, and its other jobs – is left there.
 *
 * Prior art: a shell, which takes the terminal back after each job; `tcsetpgrp(3)`.
 *
 * @module
 */
import { nodeModule } from '../node-module.ts';
import { frontOf, isInForeground, type JobHost } from './job-control.ts';

/** A process that lives. */
export interface FrontRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/** The slice of the system that is used. */
export interface FrontHost {
  /** All that live. */
  rows(): readonly FrontRow[];
  /** Has our group in front at a terminal; nothing happens where no program can do that. */
  take(terminal: number): void;
}

/** Node cannot do it. The signal is what the kernel sends to whoever is not in front, and it is ignored by that child alone. */
const takers = [
  ['perl', '-e', 'use POSIX (); $SIG{TTOU} = "IGNORE"; POSIX::tcsetpgrp(0, getpgrp())'],
  ['python3', '-c', 'import os, signal; signal.signal(signal.SIGTTOU, signal.SIG_IGN); os.tcsetpgrp(0, os.getpgrp())'],
] as const;

const LIMIT_MS = 2000;

const thisHost: FrontHost = {
  rows: () => {
    const { readdirSync, readFileSync } = nodeModule('node:fs');
    return readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        const text = readFileSync(`/proc/${name}/stat`, 'latin1');
        const [state = '', ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ', 4);
        const [parent = 0, group = 0, session = 0] = fields.map(Number);
        return /[ZXx]/.test(state) ? [] : [{ pid: Number(name), parent, group, session }];
      } catch {
        return []; // it has ended
      }
    });
  },
  take: (terminal) => {
    const { spawnSync } = nodeModule('node:child_process');
    for (const [program, ...args] of takers) {
      const { status } = spawnSync(program, args, { stdio: [terminal, 'ignore', 'ignore'], timeout: LIMIT_MS });
      if (status === 0) return;
    }
  },
};

/** A process, and those above it; a table that was read while it changed may go in a circle. */
function* chainOf(byPid: ReadonlyMap<number, FrontRow>, pid: number): Generator<FrontRow, void> {
  const seen = new Set<FrontRow>();
  for (let row = byPid.get(pid); row !== undefined && !seen.has(row); row = byPid.get(row.parent)) {
    yield row;
    seen.add(row);
  }
}

/** Whether the group in front is a job of somebody above us: in it is one of those that have started us, or whom they have started. */
function isOfOthers(rows: readonly FrontRow[], front: number, own: number): boolean {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const [self, ...started] = chainOf(byPid, own);
  // Who belongs to another session has no jobs at this terminal: an orphan of ours may be its child by now.
  const above = new Set(started.filter(({ session }) => session === self?.session));
  return rows.some(({ pid, group }) => {
    if (group !== front) return false;
    for (const row of chainOf(byPid, pid)) if (row === self || above.has(row)) return row !== self;
    return false;
  });
}

/**
 * Has us in front again after a program that had the terminal.
 *
 * @param terminal Its descriptor.
 * @returns Whether we are; `'lost'` if nobody is who could be, and it cannot be changed from here.
 */
export function takeFront(terminal: number, job?: JobHost, host: FrontHost = thisHost): boolean | 'lost' {
  if (isInForeground(job)) return true;
  const { front, pid } = frontOf(job);
  if (isOfOthers(host.rows(), front, pid)) return false;
  host.take(terminal);
  return isInForeground(job) || 'lost';
}
