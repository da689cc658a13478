/**
 * `desist check` on whole programs: a good agent that passes, the same agent with one gap, agents in a shell and in Python that have every
 * gap, and the programs of this repository. `CHECK_RUNS=20` plays each so often. They wait more than they compute, so they are played side by
 * side; and what they leave behind is counted at the end.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import {
  checkProgram,
  formatReport,
  type CheckProgramOptions,
  type ProgramProfile,
  type ProgramReport,
} from '../../src/testing/program/index.ts';
import { probeProgram } from '../../src/testing/program/probe-program.ts';
import { readProfile } from '../../src/testing/program/profile-reading.ts';
import type { ProgramCheckName } from '../../src/testing/program/checks/check.ts';
import type { ProgramPromise } from '../../src/testing/program/profile.ts';
import { CancellationTokenSource } from '../../src/index.ts';
import { loadPseudoTerminals } from '../../src/testing/program/outside/pseudo-terminal.ts';
import { limitMs } from '../support/limit.ts';

const runs = Number(process.env['CHECK_RUNS'] ?? 1);
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'test/integration/support/program');
const node = join(root, 'node_modules/.bin/node');

/** What fails is waited for to the end of its limit, so that is short; what passes comes when it comes. */
const quick = { runs, watchMs: 300, goneMs: 300 } as const satisfies CheckProgramOptions;
const patient = { ...quick, goneMs: 15_000 } as const satisfies CheckProgramOptions;

const promises: readonly ProgramPromise[] = [
  ...(['tree-after-stop', 'tree-after-quit', 'tree-after-terminate', 'tree-after-hangup'] as const),
  ...(['tree-after-kill', 'batch', 'told', 'screen'] as const),
];

function good(gap = ''): ProgramProfile {
  return {
    name: gap === '' ? 'good' : `good, without ${gap}`,
    command: [node, join(folder, 'good-agent.ts')],
    resume: [node, join(folder, 'good-agent.ts'), '--resume'],
    ready: '(ready|again)\\n> $',
    env: { MCP: '{mcp}', GAP: gap },
    promises,
  };
}

/** What of a report came out so, by check and finding. */
const found = ({ checks }: ProgramReport, ...statuses: readonly string[]): string[] =>
  checks.flatMap(({ name, findings }) =>
    findings.filter(({ status }) => statuses.includes(status)).map(({ about }) => `${name}: ${about}`),
  );
/** What did not pass in its first line, all of it below: a summary shows one line. */
const describeReport = (report: ProgramReport): string =>
  [[...found(report, 'failed'), ...namesOf(report, 'unplayed')].join(', '), formatReport(report)].join('\n');
const failures = (report: ProgramReport): string[] => found(report, 'failed');
const namesOf = ({ checks }: ProgramReport, ...statuses: readonly string[]): string[] =>
  checks.filter(({ status }) => statuses.includes(status)).map(({ name }) => name);

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

/** `npm test` plants no faults. */
const gaps = process.env['TEST_LONG'] === 'no' ? [] : everyGap;

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

const demo = 'examples/agent/check.json';
const leaving = ['quit', 'terminate', 'hangup', 'kill'];
/** The programs of this repository, what applies to each, and what is a note there. */
const programs: readonly (readonly [path: string, applies: readonly string[], notes: readonly string[]])[] = [
  // What waits behind a stop is not sent, and the screen says so.
  [demo, ['stream', 'tool', 'message', 'queued', 'mcp', ...leaving], ['queued: fact']],
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
const profileAt = (path: string): ProgramProfile => {
  const text = readFileSync(join(root, path), 'utf8').replaceAll('{node}', node).replaceAll('{cwd}/', root);
  return readProfile(JSON.parse(text));
};

/** Where all temporary files of this file's programs are. */
let place = '';
const before = process.env['TMPDIR'];

/** Processes that know the place: by their words, their environment, or where they work. */
function processesOf(where: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const known = [words, readFileSync(`/proc/${pid}/environ`, 'latin1'), readlinkSync(`/proc/${pid}/cwd`)];
      return known.some((text) => text.includes(where)) ? [`${pid} ${words}`] : [];
    } catch {
      return []; // gone, or somebody else's
    }
  });
}

