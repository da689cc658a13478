import { afterEach, expect, it, vi } from 'vitest';

import { StoppableProcess } from '../../../src/adapters/internal/process/stoppable-process.ts';
import { killIfWeEnd, markedServer, ServerProcess } from '../../../src/adapters/mcp/server-process.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const noSuchPid = 2 ** 30;

afterEach(() => {
  vi.restoreAllMocks();
});

it('is killed at the end of our program, until it is stopped', async () => {
  const before = process.listenerCount('exit');
  const clock = new VirtualClock();
  const stop = vi.spyOn(StoppableProcess.prototype, 'stop').mockResolvedValue([]);
  const server = new ServerProcess(noSuchPid, 'm');
  expect(process.listenerCount('exit')).toBe(before + 1);
  await expect(server.stop(100, clock)).resolves.toEqual([]);
  expect(stop).toHaveBeenCalledExactlyOnceWith(100, clock);
  expect(process.listenerCount('exit')).toBe(before);
});

it('that went away by itself is told nothing where its number may be a stranger’s and nothing tells', async () => {
  const before = process.listenerCount('exit');
  const stop = vi.spyOn(StoppableProcess.prototype, 'stop').mockResolvedValue([]);
  vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
  await new ServerProcess(noSuchPid, 'm').stop(100, new VirtualClock(), 'gone');
  expect(stop).not.toHaveBeenCalled();
  await new ServerProcess(noSuchPid, 'm').stop(100, new VirtualClock());
  expect(stop).toHaveBeenCalledOnce();
  expect(process.listenerCount('exit')).toBe(before);
});

it('is given another marker each time', () => {
  const [one, other] = [markedServer(), markedServer()];
  expect(one.env['DESIST_RUN']?.endsWith(one.marker ?? '-')).toBe(true);
  expect(other.marker).not.toBe(one.marker);
});

it('is killed at the end of our program while it connects, and watched for nowhere else', () => {
  const before = process.listenerCount('exit');
  const hook = killIfWeEnd([], 'm');
  expect(process.listenerCount('exit')).toBe(before + 1);
  hook?.release();
  expect(process.listenerCount('exit')).toBe(before);
  expect(killIfWeEnd([], undefined)).toBeUndefined();
});
