import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { expect, it } from 'vitest';

import { threadMarker } from '../../../src/adapters/internal/process/run-marker.ts';
import { stopThreadCommands } from '../../../src/adapters/worker/thread-commands.ts';
import { systemClock } from '../../../src/core/foundation/clock.ts';

const threadId = 987_654;
const start = (lineage: string) =>
  spawn('sleep', ['60'], { stdio: 'ignore', detached: true, env: { ...process.env, DESIST_RUN: lineage } });

it('stops what was started in the thread, and nothing of another one', async () => {
  const mine = start(`${threadMarker(threadId)},run`);
  const other = start(`${threadMarker(threadId + 1)},other`);
  const gone = once(mine, 'exit');
  expect(await stopThreadCommands(threadId, 500, systemClock)).toEqual([]);
  expect(await gone).toEqual([null, 'SIGTERM']);
  expect(other.exitCode ?? other.signalCode).toBeNull();
  other.kill('SIGKILL');
  await once(other, 'exit');
});

it('finds nobody where nothing was started', async () => {
  expect(await stopThreadCommands(threadId, 500, systemClock)).toEqual([]);
});
