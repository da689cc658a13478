/**
 * `desist check` on programs that do not stop: a good agent with one gap, and agents in a shell and in Python that have every gap. What
 * fails is waited for to the end of its limit, so they are played side by side.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { checkProgram, type ProgramProfile } from '../../src/testing/program/index.ts';
import type { ProgramCheckName } from '../../src/testing/program/checks/check.ts';
import { checks } from '../../src/testing/program/checks/index.ts';
import { message } from '../../src/testing/program/checks/speaking.ts';
import { loadPseudoTerminals } from '../../src/testing/program/outside/pseudo-terminal.ts';
import { Patience } from '../../src/testing/program/stage/patience.ts';
import { measureSlowness } from '../../src/testing/program/stage/slowness.ts';
import { Stage } from '../../src/testing/program/stage/stage.ts';
import { limitMs } from '../support/limit.ts';
import { isLong } from '../support/long.ts';
import {
  describeReport,
  failures,
  folder,
  found,
  good,
  namesOf,
  node,
  ownPlace,
  promises,
  quick,
  runs,
} from './support/program/checked.ts';

/** Each gap, the check that finds it, and what of it is found. */
const everyGap: readonly (readonly [gap: string, check: ProgramCheckName, found: string])[] = [
  ['stream', 'stream', 'stream'],
  ['screen', 'stream', 'screen'],
  ['prompt', 'stream', 'prompt'],
  ['silence', 'tool', 'silence'],
  ['tree', 'tool', 'tree-after-stop'],
  ['honest', 'tool', 'honest'],
  ['legal', 'tool', 'legal'],
  ['batch', 'batch', 'batch'],
  ['lost', 'message', 'delivered'],
  ['doubled', 'message', 'delivered'],
  ['queued', 'queued', 'delivered'],
  ['retry', 'retry', 'silence'],
  ['mcp', 'mcp', 'prompt'],
  ['terminal', 'quit', 'terminal'],
  ['tree-leaving', 'quit', 'tree-after-quit'],
  ['terminal', 'terminate', 'terminal'],
  ['tree-leaving', 'terminate', 'tree-after-terminate'],
  ['tree-leaving', 'hangup', 'tree-after-hangup'],
  ['kill', 'kill', 'tree-after-kill'],
  ['legal', 'resume', 'legal'],
];

const gaps = isLong ? everyGap : [];

/** What the agents that know of no stop are found to do, check by check. */
const inPython = [
  ...['stream: stream', 'tool: tree-after-stop', 'tool: legal', 'batch: batch', 'message: delivered'],
  ...['queued: delivered', 'retry: silence', 'mcp: prompt', 'quit: terminal', 'quit: tree-after-quit'],
  ...['terminate: terminal', 'terminate: tree-after-terminate', 'hangup: tree-after-hangup', 'kill: tree-after-kill'],
  'resume: legal',
];
const inShell = [
  ...['stream: stream', 'tool: tree-after-stop', 'tool: honest', 'batch: batch', 'message: delivered'],
  ...['queued: delivered', 'retry: silence', 'mcp: prompt', 'quit: tree-after-quit', 'terminate: tree-after-terminate'],
  'kill: tree-after-kill',
];

/** Every check, in groups that are played beside each other. */
const parts = ([0, 1, 2, 3] as const).map((part) => ({
  only: checks.map(({ name }) => name).filter((_name, at) => at % 4 === part),
}));
const of = (only: readonly ProgramCheckName[], lines: readonly string[]): string[] =>
  lines.filter((line) => only.some((name) => line.startsWith(`${name}: `)));

async function findPython(): Promise<string | undefined> {
  // A version manager's shim needs the home that a program under check does not have.
  return await new Promise((resolve) => {
    execFile('python3', ['-c', 'import sys; print(sys.executable)'], (error, stdout) => {
      resolve(error === null ? stdout.trim() : undefined);
    });
  });
}

const place = ownPlace();

