/**
 * The child processes that this process has now.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';

/** A text of the system; nothing where there is none, or where what it told of has just ended. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/** What the system lists of each thread: to look at every process of the machine would take a hundred times as long. */
function listed(): readonly string[] | undefined {
  try {
    const lists = readdirSync('/proc/self/task').flatMap((task) => read(`/proc/self/task/${task}/children`) ?? []);
    return lists.length === 0 ? undefined : lists.flatMap((list) => list.split(' ')).filter(Boolean);
  } catch {
    return undefined;
  }
}

/** Whether it has not ended: one that nobody has waited for is still listed. */
function runs(pid: string): boolean {
  const stat = read(`/proc/${pid}/stat`) ?? ') X';
  // The name stands in parentheses, and may hold some itself.
  return !/^\) [ZX]/.test(stat.slice(stat.lastIndexOf(')')));
}

/** Their numbers, without those that have ended; where the system lists none, a number for each that keeps this process alive. */
export function childProcesses(): readonly number[] {
  const table = listed();
  if (table !== undefined) return table.filter(runs).map(Number);
  const host = globalThis as { readonly process?: { getActiveResourcesInfo?(): string[] } };
  const held = host.process?.getActiveResourcesInfo?.().filter((name) => name === 'ProcessWrap') ?? [];
  return held.map((_, place) => -1 - place);
}
