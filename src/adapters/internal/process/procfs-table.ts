/**
 * The process table of Linux, read from `/proc`. Prior art: `proc_pid_stat(5)`; procps.
 *
 * @module
 */
import type { Dir } from 'node:fs';

import { nodeModule } from '../node-module.ts';
import { ProcessSnapshot, readInSlices, readNow, type Reading } from './process-snapshot.ts';
import { TurnCache, type ProcessEntry, type ProcessTable } from './process-table.ts';
import { sendSignal, type KillFunction } from './send-signal.ts';

/** Options of {@link procfsTable}; the defaults are the machine's. */
export interface ProcfsOptions {
  readonly root?: string | undefined;
  readonly ownPid?: number | undefined;
  readonly kill?: KillFunction | undefined;
  /** A clock, ms; the process's own by default. */
  readonly now?: (() => number) | undefined;
}

/** How often an empty environment is read again, a millisecond apart. */
const rereads = 3;
/** Start times are counted in hundredths of a second, on every architecture. */
const ticksPerSecond = 100;
/** `PF_EXITING` in the flags of a process: it is on its way out, and still has its files open. */
const exitingFlag = 4;
/** A process that forks, leaves and ends all the time is caught by listing again until nobody new is there. */
const listings = 4;
/** How many entries of the table's folder are asked for at once. */
const listedAtOnce = 256;
/** A reading in one go holds the event loop: past so many processes it is given up, as that of a large table, once it has taken so long. */
const quickly = { processes: 200, ms: 20 } as const;
const isNumber = /^\d+$/;

interface StatLine extends ProcessEntry {
  readonly threads: number;
}

/**
 * One line of `/proc/<pid>/stat`; `undefined` if it is not one.
 *
 * The second field is the command's name in parentheses, and a name may hold spaces, newlines and parentheses itself:
 * the fields that follow begin after the *last* one.
 */
export function parseStat(text: string): StatLine | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 1 || close < open) return undefined;
  const fields = text.slice(close + 2).split(' ', 20);
  const state = fields[0];
  // Counted from 1 in the manual: ppid 4, pgrp 5, session 6, flags 9, num_threads 20, starttime 22.
  const [pid, parentPid, groupId, sessionId] = [text.slice(0, open), fields[1], fields[2], fields[3]].map(Number);
  const [flags, threads, startTime] = [fields[6], fields[17], fields[19]].map(Number);
  const numbers = [pid, parentPid, groupId, sessionId, flags, threads, startTime] as number[];
  if (state === undefined || !numbers.every(Number.isSafeInteger)) return undefined;
  const isEnding = (Number(flags) & exitingFlag) !== 0;
  return { pid, startTime, parentPid, groupId, sessionId, threads, state: stateOf(state), isEnding } as StatLine;
}

function stateOf(letter: string): ProcessEntry['state'] {
  if (letter === 'Z' || letter === 'X' || letter === 'x') return 'dead';
  return letter === 'T' || letter === 't' ? 'stopped' : 'running';
}

/** That a file is not there, or that its process has ended while it was read: everything else is a look that failed. */
function isGone(error: unknown): boolean {
  const code = (error as { readonly code?: unknown }).code;
  return code === 'ENOENT' || code === 'ESRCH' || code === 'ENOTDIR';
}

