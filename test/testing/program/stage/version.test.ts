import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { CancelledError, CancellationTokenSource } from '../../../../src/index.ts';
import { versionOf } from '../../../../src/testing/program/stage/version.ts';
import { Patience } from '../../../../src/testing/program/stage/patience.ts';
import { waitUntil } from '../../../../src/testing/waiting.ts';
import { setupOf } from '../support.ts';

const onUnix = it.skipIf(process.platform === 'win32');
const setupFor = (script: string) => setupOf({ command: ['a'], version: ['sh', '-c', script] });

onUnix('a version is the first line that a program says on its standard output', async () => {
  expect(await versionOf(setupFor('echo a warning >&2; echo; echo " 1.2.3 "; echo more'))).toBe('1.2.3');
  expect(await versionOf(setupFor('exit 1'))).toBeUndefined();
  expect(await versionOf(setupOf({ command: ['a'], version: ['/no/such/program'] }))).toBeUndefined();
  expect(await versionOf(setupOf({ command: ['a'] }))).toBeUndefined();
});

onUnix(
  'a program that hangs when it is asked for its version is ended with the check, deaf and with children as it may be',
  async () => {
    const stop = new CancellationTokenSource();
    const setup = setupFor('trap "" TERM INT; sleep 91 & echo $$ $! > pids; wait');
    const version = versionOf({ ...setup, patience: await Patience.begin(stop.token) });
    const pids = (): readonly number[] => {
      try {
        return readFileSync(join(setup.work, 'pids'), 'utf8').trim().split(' ').map(Number);
      } catch {
        return [];
      }
    };
    await waitUntil('it hangs', () => pids().length === 2, 30_000);
    stop.cancel('user');
    await expect(version).rejects.toThrow(CancelledError);
    if (process.platform !== 'linux') return;
    const isAlive = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await waitUntil('both are gone', () => !pids().some(isAlive), 30_000);
  },
);
