/** What the README says of speed is what the last run of the benches measured. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { root } from '../package/consumer.ts';

const results = readFileSync(join(root, 'bench/RESULTS.md'), 'utf8');

/** The first column of figures, that of Node 24, rounded. */
function measured(row: string): string {
  const line = results.split('\n').find((text) => text.includes(`| ${row} |`)) ?? '';
  return String(Math.round(Number.parseFloat(line.split('|')[3] ?? '')));
}

it.each([
  ['README.md', (n: string) => ` ${n} times`, 'takes 96 bytes'],
  ['README_zh.md', (n: string) => ` ${n} 倍`, '占 96 字节'],
])('the speeds in %s are those of the results page', (page, times, bytes) => {
  const text = readFileSync(join(root, page), 'utf8').replace(/\s+/g, ' ');
  for (const row of [
    'AbortSignal.any + listener / child + callback',
    'AbortSignal.any + timeout / ours',
    'abort() / cancel()',
  ])
    expect(text).toContain(times(measured(row)));
  expect([measured('idle source + token'), text.includes(bytes)]).toEqual(['96', true]);
});
