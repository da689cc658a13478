/**
 * The process table of macOS and the BSDs, read from `ps`.
 * On this floor as the other POSIX half of the port in `process-tree.ts`, for systems without `/proc`.
 *
 * Start times have a resolution of one second, sessions are not told, and the environment of others is not readable: a
 * daemon that left its group and lost its parent before the stop is not found here.
 * Prior art: POSIX `ps`.
 *
 * @module
 */
import { nodeModule } from './node-module.ts';
import type { ProcessEntry, ProcessTable } from './process-tree.ts';
import { sendSignal, type KillFunction } from './process-tree-send.ts';

/** Runs `ps` with these arguments and gives its output; `undefined` if it failed. */
export type PsRunner = (args: readonly string[]) => string | undefined;

/** Options of {@link psTable}; the defaults are the machine's. */
export interface PsOptions {
  readonly run?: PsRunner | undefined;
  readonly ownPid?: number | undefined;
  readonly kill?: KillFunction | undefined;
}

const columns = 'pid=,ppid=,pgid=,stat=,lstart=,command=';

/** A row with the command line that `ps` gives along with it. */
export interface PsEntry extends ProcessEntry {
  readonly command: string;
}

/** The output of `ps -o pid=,ppid=,pgid=,stat=,lstart=,command=`; lines that are no rows are left out. */
export function parsePs(text: string): PsEntry[] {
  // lstart in the C locale: "Sat Nov 21 10:11:12 2026"; FreeBSD pads the day, some print it before the month.
  const row = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w{3}\s+\w+\s+\w+\s+\d{2}:\d{2}:\d{2}\s+\d{4})(?:\s+(.*))?$/;
  return text.split('\n').flatMap((line) => {
    const match = row.exec(line);
    if (match === null) return [];
    const [, pid, parentPid, groupId, state, started, command] = match;
    const startTime = Date.parse(`${started ?? ''} UTC`);
    if (Number.isNaN(startTime)) return [];
    return [
      {
        pid: Number(pid),
        parentPid: Number(parentPid),
        groupId: Number(groupId),
        sessionId: undefined,
        startTime,
        state: stateOf(state ?? ''),
        command: command?.trim() ?? '',
      },
    ];
  });
}

function stateOf(letters: string): ProcessEntry['state'] {
  if (letters.startsWith('Z')) return 'dead';
  return letters.startsWith('T') ? 'stopped' : 'running';
}

function runPs(args: readonly string[]): string | undefined {
  try {
    return nodeModule('node:child_process').execFileSync('ps', args, {
      encoding: 'utf8',
      // One language and one zone: the month's name is parsed, and a change of zone must not look like another process.
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch {
    return undefined;
  }
}

/** The table of this machine, or of whatever the runner prints. */
export function psTable(options: PsOptions = {}): ProcessTable {
  const run = options.run ?? runPs;
  const kill = options.kill ?? process.kill.bind(process);
  const one = (pid: number): PsEntry | undefined =>
    parsePs(run(['-ww', '-p', String(pid), '-o', columns]) ?? '').find((entry) => entry.pid === pid);

  return {
    ownPid: options.ownPid ?? process.pid,
    snapshot: () => parsePs(run(['-axww', '-o', columns]) ?? ''),
    find: one,
    environmentOf: () => undefined,
    commandOf: (pid) => one(pid)?.command ?? '?',
    send: (target, signal) => sendSignal(kill, target, signal),
  };
}
