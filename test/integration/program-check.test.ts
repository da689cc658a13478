/**
 * `desist check` on whole programs: a good agent that passes, the same agent with one gap, agents in a shell and in Python, and the programs of
 * this repository. `CHECK_RUNS=20` plays what has a gap and what has none so often.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  checkProgram,
  formatReport,
  probeProgram,
  readProfile,
  type CheckProgramOptions,
  type ProgramCheckName,
  type ProgramProfile,
  type ProgramReport,
} from '../../src/testing/program/index.ts';

const runs = Number(process.env['CHECK_RUNS'] ?? 1);
const isThorough = process.env['CHECK_RUNS'] !== undefined;
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'test/integration/support/program');
const node = join(root, 'node_modules/.bin/node');

const quick = { runs, watchMs: 300, goneMs: 2000 } as const satisfies CheckProgramOptions;

function good(gap = ''): ProgramProfile {
  return {
    name: gap === '' ? 'good' : `good, without ${gap}`,
    command: [node, join(folder, 'good-agent.ts')],
    resume: [node, join(folder, 'good-agent.ts'), '--resume'],
    ready: '(ready|again)\\n> $',
    env: { MCP: '{mcp}', GAP: gap },
    promises: [
      ...(['tree-after-stop', 'tree-after-quit', 'tree-after-terminate', 'tree-after-hangup'] as const),
      ...(['tree-after-kill', 'batch', 'told', 'screen'] as const),
    ],
  };
}

/** What is wrong with a report, by check and finding. */
const failures = ({ checks }: ProgramReport): string[] =>
  checks.flatMap(({ name, findings }) =>
    findings.filter(({ status }) => status === 'failed').map(({ about }) => `${name}: ${about}`),
  );
const statuses = ({ checks }: ProgramReport) => Object.fromEntries(checks.map(({ name, status }) => [name, status]));

