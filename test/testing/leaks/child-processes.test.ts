import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { describe, expect, it } from 'vitest';

import { childProcesses } from '../../../src/testing/leaks/child-processes.ts';

describe('the child processes of this process', () => {
  it('A child is seen while it runs, also one that does not keep the process alive, and not once it has ended', async () => {
    const before = childProcesses();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', detached: true });
    child.unref();
    const started = childProcesses().filter((pid) => !before.includes(pid));
    expect(started).toEqual([child.pid]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(childProcesses()).not.toContain(child.pid);
  });
});