/** `undefined` for a process that ended meanwhile, or that we may not read. */
function readText(path: string): string | undefined {
  try {
    return nodeModule('node:fs').readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** When the youngest of all started. */
function youngestOf({ entries }: ProcessSnapshot): number {
  return entries.reduce((time, entry) => Math.max(time, entry.startTime), 0);
}

/** The table of this machine, or of a folder that looks like one. */
export function procfsTable(options: ProcfsOptions = {}): ProcessTable {
  const root = options.root ?? '/proc';
  const kill = options.kill ?? process.kill.bind(process);
  const ownPid = options.ownPid ?? process.pid;
  const fs = nodeModule('node:fs');
  const now = options.now ?? (() => nodeModule('node:perf_hooks').performance.now());

  function lineOf(pid: number | string): StatLine | 'unreadable' | undefined {
    try {
      return parseStat(fs.readFileSync(`${root}/${String(pid)}/stat`, 'utf8'));
    } catch (error) {
      return isGone(error) ? undefined : 'unreadable';
    }
  }

  /**
   * In parts: with thousands of processes the kernel takes long to list them.
   *
   * @param atMost With more processes than this the rest is not listed.
   * @returns `undefined` if there are more, or if they cannot be listed: an empty list would say that nobody is there.
   */
  function* listPids(atMost = Infinity): Reading<string[] | undefined> {
    const pids: string[] = [];
    let folder: Dir | undefined;
    try {
      folder = fs.opendirSync(root, { bufferSize: listedAtOnce });
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        if (isNumber.test(entry.name)) pids.push(entry.name);
        if (pids.length > atMost) return undefined;
        yield;
      }
      return pids;
    } catch {
      return undefined;
    } finally {
      folder?.closeSync();
    }
  }

  const openFilesOf = (pid: number): string[] => {
    try {
      const folder = `${root}/${String(pid)}/fd`;
      return fs.readdirSync(folder).flatMap((name) => {
        try {
          return fs.readlinkSync(`${folder}/${name}`);
        } catch {
          return [];
        }
      });
    } catch {
      return []; // somebody else's process
    }
  };
  const environmentOf = (pid: number): string | undefined => readText(`${root}/${String(pid)}/environ`);
  const reader = { environmentOf, openFilesOf };

  /** `undefined` if any of it could not be read for want of descriptors or memory. */
  function* readAll(atMost = Infinity): Reading<ProcessSnapshot | undefined> {
    const entries = new Map<string, ProcessEntry | undefined>();
    const startedAt = now();
    const isSlow = (): boolean =>
      atMost !== Infinity && entries.size > quickly.processes && now() - startedAt > quickly.ms;
    for (let times = 0; times < listings; times += 1) {
      const pids = yield* listPids(times === 0 ? atMost : undefined);
      if (pids === undefined) return undefined;
      const before = entries.size;
      for (const pid of pids) {
        if (entries.has(pid)) continue;
        const line = lineOf(pid);
        if (line === 'unreadable' || isSlow()) return undefined;
        entries.set(pid, line);
        yield;
      }
      if (entries.size === before) break;
    }
    return new ProcessSnapshot(
      [...entries.values()].filter((entry) => entry !== undefined),
      reader,
    );
  }

  /** Of every thread: a thread's children are listed with it. */
  function childrenOf({ pid, threads }: StatLine): number[] | undefined {
    const folder = `${root}/${String(pid)}/task`;
    try {
      const tasks = threads === 1 ? [String(pid)] : fs.readdirSync(folder);
      return tasks.flatMap((task) => {
        const text = fs.readFileSync(`${folder}/${task}/children`, 'utf8').trim();
        return text === '' ? [] : text.split(' ').map(Number);
      });
    } catch {
      return undefined;
    }
  }

  function walk(roots: readonly number[]): ProcessEntry[] | undefined {
    const found = new Map<number, ProcessEntry>();
    const pending = [...roots];
    for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
      if (found.has(pid)) continue;
      const line = lineOf(pid);
      if (line === 'unreadable') return undefined;
      if (line === undefined) continue;
      found.set(pid, line);
      if (line.state === 'dead') continue;
      const children = childrenOf(line);
      // A kernel that does not list children cannot be walked; a process that has ended has none.
      if (children === undefined && lineOf(pid) !== undefined) return undefined;
      pending.push(...(children ?? []));
    }
    return [...found.values()];
  }

  const cache = new TurnCache();
  return {
    ownPid,
    find: lineOf,
    snapshot: (atMost = Infinity) => cache.get(atMost !== Infinity, () => readNow(readAll(atMost))),
    snapshotAfter: (seen, since) =>
      cache.after(seen, () => {
        const snapshot = readNow(readAll());
        if (snapshot === undefined) return undefined;
        readNow(snapshot.readMarkers(since));
        for (let times = 0; times < rereads; times += 1) {
          if (readNow(snapshot.readBlankAgain(youngestOf(snapshot) - ticksPerSecond)) === 0) break;
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); // nothing else runs here any more
        }
        return snapshot;
      }),
    look: (since) =>
      cache.look(since, async (oldest) => {
        const snapshot = await readInSlices(readAll());
        if (snapshot === undefined) return undefined;
        await readInSlices(snapshot.readMarkers(oldest));
        const newest = youngestOf(snapshot);
        for (let times = 0; times < rereads; times += 1) {
          if ((await readInSlices(snapshot.readBlankAgain(newest - ticksPerSecond))) === 0) break;
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
        return snapshot;
      }),
    descendantsOf: walk,
    environmentOf,
    openFileOf: (pid, descriptor) => {
      try {
        return fs.readlinkSync(`${root}/${String(pid)}/fd/${String(descriptor)}`);
      } catch {
        return undefined;
      }
    },
    commandOf: (pid) => {
      const line = readText(`${root}/${String(pid)}/cmdline`)
        ?.replaceAll('\0', ' ')
        .trim();
      if (line !== undefined && line !== '') return line;
      return readText(`${root}/${String(pid)}/comm`)?.trim() ?? '?';
    },
    send: (target, signal) => sendSignal(kill, target, signal),
  };
}
