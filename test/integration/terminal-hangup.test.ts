/** The window is closed while an agent works: its terminal is lost and SIGHUP comes, in the same turn of the event loop. */
import { spawn } from '@lydell/node-pty';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { fixture, node } from './support/terminal-pty.ts';

/** Whether there is such a process, and not only its entry in the table. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z/.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

it('S29 a watched program ends when its terminal hangs up, as it would without us', async () => {
  for (let round = 0; round < 5; round++) {
    const terminal = spawn(node, [fixture, 'return'], {});
    await new Promise<void>((resolve) => {
      let shown = '';
      terminal.onData((text) => {
        shown += text;
        if (shown.includes('<ready>')) resolve();
      });
    });
    // Closes our side: what a terminal does whose window is closed.
    (terminal as unknown as { destroy(): void }).destroy();
    for (let waited = 0; waited < 5_000 && isAlive(terminal.pid); waited += 20) await sleep(20);
    const survived = isAlive(terminal.pid);
    if (survived) process.kill(terminal.pid, 'SIGKILL');
    expect(survived).toBe(false);
  }
});
