import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openOutside, type Outside } from './support/demo-outside.ts';
import { runDemo } from './support/demo-run.ts';
import { readTour } from './support/demo-tour.ts';

let outside: Outside;

beforeAll(async () => {
  outside = await openOutside();
});
afterAll(() => outside.close());

const stopped = (asked: string): string[] => [
  'the stop was accepted and the turn is cancelled',
  'nothing is left running',
  `the model was asked ${asked} and not again`,
  'every cut stream was closed',
  'the transcript can be sent',
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
    title: 'a message in the middle of the stream',
    operations: [],
    checks: [
      'the turn completed',
      'the model was told once',
      'the partial answer was kept',
      'every cut stream was closed',
      'the transcript can be sent',
    ],
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
    expect(stdout.match(/^── 0 left running$/gm)).toHaveLength(4);
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
