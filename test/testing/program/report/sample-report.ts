/** A report with one of everything. */
import type { ProgramReport } from '../../../../src/testing/program/index.ts';

const run = {
  findings: [],
  timeline: [
    { atMs: 0, who: 'person', what: 'starts the program' },
    { atMs: 50, who: 'person', what: 'presses <stop>' },
  ],
  requests: [
    {
      atMs: 20,
      dialect: 'anthropic',
      isMain: true,
      status: 400,
      refusal: 'unanswered',
      closedAtMs: 60,
      closedEarly: false,
    },
  ],
  words: ['tool result: done'],
  before: [{ pid: 7, ppid: 1, command: 'sleep 600' }],
  after: [],
  screen: '> hello & good-bye',
} as const;

export const sampleReport: ProgramReport = {
  program: 'agent <x>',
  version: '1.2.3',
  node: 'v24.0.0',
  platform: 'linux x64',
  date: '2026-11-28T08:00:00.000Z',
  dialect: 'anthropic',
  shellTool: 'bash',
  slowness: 2,
  isContained: true,
  unchecked: undefined,
  status: 'failed',
  checks: [
    {
      name: 'tool',
      asks: 'Does it end?',
      reason: 'It matters.',
      status: 'failed',
      findings: [
        { about: 'legal', status: 'failed', sentence: 'unanswered', good: 1, of: 3, medianMs: 10, worstMs: 40 },
        {
          about: 'batch',
          status: 'noted',
          sentence: 'started',
          good: 0,
          of: 1,
          medianMs: undefined,
          worstMs: undefined,
        },
      ],
      runs: [{ ...run, status: 'failed', why: '' }],
    },
    {
      name: 'hangup',
      asks: 'A window?',
      reason: 'So.',
      status: 'not-applicable',
      findings: [],
      runs: [{ ...run, status: 'not-applicable', why: 'it has no window' }],
    },
    {
      name: 'batch',
      asks: 'The second?',
      reason: 'So.',
      status: 'unplayed',
      findings: [],
      runs: [{ ...run, status: 'unplayed', why: 'the command was never started' }],
    },
  ],
};
