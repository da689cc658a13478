import { expect, it } from 'vitest';

import { formatProbe, formatReport } from '../../../../src/testing/program/report/format-report.ts';
import { sampleReport } from './sample-report.ts';

it('a report in words has the versions, a block per check, why one does not apply, and where one broke off', () => {
  expect(formatReport(sampleReport).split('\n')).toEqual([
    'agent <x> (1.2.3) · speaks anthropic, runs commands in bash',
    '2026-11-28 · Node v24.0.0 · linux x64 · in namespaces of its own · limits × 2',
    '',
    '✗ tool       Does it end?',
    '    ✗ unanswered (1 of 3 runs, median 10 ms, worst 40 ms)',
    '    · started',
    '',
    '– hangup     A window?',
    '    – it has no window',
    '',
    '? batch      The second?',
    '    ? the command was never started',
    '',
    '2 of 3 checks apply, failed: tool, could not be played: batch',
  ]);
  const unchecked = formatReport({ ...sampleReport, checks: [], unchecked: 'the program was never ready' });
  expect(unchecked).toContain('Nothing could be checked: the program was never ready');
});

it('a probe in words says what arrived, and what to do if nothing did', () => {
  const probe = {
    isReady: false,
    greeting: 'hello\n> ',
    screen: '',
    requests: [],
    unknownRequests: [{ method: 'GET', path: '/v1/models', status: 404, receivedAt: 0 }],
    exitCode: 3,
  };
  const text = formatProbe(probe);
  expect(text).toContain('It was never ready: see `ready` and `setup` of a profile.\nIt ended with 3.');
  expect(text).toContain(
    '  none: see `env` and `files` of a profile\nRequests to other paths:\n  GET /v1/models – 404',
  );
  expect(text).toContain('  | hello\n  | > ');
  const requests = [{ dialect: 'anthropic' as const, tools: ['a', 'bash'], shell: 'bash', refusal: undefined }];
  expect(formatProbe({ ...probe, requests })).toContain('  anthropic, tools: a, bash; commands run in bash');
});

it('what a program says commands no terminal', () => {
  const hostile = '\x1b]0;owned\x07\x1b[2J\x9b31mI ask\r\n\u202enobody\x00';
  const report = formatReport({ ...sampleReport, checks: [], unchecked: hostile });
  expect(report).toContain('Nothing could be checked: I ask\nnobody\n');
  const seen = { isReady: true, greeting: hostile, screen: hostile, requests: [], exitCode: undefined };
  const probe = formatProbe({
    ...seen,
    unknownRequests: [{ method: 'GET', path: hostile, status: 404, receivedAt: 0 }],
  });
  expect(probe + report).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
});
