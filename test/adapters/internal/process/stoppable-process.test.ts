import { expect, it } from 'vitest';

import { ProcessDescendants } from '../../../../src/adapters/internal/process/process-descendants.ts';
import { StoppableProcess } from '../../../../src/adapters/internal/process/stoppable-process.ts';
import { lastLookMs } from '../../../../src/adapters/internal/process/stop-ladder.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { FakeTable, ownPid, type FakeRow } from './process-table-fake.ts';

/** A server of ours: in our own group and session, as an SDK starts it. */
const server: FakeRow = { pid: 600, parentPid: ownPid, groupId: ownPid, sessionId: ownPid, startTime: 50 };
const helper: FakeRow = { ...server, pid: 601, parentPid: 600, startTime: 55, command: 'helper' };
const neighbour: FakeRow = { ...server, pid: 700, startTime: 70 };

const processOf = (table: FakeTable) => new StoppableProcess(600, new ProcessDescendants(table, 600, () => undefined));

it('stops it and what it started, and nobody else', async () => {
  const clock = new VirtualClock();
  const table = new FakeTable(server, helper, neighbour);
  const stopped = processOf(table).stop(1000, clock);
  await clock.advance(10);
  await expect(stopped).resolves.toEqual([]);
  expect(table.sent).toEqual([
    [600, 'SIGTERM'],
    [601, 'SIGTERM'],
  ]);
  expect(table.rows.has(700)).toBe(true);
  expect(clock.pending).toBe(0);
});

it('kills who is deaf when the grace is over', async () => {
  const clock = new VirtualClock();
  const table = new FakeTable(server, { ...helper, deafTo: ['SIGTERM'] });
  const stopped = processOf(table).stop(1000, clock);
  await clock.advance(999);
  expect(table.rows.has(601)).toBe(true);
  await clock.advance(60);
  await expect(stopped).resolves.toEqual([]);
  expect(table.sent.at(-1)).toEqual([601, 'SIGKILL']);
});

it('names who cannot be killed', async () => {
  const clock = new VirtualClock();
  const table = new FakeTable(server, { ...helper, deafTo: ['SIGTERM', 'SIGKILL'] });
  const stopped = processOf(table).stop(100, clock);
  await clock.advance(100 + lastLookMs + 60);
  await expect(stopped).resolves.toEqual([{ pid: 601, command: 'helper' }]);
});

it('spares whoever has its pid by then', async () => {
  const clock = new VirtualClock();
  const table = new FakeTable(server);
  const process = processOf(table);
  table.remove(600);
  table.add({ ...server, startTime: 90 });
  const stopped = process.stop(1000, clock);
  await clock.advance(10);
  await expect(stopped).resolves.toEqual([]);
  expect(table.sent).toEqual([]);
});
