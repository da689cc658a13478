import { expect, it } from 'vitest';

import { sumFindings } from '../../../../src/testing/program/report/program-report.ts';
import { findingOf } from '../../../../src/testing/program/stage/findings.ts';

it('findings of several runs are summed: the worst sentence, the median and the worst time, how many were good', () => {
  const run = (isSo: boolean, ms: number) => ({
    findings: [
      findingOf('stream', isSo, { sentence: isSo ? 'closed' : 'open', ms }),
      findingOf('fact', true, { sentence: `${String(ms)} requests` }),
    ],
  });
  expect(sumFindings([run(true, 30), run(false, 900), run(true, 10)])).toEqual([
    { about: 'stream', status: 'failed', sentence: 'open', good: 2, of: 3, medianMs: 30, worstMs: 900 },
    {
      about: 'fact',
      status: 'passed',
      sentence: '30 requests',
      good: 3,
      of: 3,
      medianMs: undefined,
      worstMs: undefined,
    },
  ]);
  expect(sumFindings([])).toEqual([]);
});

it('a run that has looked at one thing twice counts once, as it was at its worst', () => {
  const prompt = (isSo: boolean) => findingOf('prompt', isSo, { sentence: isSo ? 'heard' : 'heard late' });
  expect(sumFindings([{ findings: [prompt(true), prompt(false)] }])).toMatchObject([
    { about: 'prompt', status: 'failed', sentence: 'heard late', good: 0, of: 1 },
  ]);
});
