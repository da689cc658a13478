import { expect, it } from 'vitest';

import { formatMs, requireTrace, timelineRows } from '../../src/inspect/timeline-rows.ts';
import { row, stopped, traceOf } from './kit.ts';

it('rows stand below what they are part of, with their share of the time', () => {
  const { rows, totalMs } = timelineRows(stopped);
  expect(totalMs).toBe(1_000);
  expect(rows.map(({ operation, depth, outcome }) => [operation.name, depth, outcome])).toEqual([
    ['turn 1', 0, 'cancelled'],
    ['search', 1, 'cancelled'],
    ['deploy', 1, 'still running'],
  ]);
  expect(rows.map(({ length }) => length)).toEqual([0.8, 0.51, 1]);
});

it('a row whose parent was dropped is still there', () => {
  expect(timelineRows(traceOf([row({ id: 'a', parentId: 'gone' })])).rows).toHaveLength(1);
});

it('what ended late says so', () => {
  const late = row({ id: 'a', outcome: 'abandoned', endedAt: 1_100, late: { at: 1_900, outcome: 'failed' } });
  expect(timelineRows(traceOf([late])).rows[0]).toMatchObject({ outcome: 'late: failed', length: 0.9 });
});

it('anything but a trace is refused', () => {
  for (const trace of [undefined, null, {}, { version: 2 }, 'x'])
    expect(() => requireTrace(trace as never)).toThrow(TypeError);
});

it('times are for people', () => {
  expect([formatMs(12.4), formatMs(12_345)]).toEqual(['12 ms', '12.3 s']);
});
