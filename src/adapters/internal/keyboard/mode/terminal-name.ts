/**
 * The name by which any other process finds a terminal, too. `/dev/tty` means to each its own, and nothing to one that has none.
 *
 * Prior art: procps, which finds the terminal of a process in the same way.
 *
 * @module
 */
import { nodeModule } from '../../node-module.ts';

/** The slice of the system that is used. */
export interface TerminalNameHost {
  /** The terminal that controls this process, as the kernel numbers devices; `undefined` where it does not say. */
  controlling(): number | undefined;
  /** Names of a folder; a throw where there is none. */
  names(folder: string): readonly string[];
  device(path: string): number;
  /** What `ps` calls the terminal that controls this process; a throw where there is no `ps`. */
  ps(): string;
}

const thisHost: TerminalNameHost = {
  controlling: () => {
    const { readFileSync } = nodeModule('node:fs');
    const stat = quietly(() => readFileSync('/proc/self/stat', 'latin1'));
    return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ', 5)[4]);
  },
  names: (folder) => nodeModule('node:fs').readdirSync(folder),
  device: (path) => nodeModule('node:fs').statSync(path).rdev,
  ps: () =>
    nodeModule('node:child_process').execFileSync('ps', ['-o', 'tty=', '-p', String(process.pid)], {
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
      timeout: 1000,
    }),
};

function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * Finds it.
 *
 * @param path As `tty` says it.
 * @returns `path` itself if it is a name for everybody; `undefined` where no name is known.
 */
export function terminalName(path: string, host: TerminalNameHost = thisHost): string | undefined {
  if (path !== '/dev/tty') return path;
  const device = host.controlling();
  if (device === undefined) {
    const name = quietly(() => host.ps())?.trim() ?? '';
    return /^tty|^pts\//.test(name) ? `/dev/${name}` : undefined; // `?`, `??`: none
  }
  const named = (folder: string): string[] =>
    (quietly(() => host.names(folder)) ?? []).map((name) => `${folder}/${name}`);
  // Not `/dev/tty` itself, whose device is another: it is the question, not the answer.
  const paths = [...named('/dev/pts'), ...named('/dev').filter((name) => /^\/dev\/(?:tty|console)/.test(name))];
  return paths.find((name) => quietly(() => host.device(name)) === device);
}