describe.skipIf(process.platform === 'win32')('desist check', { timeout: limitMs(300_000) * runs }, () => {
  it.concurrent.each(gaps)('the gap %s is found by the check %s', async (gap, check, what) => {
    const report = await checkProgram(good(gap), { ...quick, only: [check] });
    expect(failures(report), describeReport(report)).toContain(`${check}: ${what}`);
    for (const one of report.checks) expect(one.runs.map(({ status }) => status)).toEqual(Array(runs).fill('failed'));
  });

  it.concurrent.for(parts)(
    'the gaps of an agent in Python are found by every check of $only',
    async ({ only }, { skip }) => {
      const python = await findPython();
      if (python === undefined) skip('there is no python3');
      const agent = [python ?? '', join(folder, 'first-agent.py')];
      const more = { resume: [...agent, '--resume'], ready: '> $', stop: ['\x03'], env: { MCP: '{mcp}' } };
      const report = await checkProgram({ command: agent, ...more, promises }, { ...quick, only });
      expect(failures(report), describeReport(report)).toEqual(expect.arrayContaining(of(only, inPython)));
      expect(namesOf(report, 'failed')).toEqual(only);
      if (!only.includes('resume')) return;
      const refused = report.checks.find(({ name }) => name === 'resume')?.runs[0]?.requests.at(-1);
      expect(refused?.refusal).toContain('tool_call');
    },
  );

  it.concurrent.for(parts)(
    'the gaps of an agent in a shell are found by every check that applies of $only',
    async ({ only }, { skip }) => {
      if (!existsSync('/usr/bin/curl')) skip('there is no curl');
      const profile: ProgramProfile = {
        command: ['sh', join(folder, 'bare-agent.sh')],
        env: { MCP: '{mcp}' },
        promises,
      };
      const report = await checkProgram({ ...profile, through: 'lines' }, { ...quick, only });
      expect(report).toMatchObject({ dialect: 'openai-chat', shellTool: 'shell' });
      expect(failures(report), describeReport(report)).toEqual(expect.arrayContaining(of(only, inShell)));
      expect(namesOf(report, 'not-applicable')).toEqual(only.filter((name) => ['hangup', 'resume'].includes(name)));
      if (!only.includes('hangup')) return;
      // With a window, that can be closed.
      const windowed = await checkProgram(profile, { ...quick, only: ['hangup'] });
      expect(failures(windowed), describeReport(windowed)).toEqual(['hangup: tree-after-hangup']);
    },
  );

  it.concurrent('a launcher that does not hand a signal on leaves its program alive, by name, and its terminal with it', async () => {
    const { command, ...rest } = good();
    const launcher = ['sh', '-c', '"$@"; exit $?', 'sh', ...command];
    const report = await checkProgram({ ...rest, command: launcher }, { ...quick, only: ['terminate'] });
    expect(failures(report), describeReport(report)).toContain('terminate: tree-after-terminate');
    const sentences = report.checks[0]?.findings.map(({ sentence }) => sentence).slice(-2);
    expect(sentences).toEqual([
      expect.stringMatching(/alive after .*good-agent\.ts/),
      // Where the system does not show who reads from it, the line settings of a program that runs are those of its terminal.
      expect.stringMatching(process.platform === 'linux' ? /good-agent\.ts .*still reads from it/ : /^left: /),
    ]);
  });

  it.concurrent.each([
    ['lost', {}, 'failed'],
    ['lost', { WHOLE: '1' }, 'failed'],
    ['', {}, 'passed'],
    ['', { WHOLE: '1' }, 'passed'],
  ])('a message is typed while a reply comes, also where typing takes longer: %j, %j', async (GAP, env, status) => {
    const profile = { command: [node, join(folder, 'mute-agent.ts')], ready: '> $', env: { ...env, GAP } };
    const terminals = await loadPseudoTerminals();
    const slow = async (): Promise<number> => Math.max(2, await measureSlowness());
    for (let run = 1; run <= runs; run++) {
      const made = mkdtempSync(join(place.folder, 'mute-'));
      const [home, work] = [join(made, 'home'), join(made, 'work')];
      mkdirSync(home);
      const patience = await Patience.begin(undefined, slow);
      const setup = { profile, terminals, home, work, patience, watchMs: 300, goneMs: 300 };
      const stage = await Stage.open(setup, message.script);
      try {
        await stage.start();
        await message.play(stage, run);
      } finally {
        await stage.close();
        rmSync(made, { recursive: true });
      }
      expect(stage.findings, stage.driver.screen).toMatchObject([{ about: 'delivered', status }]);
    }
  });

  it.concurrent.each([
    ['reply', 'stream', ['stream: prompt']],
    ['', 'tool', ['tool: tree-after-stop', 'tool: prompt']],
    ['', 'batch', ['batch: prompt']],
  ] as const)('a program of one prompt that never ends gives no prompt back: %j, %s', async (GAP, check, expected) => {
    const command = [node, join(folder, 'one-prompt-agent.ts'), '{prompt}'];
    const report = await checkProgram({ command, env: { GAP }, promises }, { ...quick, only: [check] });
    expect(failures(report), describeReport(report)).toEqual(expected);
    expect(found(report, 'passed'), describeReport(report)).not.toContain('batch: batch');
    if (process.platform !== 'linux') return;
    for (const { after } of report.checks.flatMap((one) => one.runs)) {
      expect(after.map((row) => row.command).join('\n')).toMatch(/one-prompt-agent\.ts[^]*sleep 600/);
    }
  });
});
