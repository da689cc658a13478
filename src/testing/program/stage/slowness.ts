/**
 * How much slower than usual this machine is right now, so that no limit is about the machine.
 *
 * @module
 */
import { execFile } from 'node:child_process';

/** What Node takes to start on a machine that has nothing else to do. */
const USUAL_MS = 60;
const MOST = 16;

function startNode(): Promise<void> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['-e', '0'], () => {
      resolve();
    });
  });
}

/**
 * Starts a small program and compares with what that usually takes.
 *
 * @param start Starts it, and waits for its end.
 * @returns 1 or more.
 */
export async function measureSlowness(
  start: () => Promise<unknown> = startNode,
  clock: () => number = () => performance.now(),
): Promise<number> {
  const began = clock();
  await start();
  return Math.min(MOST, Math.max(1, (clock() - began) / USUAL_MS));
}
