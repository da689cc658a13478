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
import type { ProcessEntry, ProcessTable } from '../process/process-table.ts';
import { hostProcessTable } from '../process/tree-host.ts';
import { frontOf, isInForeground, type JobHost } from './job-control.ts';

/** The slice of the system that is used. */
export interface FrontHost {
  readonly table: Pick<ProcessTable, 'find' | 'snapshot'> | undefined;
  /** Has our group in front at a terminal; nothing happens where no program can do that. */
  take(terminal: number): void;
}

/**
 * Who is in front at our terminal: `ours` we, now at least · `others` a job that is none of ours, or a program of ours that was to be
 * left there · `nobody` no one who could be, but a shell above us can bring us back · `lost` nobody can.
 */
export type Front = 'ours' | 'others' | 'nobody' | 'lost';

/** Node cannot do it. The signal is what the kernel sends to whoever is not in front, and it is ignored by that child alone. */
const takers = [
  ['perl', '-e', 'use POSIX (); $SIG{TTOU} = "IGNORE"; POSIX::tcsetpgrp(0, getpgrp())'],
  ['python3', '-c', 'import os, signal; signal.signal(signal.SIGTTOU, signal.SIG_IGN); os.tcsetpgrp(0, os.getpgrp())'],
] as const;

const LIMIT_MS = 2000;

/** With more processes than this the table is not read: what is left of a group that has lost its leader is nobody's then. */
const MOST_PROCESSES = 1000;

const thisHost: FrontHost = {
  get table() {
    return hostProcessTable();
  },
  take: (terminal) => {
    const { spawnSync } = nodeModule('node:child_process');
    for (const [program, ...args] of takers) {
      const { status } = spawnSync(program, args, { stdio: [terminal, 'ignore', 'ignore'], timeout: LIMIT_MS });
      if (status === 0) return;
    }
  },
};

function find({ table }: FrontHost, pid: number): ProcessEntry | undefined {
  const found = table?.find(pid);
  return found === 'unreadable' ? undefined : found;
}

/** A process, and those above it; a table that changes while it is read may go in a circle. */
function* chainOf(host: FrontHost, pid: number): Generator<ProcessEntry, void> {
  const seen = new Set<number>();
  for (let row = find(host, pid); row !== undefined && !seen.has(row.pid); row = find(host, row.parentPid)) {
    yield row;
    seen.add(row.pid);
  }
}

/** Those who stand for a group: its leader, also one that has ended and that its shell has not looked at yet, or else whoever is left. */
function membersOf({ table }: FrontHost, group: number): readonly ProcessEntry[] {
  const leader = table?.find(group);
  if (leader === 'unreadable') return [];
  if (leader !== undefined) return leader.groupId === group ? [leader] : []; // the number is another's: nobody is left
  return table?.snapshot(MOST_PROCESSES)?.entries.filter(({ groupId }) => groupId === group) ?? [];
}

/** Who has started a group: somebody above us, or whom they have started, or we. */
function startedBy(
  host: FrontHost,
  group: number,
  [self, ...above]: readonly ProcessEntry[],
): 'others' | 'us' | 'nobody' {
  // Who belongs to another session has no jobs at this terminal: an orphan of ours may be its child by now.
  const others = new Set(above.filter(({ sessionId }) => sessionId === self?.sessionId).map(({ pid }) => pid));
  let isOurs = false;
  for (const member of membersOf(host, group)) {
    for (const { pid } of chainOf(host, member.pid)) {
      if (others.has(pid)) return 'others';
      if (pid !== self?.pid) continue;
      isOurs = true;
      break;
    }
  }
  return isOurs ? 'us' : 'nobody';
}

/** Whether somebody in our session, and in another group, can continue ours: the kernel stops no group for which nobody is there. */
function hasShell(own: readonly ProcessEntry[]): boolean {
  const [self] = own;
  return own.some(({ groupId, sessionId }) => sessionId === self?.sessionId && groupId !== self?.groupId);
}

/**
 * Has us in front again after a program that had the terminal.
 *
 * @param terminal Its descriptor.
 * @param spare Whether a program of ours that lives is left in front: others than the one that has ended may run.
 */
export function takeFront(terminal: number, spare: boolean, job?: JobHost, host: FrontHost = thisHost): Front {
  if (isInForeground(job)) return 'ours';
  const { front, pid } = frontOf(job);
  const own = [...chainOf(host, pid)];
  const starter = startedBy(host, front, own);
  if (starter === 'others' || (spare && starter === 'us')) return 'others';
  host.take(terminal);
  if (isInForeground(job)) return 'ours';
  return hasShell(own) ? 'nobody' : 'lost';
}
