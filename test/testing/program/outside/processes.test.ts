import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

import {
  descendantsOf,
  markedProcesses,
  readProcesses,
  send,
} from '../../../../src/testing/program/outside/processes.ts';
import { folder } from '../support.ts';

it('descendants are found over every level, the nearest first', () => {
  const rows = [
    [2, 1],
    [4, 3],
    [3, 2],
    [9, 8],
    [5, 2],
  ].map(([pid = 0, ppid = 0]) => ({ pid, ppid, command: '' }));
  expect(descendantsOf(rows, 2).map(({ pid }) => pid)).toEqual([3, 5, 4]);
});

it.skipIf(process.platform === 'win32')(
  'the table of processes has this one, and nobody hears a signal for a number that nobody has',
  async () => {
    expect((await readProcesses()).find(({ pid }) => pid === process.pid)?.ppid).toBe(process.ppid);
    await expect(readProcesses('true')).rejects.toThrow('ps does not show which processes there are');
    await expect(readProcesses('/no/such/ps')).rejects.toThrow('ps does not show which processes there are');
    expect(send(2 ** 30, 'SIGTERM')).toBe(false);
  },
);

it.skipIf(process.platform !== 'linux')(
  'a process is known by its environment, also by a folder that it names there, and by where it works',
  async () => {
    const [home, work] = [`/nowhere/${String(process.pid)}-home`, folder()];
    const mark = `MARK=${String(process.pid)}`;
    const sleep = (env: Readonly<Record<string, string>>, cwd = '/') =>
      spawn('/bin/sleep', ['63'], { env, cwd, stdio: 'ignore' });
    const own = [sleep({ MARK: String(process.pid) }), sleep({ HOME: home }), sleep({}, work)];
    const other = sleep({ HOME: '/' });
    try {
      const marked = markedProcesses([mark], [home, work]);
      expect([...own, other].map(({ pid = 0 }) => marked.includes(pid))).toEqual([true, true, true, false]);
    } finally {
      for (const child of [...own, other]) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
  },
);