/** Each gap, the check that finds it, and what of it is found. */
const gaps: readonly (readonly [gap: string, check: ProgramCheckName, found: string])[] = [
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
/** One for each kind of thing that is looked at; the others are played with `CHECK_RUNS`. */
const always = new Set(['stream', 'honest', 'lost', 'retry', 'terminal']);

describe.skipIf(process.platform === 'win32')('desist check', { timeout: isThorough ? 3_600_000 : 240_000 }, () => {
  it('a good agent passes every check', async () => {
    const report = await checkProgram(good(), quick);
    expect(failures(report), formatReport(report)).toEqual([]);
    expect(new Set(Object.values(statuses(report))), formatReport(report)).toEqual(new Set(['passed']));
    expect(report.checks).toHaveLength(11);
    const [tool] = report.checks.flatMap(({ name, runs: [run] }) => (name === 'tool' ? [run] : []));
    expect(tool?.before.some(({ command }) => command.includes('sleep'))).toBe(true);
    expect(tool?.timeline.map(({ what }) => what)).toContain('presses stop');
    expect(tool?.words.join('\n')).toContain('interrupted by the user');
  });

  const played = gaps.filter(
    ([gap, , found]) => isThorough || (always.has(gap) && found !== 'terminal') || found === 'tree-after-kill',
  );
  it.each(played)('the gap %s is found by the check %s', async (gap, check, found) => {
    const report = await checkProgram(good(gap), { ...quick, only: [check], goneMs: 700 });
    expect(failures(report), formatReport(report)).toContain(`${check}: ${found}`);
    for (const one of report.checks) expect(one.runs.map(({ status }) => status)).toEqual(Array(runs).fill('failed'));
  });

  it.skipIf(!existsSync('/usr/bin/curl'))(
    'an agent in a shell leaves its stream open, and its command running',
    async () => {
      const profile: ProgramProfile = { command: ['sh', join(folder, 'bare-agent.sh')], through: 'lines' };
      const report = await checkProgram(profile, { ...quick, runs: 1, only: ['stream', 'tool'], goneMs: 500 });
      expect(report).toMatchObject({ dialect: 'openai-chat', shellTool: 'shell' });
      expect(failures(report), formatReport(report)).toContain('stream: stream');
      const [, tool] = report.checks;
      // It promised nothing, so that what lives on is a fact.
      const tree = tool?.findings.find(({ about }) => about === 'tree-after-stop');
      expect(tree?.status, formatReport(report)).toBe('noted');
      expect(tree?.sentence).toMatch(/^alive after \d+ ms: .*deaf/);
    },
  );

  it('an agent in Python keeps a call without a result, and is refused', async ({ skip }) => {
    const python = await findPython();
    if (python === undefined) skip('there is no python3');
    const profile: ProgramProfile = {
      command: [python ?? '', join(folder, 'first-agent.py')],
      ready: '> $',
      stop: ['\x03'],
    };
    const report = await checkProgram(profile, { ...quick, runs: 1, only: ['tool', 'retry'], goneMs: 500 });
    expect(failures(report), formatReport(report)).toContain('tool: legal');
    expect(statuses(report)['retry']).toBe('not-applicable');
    expect(report.checks[0]?.runs[0]?.requests.at(-1)?.refusal).toContain('tool_call');
  });

  it('a probe shows what arrived where, and a command that asks nobody is not checked', async () => {
    const probe = await probeProgram(good());
    expect(probe).toMatchObject({ isReady: true, greeting: 'ready\n> ', unknownRequests: [], exitCode: undefined });
    expect(probe.requests).toMatchObject([{ dialect: 'anthropic', tools: ['bash', 'wait_for_ever'], shell: 'bash' }]);
    const mute = await checkProgram({ command: ['sh', '-c', 'echo I am no agent; sleep 0.2'] }, quick);
    expect(mute.checks).toEqual([]);
    expect(mute.unchecked).toContain('I am no agent');
  });
});

const demo = 'examples/agent/check.json';
const classic = ['1-global-esc-monitor', '2-blocking-repl', '3-nested-agent', '4-full-duplex-repl', '5-acp-agent'];
const program = (path: string): ProgramProfile => {
  const profile = JSON.parse(
    readFileSync(join(root, path), 'utf8').replaceAll('{node}', node).replaceAll('{cwd}/', root),
  ) as unknown;
  return readProfile(profile);
};

describe.skipIf(process.platform === 'win32')('the programs of this repository', { timeout: 600_000 }, () => {
  it('the demo passes what applies to it, SIGKILL included', async () => {
    const only: readonly ProgramCheckName[] = ['tool', 'message', 'terminate', 'kill'];
    const report = await checkProgram(program(demo), { ...quick, ...(isThorough ? {} : { only }) });
    expect(failures(report), formatReport(report)).toEqual([]);
    expect(statuses(report)).toMatchObject({ tool: 'passed', message: 'passed', terminate: 'passed', kill: 'passed' });
  });

  it.each(classic)('the classic agent %s passes what applies to it', async (name) => {
    const profile = program(`examples/classic/${name}/check.json`);
    const only: readonly ProgramCheckName[] = [profile.through === 'acp' ? 'mcp' : 'stream'];
    const report = await checkProgram(profile, { ...quick, ...(isThorough ? {} : { only }) });
    expect(failures(report), formatReport(report)).toEqual([]);
    // What a program has not promised is a fact, and no failure; one that was never ready has no check that applies.
    const applied = report.checks.filter(({ status }) => status !== 'not-applicable');
    expect(applied, formatReport(report)).not.toEqual([]);
  });
});

async function findPython(): Promise<string | undefined> {
  // A version manager's shim needs the home that a program under check does not have.
  return await new Promise((resolve) => {
    execFile('python3', ['-c', 'import sys; print(sys.executable)'], (error, stdout) => {
      resolve(error === null ? stdout.trim() : undefined);
    });
  });
}

describe.skipIf(process.platform === 'win32' || !existsSync(join(root, 'dist/bin/desist.js')))(
  'the command desist',
  () => {
    let place = '';
    beforeAll(() => {
      place = mkdtempSync(join(tmpdir(), 'check-command-'));
    });
    afterAll(() => {
      rmSync(place, { recursive: true, force: true });
    });

    async function desist(
      ...args: string[]
    ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
      const child = spawn(node, [join(root, 'dist/bin/desist.js'), ...args], { cwd: root });
      const texts = { out: '', err: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
      return await new Promise((resolve) => child.once('close', (code) => resolve({ code, ...texts })));
    }

    it(
      'the command says what failed: in words, as JSON, as a page, by its exit code',
      { timeout: 240_000 },
      async () => {
        const page = join(place, 'report.html');
        const program = ['--', 'sh', join(folder, 'bare-agent.sh')];
        const options = ['--only', 'kill', '--runs', '1', '--json', '--html', page];
        const { code, out, err } = await desist('check', ...options, ...program);
        // In a terminal it is no good agent either: there the shell and its command have one, and ESC is a key like any other.
        const report = JSON.parse(out) as ProgramReport;
        expect({ code, err: err.split('\n').at(-2) }).toEqual({ code: 0, err: 'kill: noted' });
        expect(report).toMatchObject({ program: 'sh', status: 'noted', node: process.version });
        expect(readFileSync(page, 'utf8')).toContain('<h1>Does sh stop?</h1>');
      },
    );

    it('the command refuses what makes no sense in a line', { timeout: 60_000 }, async () => {
      expect(await desist('check')).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/^say which program.*\n$/),
      });
      expect(await desist('--help')).toMatchObject({ code: 0, out: expect.stringContaining('usage: desist check') });
    });
  },
);
