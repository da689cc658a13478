import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('./support/mock-timers.ts', import.meta.url));

it('deadlines, graces and polls keep the time of node:test’s own mock timers', async () => {
  const { NODE_TEST_CONTEXT: _runner, ...env } = process.env;
  const args = ['--test', '--test-isolation=none', '--test-reporter=tap', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env }).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toContain('# pass 7');
  expect(stdout).toContain('# fail 0');
});
