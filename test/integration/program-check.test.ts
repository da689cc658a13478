/**
 * `desist check` on programs that stop: a good agent, and those of this repository. They wait more than they compute, so they are played
 * side by side.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { CancellationTokenSource } from '../../src/index.ts';
import { checkProgram, type ProgramProfile } from '../../src/testing/program/index.ts';
import { probeProgram } from '../../src/testing/program/probe-program.ts';
import { readProfile } from '../../src/testing/program/profile-reading.ts';
import { compiled } from '../support/compiled.ts';
import { limitMs } from '../support/limit.ts';
import { isLong } from '../support/long.ts';
import {
  describeReport,
  failures,
  found,
  good,
  namesOf,
  node,
  ownPlace,
  patient,
  quick,
  root,
  runs,
} from './support/program/checked.ts';

const demo = 'examples/agent/check.json';
const leaving = ['quit', 'terminate', 'hangup', 'kill'];
type Program = readonly [path: string, applies: readonly string[], notes: readonly string[]];
/** The classic agents of this repository, what applies to each, and what is a note there. */
const classic: readonly Program[] = [
  [
    'examples/classic/1-global-esc-monitor/check.json',
    ['stream', 'tool', 'batch', 'message', 'queued', 'mcp', ...leaving, 'resume'],
    [],
  ],
  // The stopped turn is taken back into the input.
  ['examples/classic/2-blocking-repl/check.json', ['stream', 'message', 'queued', ...leaving], ['stream: told']],
  ['examples/classic/3-nested-agent/check.json', ['stream', 'message', ...leaving], []],
  ['examples/classic/4-full-duplex-repl/check.json', ['stream', 'message', 'queued', ...leaving], []],
  ['examples/classic/5-acp-agent/check.json', ['stream', 'mcp', 'quit', 'terminate', 'kill'], []],
];
const programs: readonly Program[] = [
  // What waits behind a stop is not sent, and the screen says so.
  [demo, ['stream', 'tool', 'message', 'queued', 'mcp', ...leaving], ['queued: fact']],
  ...(isLong ? classic : []),
];
const profileAt = (path: string): ProgramProfile => {
  const text = readFileSync(join(root, path), 'utf8').replaceAll('{node}', node).replaceAll('{cwd}/', root);
  const profile = readProfile(JSON.parse(text));
  return { ...profile, env: { ...compiled, ...profile.env } };
};

ownPlace();

describe.skipIf(process.platform === 'win32')('desist check', { timeout: limitMs(300_000) * runs }, () => {
  it.concurrent('a good agent passes every check', async () => {
    const report = await checkProgram(good(), patient);
    expect(failures(report), describeReport(report)).toEqual([]);
    expect(namesOf(report, 'passed'), describeReport(report)).toHaveLength(12);
    const [tool] = report.checks.flatMap(({ name, runs: [run] }) => (name === 'tool' ? [run] : []));
    expect(tool?.before.some(({ command }) => command.includes('sleep'))).toBe(true);
    expect(tool?.timeline.map(({ what }) => what)).toContain('presses stop');
    expect(tool?.words.join('\n')).toContain('interrupted by the user');
  });

  it.concurrent('a probe shows what arrived where, and a command that asks nobody is not checked', async () => {
    const probe = await probeProgram(good());
    expect(probe).toMatchObject({ isReady: true, greeting: 'ready\n> ', unknownRequests: [], exitCode: undefined });
    expect(probe.requests).toMatchObject([{ dialect: 'anthropic', tools: ['bash', 'wait_for_ever'], shell: 'bash' }]);
    const mute = await checkProgram({ command: ['sh', '-c', 'echo I am no agent; sleep 0.2'] }, quick);
    expect(mute.checks).toEqual([]);
    expect(mute.unchecked).toContain('I am no agent');
  });

  it.concurrent('a check that is cancelled ends where it is', async () => {
    const stop = new CancellationTokenSource();
    const onResult = (): void => void setTimeout(() => stop.cancel('user'), 700);
    const report = checkProgram(good('kill'), { ...patient, runs: 1, token: stop.token, onResult });
    await expect(report).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
  });

  it.concurrent.each(programs)(
    'the program of %s passes what applies to it, SIGKILL included',
    async (path, applies, notes) => {
      const report = await checkProgram(profileAt(path), patient);
      expect(found(report, 'failed', 'noted'), describeReport(report)).toEqual(notes);
      expect(namesOf(report, 'passed', 'noted'), describeReport(report)).toEqual(applies);
    },
  );
});
