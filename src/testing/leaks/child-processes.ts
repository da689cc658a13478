/**
 * The child processes that this process has now.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';

interface Host {
  readonly process?: { readonly pid?: number; getActiveResourcesInfo?(): string[] };
}

const host: Host = globalThis;

/** Parent and state, or nothing where there is no such file, or where what it told of has just ended. */
function parentOf(pid: string): { readonly parent: number; readonly state: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in parentheses, and may hold some itself.
    const [, state = '', parent = ''] = stat.slice(stat.lastIndexOf(')')).split(' ');
    return { parent: Number(parent), state };
  } catch {
    return undefined;
  }
}

function processes(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/**
 * Their numbers, without those that have ended and that nobody has waited for; without `/proc` a number for each that
 * keeps this process alive.
 */
export function childProcesses(): readonly number[] {
  const table = processes();
  if (table.length > 0) {
    return table.map(Number).filter((pid) => {
      const found = parentOf(String(pid));
      return found?.parent === host.process?.pid && found?.state !== 'Z' && found?.state !== 'X';
    });
  }
  const held = host.process?.getActiveResourcesInfo?.().filter((name) => name === 'ProcessWrap') ?? [];
  return held.map((_, place) => -1 - place);
}