/** Whether each of the hostile commands of some run has written down its process. */
function hostileCommandsRun(): boolean {
  const folders = readdirSync(place).filter((name) => name.startsWith('commands-'));
  return folders.some((name) => readdirSync(join(place, name)).length > 6);
}

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'check-place-'));
  process.env['TMPDIR'] = place;
});
afterAll(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  const left = [...readdirSync(place), ...processesOf(place)];
  rmSync(place, { recursive: true, force: true });
  expect(left, 'files and processes that the checks have left behind').toEqual([]);
});

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

  it.concurrent.each(gaps)('the gap %s is found by the check %s', async (gap, check, what) => {
    const report = await checkProgram(good(gap), { ...quick, only: [check] });
    expect(failures(report), describeReport(report)).toContain(`${check}: ${what}`);
    for (const one of report.checks) expect(one.runs.map(({ status }) => status)).toEqual(Array(runs).fill('failed'));
  });

  it.concurrent('the gaps of an agent in Python are found by every check', async ({ skip }) => {
    const python = await findPython();
    if (python === undefined) skip('there is no python3');
    const agent = [python ?? '', join(folder, 'first-agent.py')];
    const more = { resume: [...agent, '--resume'], ready: '> $', stop: ['\x03'], env: { MCP: '{mcp}' } };
    const report = await checkProgram({ command: agent, ...more, promises }, quick);
    expect(failures(report), describeReport(report)).toEqual(expect.arrayContaining(inPython));
    expect(namesOf(report, 'failed')).toHaveLength(12);
    const refused = report.checks.find(({ name }) => name === 'resume')?.runs[0]?.requests.at(-1);
    expect(refused?.refusal).toContain('tool_call');
  });

  it.concurrent('the gaps of an agent in a shell are found by every check that applies', async ({ skip }) => {
    if (!existsSync('/usr/bin/curl')) skip('there is no curl');
    const profile: ProgramProfile = {
      command: ['sh', join(folder, 'bare-agent.sh')],
      env: { MCP: '{mcp}' },
      promises,
    };
    const report = await checkProgram({ ...profile, through: 'lines' }, quick);
    expect(report).toMatchObject({ dialect: 'openai-chat', shellTool: 'shell' });
    expect(failures(report), describeReport(report)).toEqual(expect.arrayContaining(inShell));
    expect(namesOf(report, 'not-applicable')).toEqual(['hangup', 'resume']);
    // With a window, that can be closed.
    const windowed = await checkProgram(profile, { ...quick, only: ['hangup'] });
    expect(failures(windowed), describeReport(windowed)).toEqual(['hangup: tree-after-hangup']);
  });

  it.concurrent(
    'a launcher that does not hand a signal on leaves its program alive, by name, and its terminal with it',
    async () => {
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
    },
  );

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
    async function desist(
      args: readonly string[],
      onStart?: (child: ChildProcess) => void,
    ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
      const child = spawn(node, [join(root, 'dist/bin/desist.js'), ...args], { cwd: root });
      const texts = { out: '', err: '' };
      onStart?.(child);
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
        const { code, out, err } = await desist(['check', ...options, ...program]);
        // In a terminal it is no good agent either: there the shell and its command have one, and ESC is a key like any other.
        const report = JSON.parse(out) as ProgramReport;
        expect({ code, err: err.split('\n').at(-2) }).toEqual({ code: 0, err: 'kill: noted' });
        expect(report).toMatchObject({ program: 'sh', status: 'noted', node: process.version });
        expect(readFileSync(page, 'utf8')).toContain('<h1>Does sh stop?</h1>');
        rmSync(page);
      },
    );

    it('the command refuses what makes no sense in a line', { timeout: 60_000 }, async () => {
      expect(await desist(['check'])).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/^say which program.*\n$/),
      });
      expect(await desist(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('usage: desist check') });
    });

    it.each([
      [[], 'SIGINT'],
      [[], 'SIGTERM'],
      [['--no-contain'], 'SIGTERM'],
      [['--no-contain'], 'SIGHUP', 'SIGHUP'],
      [[], 'SIGHUP', 'SIGHUP'],
    ] as const)(
      'the command with %j that gets %s ends what runs, and leaves nothing',
      { timeout: 240_000 },
      async (more, signal, again?: NodeJS.Signals) => {
        const program = ['--', 'sh', join(folder, 'bare-agent.sh')];
        const { code, err } = await desist(['check', '--only', 'kill', ...more, ...program], (child) => {
          const isPlaying = setInterval(() => {
            if (!hostileCommandsRun()) return;
            clearInterval(isPlaying);
            child.kill(signal);
            // Of a closed window the kernel tells, and the shell.
            if (again !== undefined) setTimeout(() => child.kill(again), 20);
          }, 20);
          child.once('exit', () => clearInterval(isPlaying));
        });
        expect({ code, err: err.split('\n').at(-2) }).toEqual({
          code: 130,
          err: 'stopped: what ran is ended, and what was made is removed',
        });
        expect([...readdirSync(place), ...processesOf(place)]).toEqual([]);
      },
    );

    it('Ctrl+C in the terminal of the command ends what runs, and leaves nothing', { timeout: 240_000 }, async () => {
      const { spawn: open } = await loadPseudoTerminals();
      const words = [join(root, 'dist/bin/desist.js'), 'check', '--only', 'kill', '--'];
      const program = ['sh', join(folder, 'bare-agent.sh')];
      const env = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))); // prettier-ignore
      const terminal = open(node, [...words, ...program], { cols: 100, rows: 30, cwd: root, name: 'xterm', env });
      let shown = '';
      terminal.onData((text) => (shown += text));
      const code = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
      await vi.waitFor(
        () => {
          expect(hostileCommandsRun(), shown).toBe(true);
        },
        { timeout: limitMs(60_000), interval: 20 },
      );
      terminal.write('\x03');
      expect({ code: await code, shown }).toEqual({
        code: 130,
        shown: expect.stringContaining('stopped: what ran is ended, and what was made is removed'),
      });
      expect([...readdirSync(place), ...processesOf(place)]).toEqual([]);
    });
  },
);
