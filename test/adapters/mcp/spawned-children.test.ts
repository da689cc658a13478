import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { expect, it } from 'vitest';

import { isRunning, notingChildren } from '../../../src/adapters/mcp/spawned-children.ts';

const start = (): ChildProcess => spawn('true', { stdio: 'ignore' });

it('notes what a piece of work starts, also after an await, and nobody else\u2019s', async () => {
  const [mine, yours]: ChildProcess[][] = [[], []];
  const both = Promise.all([
    notingChildren(async () => {
      await Promise.resolve();
      return start();
    }, mine!),
    notingChildren(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return start();
    }, yours!),
  ]);
  const foreign = start();
  const [one, other] = await both;
  expect([mine, yours]).toEqual([[one], [other]]);
  const late = start();
  expect(mine).toHaveLength(1);
  await Promise.all([one, other, foreign, late].map(async (child) => child.exitCode ?? (await once(child, 'exit'))));
});

it('knows who has ended', async () => {
  const child = start();
  expect(isRunning(child)).toBe(true);
  await once(child, 'exit');
  expect(isRunning(child)).toBe(false);
});

it('hands on what the work throws', async () => {
  const found: ChildProcess[] = [];
  await expect(notingChildren(() => Promise.reject(new Error('no')), found)).rejects.toThrow('no');
  expect(found).toEqual([]);
});
