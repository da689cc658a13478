/** What the page of performance says of speed is what the last run of the benches measured. */
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

it('the speeds on the page of performance are those of the results page', () => {
  const text = readFileSync(join(root, 'docs/concepts/performance.md'), 'utf8').replace(/\s+/g, ' ');
  for (const row of [
    'AbortSignal.any + listener / child + callback',
    'AbortSignal.any + timeout / ours',
    'abort() / cancel()',
  ])
    expect(text).toContain(` ${measured(row)} times`);
  expect([measured('idle source + token'), text.includes('takes 96 bytes')]).toEqual(['96', true]);
});
