/**
 * Sees every process of one run of the demo, also those that left its process tree: each carries a mark in its
 * environment.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);
const variable = 'DESIST_DEMO_RUN';

export interface Found {
  readonly pid: number;
  readonly command: string;
}

/** A way to find the processes of one run. */
export interface Mark {
  /** To be given to the demo; what it starts inherits it. */
  readonly env: Readonly<Record<string, string>>;
  /** Who is alive – a zombie is not – and fits; lowest command line first. */
  readonly alive: (command?: RegExp) => Promise<Found[]>;
  /** Ends those that fit, the hard way. */
  readonly killAll: (command?: RegExp) => Promise<void>;
}

/** `ps` with everybody's environment, as Linux and macOS spell it. */
const psOptions = process.platform === 'darwin' ? '-axEww' : 'axeww';

export function createMark(): Mark {
  const id = randomUUID();

  async function alive(wanted = /^/): Promise<Found[]> {
    const { stdout } = await run('ps', [psOptions, '-o', 'pid=,stat=,command='], { maxBuffer: 2 ** 26 });
    const found = stdout.split('\n').flatMap((line) => {
      const [, pid, stat, rest = ''] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
      if (!rest.includes(`${variable}=${id}`) || stat?.startsWith('Z') !== false) return [];
      // The environment follows the command line; its first variable ends it.
      const [command = ''] = rest.split(/ (?=\w+=)/, 1);
      return wanted.test(command) ? [{ pid: Number(pid), command }] : [];
    });
    return found.sort((a, b) => (a.command < b.command ? -1 : 1));
  }

  async function killAll(wanted?: RegExp): Promise<void> {
    for (const { pid } of await alive(wanted)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  return { env: { [variable]: id }, alive, killAll };
}
