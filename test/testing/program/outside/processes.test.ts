import { expect, it } from 'vitest';

import { descendantsOf, readProcesses, send } from '../../../../src/testing/program/outside/processes.ts';

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
