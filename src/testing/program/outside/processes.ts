/**
 * The system's table of processes, and what of it descends from a program.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A process as the system shows it.
 *
 * @since 0.1.0
 */
export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  readonly command: string;
}

/**
 * Everything that runs now; what nobody has waited for is dead.
 *
 * @throws Error – there is no `ps`, or it said nothing of us: then nobody can be said to be gone.
 */
export async function readProcesses(ps: string = 'ps'): Promise<readonly ProcessRow[]> {
  const table = await new Promise<string>((resolve, reject) => {
    execFile(ps, ['-A', '-o', 'pid=,ppid=,stat=,args='], { maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      if (new RegExp(`^\\s*${String(process.pid)}\\s`, 'm').test(stdout)) resolve(stdout);
      else reject(new Error('ps does not show which processes there are', { cause: error }));
    });
  });
  const rows = [...table.matchAll(/^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/gm)];
  return rows
    .filter(([, , , state = '']) => !state.startsWith('Z'))
    .map(([, pid, ppid, , command = '']) => ({ pid: Number(pid), ppid: Number(ppid), command }));
}

/** Those that a process has started, and theirs; the nearest first. */
export function descendantsOf(rows: readonly ProcessRow[], pid: number): readonly ProcessRow[] {
  const found: ProcessRow[] = [];
  const open = [pid];
  const seen = new Set(open);
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    for (const row of rows) {
      if (row.ppid !== next || seen.has(row.pid)) continue;
      seen.add(row.pid);
      found.push(row);
      open.push(row.pid);
    }
  }
  return found;
}

/** The processes in a folder of the system's; none without it. */
function numbersIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Whether the system tells of a process which environment it was started with. */
export const canReadEnvironments: boolean = process.platform === 'linux';

/** The real path of a folder, also of one that is gone. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Processes whose environment holds one of these texts or names one of these folders, or that work in one; on systems that do not show it
 * none.
 *
 * @param marks Texts that no other environment has.
 * @param folders Nobody else's.
 */
export function markedProcesses(marks: readonly string[], folders: readonly string[] = []): readonly number[] {
  if (!canReadEnvironments) return [];
  const places = folders.map((path) => join(realPath(path), '/'));
  const texts = [...marks, ...folders];
  return numbersIn('/proc')
    .filter((name) => {
      try {
        const cwd = `${readlinkSync(`/proc/${name}/cwd`)}/`;
        if (places.some((place) => cwd.startsWith(place))) return true;
        const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
        return texts.some((text) => environment.includes(text));
      } catch {
        return false; // gone, or somebody else's
      }
    })
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

/** Whether a process reads from a terminal; nobody does where the system does not show it. */
export function readsFrom(pid: number, terminal: string): boolean {
  try {
    return readlinkSync(`/proc/${String(pid)}/fd/0`) === terminal;
  } catch {
    return false;
  }
}

/** Sends a signal; says whether there was anybody. */
export function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
