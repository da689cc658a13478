import type { ChildProcess } from 'node:child_process';

import { machineFactor } from '../machine-factor.ts';

/**
 * Waits until a server answers: for as long as it runs, up to a minute of a plain machine.
 *
 * @throws Error – it has ended, as where its port was taken meanwhile; or it does not answer, and is killed.
 */
export async function untilAnswers(name: string, child: ChildProcess, answers: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 60_000 * machineFactor();
  while (performance.now() < until) {
    if (await answers()) return;
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${name} has ended`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  child.kill('SIGKILL');
  throw new Error(`${name} does not answer`);
}
