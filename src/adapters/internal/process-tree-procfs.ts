/**
 * The process table of Linux, read from `/proc`.
 * On this floor as the Linux half of the port in `process-tree.ts`: a few milliseconds for a whole table, no process
 * started for it, and start times to a hundredth of a second.
 * Prior art: `proc_pid_stat(5)`; procps.
 *
 * @module
 */
import { nodeModule } from './node-module.ts';
import type { ProcessEntry, ProcessTable } from './process-tree.ts';
import { sendSignal, type KillFunction } from './process-tree-send.ts';

/** Options of {@link procfsTable}; the defaults are the machine's. */
export interface ProcfsOptions {
  readonly root?: string | undefined;
  readonly ownPid?: number | undefined;
  readonly kill?: KillFunction | undefined;
  /** Blocks this thread for so many milliseconds. */
  readonly pause?: ((ms: number) => void) | undefined;
}

/** How often an empty environment is read again, a millisecond apart. */
const rereads = 3;

function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * One line of `/proc/<pid>/stat`; `undefined` if it is not one.
 *
 * The second field is the command's name in parentheses, and a name may hold spaces, newlines and parentheses itself:
 * the fields that follow begin after the *last* one.
 */
export function parseStat(text: string): ProcessEntry | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 1 || close < open) return undefined;
  const pid = Number(text.slice(0, open));
  const fields = text
    .slice(close + 1)
    .trim()
    .split(/\s+/);
  const state = fields[0];
  // Counted from 1 in the manual: ppid 4, pgrp 5, session 6, starttime 22.
  const [parentPid, groupId, sessionId, startTime] = [1, 2, 3, 19].map((index) => Number(fields[index])) as [
    number,
    number,
    number,
    number,
  ];
  if (state === undefined || ![pid, parentPid, groupId, sessionId, startTime].every(Number.isSafeInteger)) {
    return undefined;
  }
  return { pid, startTime, parentPid, groupId, sessionId, state: stateOf(state) };
}

function stateOf(letter: string): ProcessEntry['state'] {
  if (letter === 'Z' || letter === 'X' || letter === 'x') return 'dead';
  return letter === 'T' || letter === 't' ? 'stopped' : 'running';
}

/** `undefined` for a process that ended meanwhile, or that we may not read. */
function readText(path: string): string | undefined {
  try {
    return nodeModule('node:fs').readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function listPids(root: string): string[] {
  try {
    return nodeModule('node:fs')
      .readdirSync(root)
      .filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** The table of this machine, or of a folder that looks like one. */
export function procfsTable(options: ProcfsOptions = {}): ProcessTable {
  const root = options.root ?? '/proc';
  const kill = options.kill ?? process.kill.bind(process);
  const pause = options.pause ?? block;

  function find(pid: number): ProcessEntry | undefined {
    const text = readText(`${root}/${String(pid)}/stat`);
    return text === undefined ? undefined : parseStat(text);
  }

  /** In the middle of an `exec` a process has none for a moment, and a look at that moment would lose it for good. */
  function environmentOf(pid: number): string | undefined {
    const read = (): string | undefined => readText(`${root}/${String(pid)}/environ`);
    let text = read();
    for (let times = 0; text === '' && times < rereads; times++) {
      pause(1);
      text = read();
    }
    return text;
  }

  return {
    ownPid: options.ownPid ?? process.pid,
    find,
    snapshot: () => listPids(root).flatMap((pid) => find(Number(pid)) ?? []),
    environmentOf,
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
