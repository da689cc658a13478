/**
 * Processes that a run of tests has left behind. Each is a fault like a red test: of the product, or of a test that ends less
 * than it began.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The variable by which a run is known in the environment of all that it starts, and what that starts. */
export const RUN_MARK = 'TEST_RUN';

interface Running {
  readonly pid: number;
  readonly command: string;
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return ''; // It has ended, or is somebody else's.
  }
}

/** What runs with this mark; nothing where no `/proc` tells. A process that has ended and was not reaped has no environment. */
function runningOf(mark: string): Running[] {
  if (!existsSync('/proc/self/environ')) return [];
  const wanted = `${RUN_MARK}=${mark}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(name, 'environ').split('\0').includes(wanted))
    .map((pid) => ({ pid: Number(pid), command: read(pid, 'cmdline').replaceAll('\0', ' ').trim() }));
}

/**
 * Waits for what a run has started, and ends what is still there.
 *
 * @param withinMs How long it may take to end by itself: a guardian waits for its grace.
 * @returns The command of each process that had to be killed.
 */
export async function endLeftRunning(mark: string, withinMs: number): Promise<string[]> {
  const until = performance.now() + withinMs;
  let left = runningOf(mark);
  while (left.length > 0 && performance.now() < until) {
    await delay(100);
    left = runningOf(mark);
  }
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended just now.
    }
  }
  return left.map(({ command }) => command);
}
