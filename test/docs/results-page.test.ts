/** The results page keeps what was not measured again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import type { Column } from '../../bench/report.ts';
import { requireColumns, withWorkloads, type Measuring } from '../../bench/results-page.ts';
import { workloads } from '../../bench/workloads/index.ts';
import { root } from '../package/consumer.ts';

const page = `# Results

- Node: 24.1.0, 20.2.0

| # | workload | Node 24.1.0 | goal |  | Node 20.2.0 | goal |  |
|---|---|--:|--:|---|--:|--:|---|
| **G1** | **One** | | | | | | |
| | a | 1× | ≤ 2 | pass | 3× | ≤ 2 | **miss** |
| **G3** | **Three** | | | | | | |
| | c | 5 ms |  |  | 6 ms |  |  |
| | d, of old | 5 ms |  |  | 6 ms |  |  |

G1 was measured on 2026-01-01, at a load of 2.0.
`;

const measuring: Measuring = { order: ['G1', 'G2', 'G3'], date: new Date('2026-02-03'), load: 7.25 };

function column(version: string, id: string, what: string, value: number): Column {
  return { version, results: [{ id, title: `${id} again`, rows: [{ what, value, unit: 'ms', atMost: 4 }] }] };
}

it('the results page gets the rows that were measured, and keeps those of other workloads and of other Nodes', () => {
  expect(withWorkloads(page, [column('v24.1.0', 'G3', 'c', 8)], measuring)).toBe(
    page
      .replace('**Three**', '**G3 again**')
      .replace('| | c | 5 ms |  |  | 6 ms |', '| | c | 8 ms | ≤ 4 | **miss** | 6 ms |')
      .replace('| | d, of old | 5 ms |  |  | 6 ms |  |  |\n', '')
      .concat('\nG3 was measured on 2026-02-03, at a load of 7.3.\n'),
  );
});

it('the results page gets a workload that it did not have in its place, and says once when it was measured', () => {
  const two = [column('v24.1.0', 'G2', 'b', 3), column('v20.2.0', 'G2', 'b', 5)];
  const once = withWorkloads(page, two, measuring);
  expect(once.split('\n').slice(7, 11)).toEqual([
    '| | a | 1× | ≤ 2 | pass | 3× | ≤ 2 | **miss** |',
    '| **G2** | **G2 again** | | | | | | |',
    '| | b | 3 ms | ≤ 4 | pass | 5 ms | ≤ 4 | **miss** |',
    '| **G3** | **Three** | | | | | | |',
  ]);
  expect(withWorkloads(once, two, measuring)).toBe(once);
});

it('the results page refuses figures of a Node that it has no column for', () => {
  expect(() => {
    requireColumns(page, ['v24.1.0', 'v20.2.0']);
  }).not.toThrow();
  expect(() => {
    requireColumns(page, ['v24.2.0']);
  }).toThrow(
    RangeError(
      'RESULTS.md has columns for Node 24.1.0 and 20.2.0, none for 24.2.0: measure everything with --write, or these without',
    ),
  );
});

it('the results page of the repository has a block of each workload that it names, with as many cells as columns', () => {
  const text = readFileSync(join(root, 'bench/RESULTS.md'), 'utf8');
  expect(withWorkloads(text, [], { ...measuring, order: Object.keys(workloads) })).toBe(text);
  const widths = text
    .split('\n')
    .filter((line) => line.startsWith('| |'))
    .map((line) => line.split(' | ').length);
  expect(new Set(widths)).toEqual(new Set([8]));
});
