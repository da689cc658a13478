import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openOutside, type Outside } from './support/demo-outside.ts';
import { runDemo } from './support/demo-run.ts';
import { readTour } from './support/demo-tour.ts';

let outside: Outside;

beforeAll(async () => {
  outside = await openOutside();
});
afterAll(() => outside.close());

const clean = ['every cut stream was closed', 'the transcript can be sent'];

const stopped = (asked: string): string[] => [
  'the stop was accepted and the turn is cancelled',
  'nothing is left running',
  `the model was asked ${asked} and not again`,
  ...clean,
];

const tour = [
  { title: 'a stop during the stream', operations: ['model of main: cancelled'], checks: stopped('once') },
  {
    title: 'a stop during the shell tool',
    operations: ['tool of main: cancelled', 'process of main: cancelled', 'model of main: not-started'],
    checks: [...stopped('once'), 'the processes P and Q are gone'],
  },
  {
    title: 'a stop during the MCP tool',
    operations: ['tool of main: cancelled', 'mcp of main: cancelled', 'model of main: not-started'],
    checks: stopped('once'),
  },
  {
    title: 'a stop during the sub-agent',
    operations: [
      'tool of main: cancelled',
      'subagent of main: cancelled',
      'model of explore: cancelled',
      'model of main: not-started',
    ],
    checks: stopped('2 times'),
  },
  {
    title: 'a stop of the sub-agent alone, which is needed',
    operations: ['tool of main: cancelled', 'subagent of main: cancelled', 'model of main: not-started'],
    checks: [...stopped('2 times'), 'the reason names the sub-agent'],
  },
  {
    title: 'a stop of the sub-agent alone, which is not needed',
    operations: [],
    checks: [
      'the stop was accepted and the turn completed',
      'the call says who was stopped',
      'the model was asked 3 times and not again',
      ...clean,
    ],
  },
  {
    title: 'a message in the middle of the stream',
    operations: [],
    checks: ['the turn completed', 'the model was told once', 'the partial answer was kept', ...clean],
  },
  {
    title: 'a message while a tool works',
    operations: [],
    checks: [
      'the tool was not disturbed',
      'the next request has the message',
      'the conversation has it once',
      'the model was asked 2 times and not again',
      ...clean,
    ],
  },
  {
    title: 'a question, and the answer is no',
    operations: [],
    checks: ['the answer counts, and once', 'the call was declined, the file is there', ...clean],
  },
  {
    title: 'a question, and the answer is yes',
    operations: [],
    checks: ['the answer counts, and once', 'the file is gone', ...clean],
  },
  {
    title: 'a stop during a question',
    operations: ['tool of main: not-started', 'model of main: not-started'],
    checks: [...stopped('once'), 'a yes that comes late is refused, the file is there', 'the model hears of no answer'],
  },
  { title: 'a background job', operations: [], checks: ['the turn is over and the job runs'] },
  {
    title: 'a stop beside the background job',
    operations: ['model of main: cancelled'],
    checks: [...stopped('once'), 'the job goes on'],
  },
  {
    title: 'a stop of everything',
    operations: ['tool of background: cancelled', 'process of background: cancelled'],
    checks: ['the stop was accepted, with no turn running', 'nothing is left running'],
  },
  {
    title: 'and the next prompt',
    operations: [],
    checks: ['the next prompt is answered', 'the model was told of each stop, once', 'no request was refused'],
  },
];

describe('the tour of the demo', { timeout: 120_000 }, () => {
  it.each(['anthropic', 'openai'])('is complete with %s, and never leaves the machine', async (provider) => {
    const { code, stdout, stderr, left, files } = await runDemo(['--provider', provider], { env: outside.env });
    expect(readTour(stdout)).toEqual(tour);
    expect(stdout.match(/^── 0 left running$/gm)).toHaveLength(8);
    expect(stdout).toMatch(/\nEvery stop was complete\.\n$/);
    expect({ code, stderr, left, files, requests: outside.requests }).toEqual({
      code: 0,
      stderr: '',
      left: [],
      files: [],
      requests: [],
    });
  });
});
