/** The end of our own process, while what is killed has just started something that no look before the kill could show. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterEach, describe, expect, it } from 'vitest';

import { killAll, processesNamed, uniqueSleep } from './support/child-process-watch.ts';

const program = join(import.meta.dirname, 'support/child-process-newcomer.ts');
const tag = uniqueSleep();
afterEach(() => killAll(tag));

describe.runIf(process.platform === 'linux')('S24 a program that ends', () => {
  it.each(['child-process', 'acp', 'mcp', 'mcp that connects', 'worker'])(
    'S24 takes with it what is forked while it kills: %s',
    async (door) => {
      const { stdout } = await promisify(execFile)(process.execPath, [program, door, tag]);
      expect(stdout).toBe('forked');
      await expect.poll(() => processesNamed(tag)).toEqual([]);
    },
  );
});
