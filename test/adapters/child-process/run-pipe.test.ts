import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, it, vi } from 'vitest';

import { OwnRunPipe, withRunPipe } from '../../../src/adapters/child-process/run-pipe.ts';

it.each([
  ['ignore', ['ignore', 'ignore', 'ignore', 'pipe']],
  [
    ['ignore', 'pipe'],
    ['ignore', 'pipe', 'pipe', 'pipe'],
  ],
  [
    ['ignore', 'pipe', 'pipe', 'ipc'],
    ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
  ],
] as const)('stands behind what the caller asked for: %j', (given, expected) => {
  expect(withRunPipe(given as never)).toEqual(expected);
});

it('is held while anybody who came from the command is alive', async () => {
  const child = spawn('sh', ['-c', 'sleep 0.2; sleep 0.3 & exit 0'], { stdio: withRunPipe('ignore') });
  const onFree = vi.fn();
  const pipe = new OwnRunPipe(child, onFree);
  if (process.platform === 'linux') expect(pipe.file).toMatch(/^socket:\[\d+\]$/);
  await once(child, 'exit');
  expect(pipe.isHeld()).toBe(true);
  await vi.waitFor(() => expect(onFree).toHaveBeenCalledOnce(), { timeout: 5000 });
  expect(pipe.isHeld()).toBe(false);
  pipe.release();
});

it('has no name, and is held all the same, if the command ended before anybody could look at it', async () => {
  const child = spawn('sh', ['-c', 'sleep 1 & exit 0'], { stdio: withRunPipe('ignore') });
  execFileSync('sleep', ['0.2']); // no turn of the event loop: it has ended, and is not reaped
  const pipe = new OwnRunPipe(child, () => undefined);
  expect([pipe.isHeld(), pipe.file]).toEqual([true, undefined]);
  await once(child, 'exit');
  expect(pipe.isHeld()).toBe(true);
  pipe.release();
});

it('is held by nobody where nothing was started', () => {
  const pipe = new OwnRunPipe({ pid: undefined } as never, () => undefined);
  expect([pipe.isHeld(), pipe.file]).toEqual([false, undefined]);
  pipe.release();
});
