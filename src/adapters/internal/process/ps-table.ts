/**
 * The process table of macOS and the BSDs, read from `ps`.
 *
 * Start times have a resolution of one second, sessions are not told, and the environment of others is not readable: a
 * daemon that left its group and lost its parent before the stop is not found here.
 * Prior art: POSIX `ps`.
 *
 * @module
 */
import { nodeModule } from '../node-module.ts';
import { ProcessSnapshot } from './process-snapshot.ts';
import { TurnCache, type ProcessEntry, type ProcessTable } from './process-table.ts';
import { sendSignal, type KillFunction } from './send-signal.ts';

/** Runs `ps` with these arguments and gives its output; `undefined` if it failed. */
export type PsRunner = (args: readonly string[]) => string | undefined;

/** Options of {@link psTable}; the defaults are the machine's. */
export interface PsOptions {
  readonly run?: PsRunner | undefined;
  /** The same without waiting for it; `run` by default, if that is given. */
  readonly runLater?: ((args: readonly string[]) => Promise<string | undefined>) | undefined;
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

const maxBuffer = 64 * 1024 * 1024;

/** One language and one zone: the month's name is parsed, and a change of zone must not look like another process. */
function psEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
}

function runPs(args: readonly string[]): string | undefined {
  try {
    return nodeModule('node:child_process').execFileSync('ps', args, {
      encoding: 'utf8',
      env: psEnvironment(),
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer,
    });
  } catch {
    return undefined;
  }
}

function runPsLater(args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    try {
      nodeModule('node:child_process').execFile('ps', args, { env: psEnvironment(), maxBuffer }, (error, output) =>
        resolve(error === null ? output : undefined),
      );
    } catch {
      resolve(undefined);
    }
  });
}

/** The table of this machine, or of whatever the runner prints. */
export function psTable(options: PsOptions = {}): ProcessTable {
  const given = options.run;
  const run = given ?? runPs;
  const runLater = options.runLater ?? (given === undefined ? runPsLater : (args) => Promise.resolve(given(args)));
  const kill = options.kill ?? process.kill.bind(process);
  const all = ['-axww', '-o', columns];
  const cache = new TurnCache();
  const one = (pid: number): PsEntry | 'unreadable' | undefined => {
    const text = run(['-ww', '-p', String(pid), '-o', columns]);
    const found = parsePs(text ?? '').find((entry) => entry.pid === pid);
    // It fails when there is no such process, too; then the kernel knows none either.
    if (found !== undefined || text !== undefined) return found;
    return sendSignal(kill, pid, 0) === 'gone' ? undefined : 'unreadable';
  };
  const snapshotOf = (text: string | undefined): ProcessSnapshot | undefined =>
    text === undefined ? undefined : new ProcessSnapshot(parsePs(text), noTraces);

  return {
    ownPid: options.ownPid ?? process.pid,
    snapshot: () => cache.get(false, () => snapshotOf(run(all))),
    // Who came since has left the group and shows no environment: it would not be recognised.
    snapshotAfter: () => undefined,
    look: (since) => cache.look(since, async () => snapshotOf(await runLater(all))),
    descendantsOf: () => undefined,
    find: one,
    environmentOf: () => undefined,
    openFileOf: () => undefined,
    commandOf: (pid) => {
      const found = one(pid);
      return found === undefined || found === 'unreadable' ? '?' : found.command;
    },
    send: (target, signal) => sendSignal(kill, target, signal),
  };
}

/** Environments and open files of others are not told. */
const noTraces = { environmentOf: () => undefined, openFilesOf: () => [] };
