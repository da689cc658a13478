import { EventEmitter } from 'node:events';

import { expect, it, vi } from 'vitest';

import { AgentProcess } from '../../../src/adapters/acp/agent-process.ts';
import { StoppableProcess } from '../../../src/adapters/internal/process/stoppable-process.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const noSuchPid = 2 ** 30;

it('is killed at the end of our program, until it has ended by itself', () => {
  const before = process.listenerCount('exit');
  const child = Object.assign(new EventEmitter(), { pid: noSuchPid });
  expect(new AgentProcess(child, undefined).pid).toBe(noSuchPid);
  expect(process.listenerCount('exit')).toBe(before + 1);
  child.emit('exit', 0, null);
  expect(process.listenerCount('exit')).toBe(before);
});

it('is stopped once, and its hook given back', async () => {
  const clock = new VirtualClock();
  const stop = vi.spyOn(StoppableProcess.prototype, 'stop').mockResolvedValue([]);
  const before = process.listenerCount('exit');
  const agent = new AgentProcess({ pid: noSuchPid }, {});
  await Promise.all([agent.stop(100, clock), agent.stop(100, clock)]);
  expect(stop).toHaveBeenCalledExactlyOnceWith(100, clock);
  expect(process.listenerCount('exit')).toBe(before);
});

it('must have started', () => {
  expect(() => new AgentProcess({ pid: undefined }, undefined)).toThrow(
    'agentProcess must be a process that has started, got pid undefined',
  );
});
