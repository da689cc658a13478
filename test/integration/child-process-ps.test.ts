import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { afterEach, expect, it } from 'vitest';

import { ProcessDescendants } from '../../src/adapters/internal/process/process-descendants.ts';
import { psTable } from '../../src/adapters/internal/process/ps-table.ts';
import { killAll, processesNamed, uniqueSleep } from './support/child-process-watch.ts';

const t = uniqueSleep();
afterEach(() => killAll(t));

async function startTree(): Promise<ChildProcess & { pid: number }> {
  const line = `sleep ${t} & setsid sleep ${t} & echo ready; wait`;
  const child = spawn('sh', ['-c', line], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  await expect.poll(() => processesNamed(t).filter(({ command }) => command === `sleep ${t}`).length).toBe(2);
  return child as ChildProcess & { pid: number };
}

it('S24 the table that ps prints leads to the whole tree as well', async () => {
  const child = await startTree();
  const family = new ProcessDescendants(psTable(), child.pid, 'no marker');
  const members = family.describe((await family.look()).alive);
  expect(members.map(({ pid }) => pid).sort()).toEqual(
    processesNamed(t)
      .map(({ pid }) => pid)
      .sort(),
  );
  expect(members.find(({ pid }) => pid === child.pid)?.command).toContain('sh -c');
  const ended = once(child, 'exit');
  family.signal('SIGKILL');
  await ended;
  await expect.poll(async () => (await family.look()).alive).toEqual([]);
  expect(family.hasKnownAlive()).toBe(false);
});

it('knows this process', () => {
  const table = psTable();
  expect(table.find(process.pid)).toMatchObject({ pid: process.pid, parentPid: process.ppid, state: 'running' });
  const own = table.find(process.pid);
  expect(Math.abs(Date.now() - (own === 'unreadable' ? 0 : (own?.startTime ?? 0)))).toBeLessThan(300_000);
});
