import { expect, it } from 'vitest';

import { resultOf, whoIsLeft, type ResultParts } from '../../../src/adapters/child-process/process-result.ts';
import type { StoppableFamily } from '../../../src/adapters/internal/process/process-table.ts';
import { createReason } from '../../../src/core/foundation/reason.ts';

const nothing = { text: '', droppedBytes: 0 };
const stoppedBy = createReason('user');
const parts: ResultParts = {
  exit: { code: 0, signal: null },
  stdout: nothing,
  stderr: nothing,
  outputEnded: true,
  stoppedBy,
  wasStopped: true,
  wasMissed: false,
  left: [],
  ms: 1,
};

it('P4 a leader that ended with a code before the signal was not stopped', () => {
  expect(resultOf(parts).stoppedBy).toBe(stoppedBy);
  expect(resultOf({ ...parts, wasMissed: true }).stoppedBy).toBeUndefined();
  const killed = { code: null, signal: 'SIGTERM' } as const;
  expect(resultOf({ ...parts, wasMissed: true, exit: killed }).stoppedBy).toBe(stoppedBy);
});

it('who is left are survivors of a stop, and background of a normal end', () => {
  const left = [{ pid: 5, command: 'x' }];
  expect(resultOf({ ...parts, left })).toMatchObject({ survivors: left, background: [] });
  expect(resultOf({ ...parts, left, wasStopped: false })).toMatchObject({ survivors: [], background: left });
});

it('names a leader that has not ended although no table shows it', () => {
  const family = { describe: () => [] } as unknown as StoppableFamily;
  const leader = { pid: 5, spawnfile: 'dd' };
  expect(whoIsLeft(leader, false, family, { alive: [], isSure: true })).toEqual([{ pid: 5, command: 'dd' }]);
  expect(whoIsLeft(leader, true, family, { alive: [], isSure: true })).toEqual([]);
  expect(whoIsLeft(leader, true, family, { alive: [], isSure: false })).toBe('unknown');
});
