import { expect, it, vi } from 'vitest';

import { CancellationTokenSource } from '../../../src/index.ts';
import {
  checkProgram,
  lastLines,
  terminalsFor,
  type CheckProgramOptions,
} from '../../../src/testing/program/check-program.ts';
import { limitMs } from '../../support/limit.ts';
import { lineAgent } from './support.ts';

const profile = { command: ['sh', '-c', 'exit'], through: 'lines' } as const;

it.each([
  [{ runs: 0 }, RangeError, 'runs must be a whole number from 1, got 0'],
  [{ runs: 1.5 }, RangeError, 'runs must be a whole number from 1, got 1.5'],
  [{ watchMs: '1' as unknown as number }, TypeError, 'watchMs must be a number of milliseconds'],
  [{ watchMs: 2 ** 32 }, RangeError, 'watchMs must be at most 2147483647 ms, got 4294967296'],
  [{ goneMs: Infinity }, RangeError, 'goneMs must be a finite number of milliseconds, 0 or more, got Infinity'],
  [{ only: ['luck' as 'kill'] }, RangeError, 'only must be of stream, tool, batch'],
  [{ only: [] }, RangeError, 'only must name a check, got []'],
  [{ only: 'kill' as never }, TypeError, 'only must be a list of names of checks'],
  [{ onResult: 3 as never }, TypeError, 'onResult must be a function'],
  [{ isContained: 'yes' as never }, TypeError, 'isContained must be a boolean'],
  [{ token: {} as never }, TypeError, 'a token must be a CancellationToken or an AbortSignal'],
  [{ watchMS: 5 } as never, TypeError, 'options.watchMS is no option: there are only, runs, watchMs'],
  [new CancellationTokenSource().token as never, TypeError, 'options must be an object of options'],
])('the options %j are refused', async (options: CheckProgramOptions, kind, message) => {
  await expect(checkProgram(profile, options)).rejects.toThrow(kind);
  await expect(checkProgram(profile, options)).rejects.toThrow(message);
});

it('a profile that is none is refused before anything is started', async () => {
  await expect(checkProgram({ command: [] })).rejects.toThrow('a profile must have a command');
});

it.skipIf(process.platform === 'win32')('a folder whose path a shell would take apart is refused', async () => {
  vi.stubEnv('TMPDIR', '/tmp/a b');
  await expect(checkProgram(profile)).rejects.toThrow('set TMPDIR, which is /tmp/a b');
  vi.unstubAllEnvs();
});

it('the last lines are those with something in them', () => {
  expect(lastLines(`${Array.from({ length: 20 }, (_, n) => String(n)).join('\n\n')}\n \n`).split('\n')).toHaveLength(
    12,
  );
});

it.skipIf(process.platform === 'win32')(
  'a program that removes its home and its folder spoils no run but its own',
  { timeout: limitMs(240_000) },
  async () => {
    const command = [process.execPath, '-e', `${lineAgent}
      setTimeout(() => require('node:child_process').execFileSync('rm', ['-rf', process.env.HOME, process.cwd()]), 50);`]; // prettier-ignore
    const options = { only: ['message', 'kill'], runs: 1, watchMs: 10, goneMs: 10 } as const;
    const report = await checkProgram({ command, through: 'lines', ready: 'ready', settleMs: 200 }, options);
    expect(report.checks.map(({ name, status }) => [name, status])).toEqual([
      ['message', 'unplayed'],
      ['kill', 'unplayed'],
    ]);
    expect(report.checks[0]?.runs[0]?.why).not.toBe('');
    expect(report.status).toBe('unplayed');
  },
);

it.skipIf(process.platform === 'win32')(
  'a tool that the profile names and the program does not have is said, and not passed over',
  { timeout: limitMs(240_000) },
  async () => {
    const report = await checkProgram(
      { command: ['{node}', '-e', lineAgent], through: 'lines', ready: 'ready', shell: 'bsh' },
      { runs: 1, watchMs: 10, goneMs: 10 },
    );
    expect(report).toMatchObject({
      program: 'node',
      unchecked: 'the program declares no tool "bsh", which is shell of its profile; it declares bash',
      checks: [],
      status: 'not-applicable',
    });
  },
);

it.skipIf(process.platform === 'win32')(
  'a program that was refused has asked, and one that has ended was never ready',
  { timeout: limitMs(240_000) },
  async () => {
    const why = async (source: string) => {
      const command = [process.execPath, '-e', source];
      const report = await checkProgram({ command, through: 'lines', ready: 'ready' }, { only: ['kill'], runs: 1 });
      return report.unchecked;
    };
    expect(await why(lineAgent.replace('max_tokens: 9, ', ''))).toContain('asked the model in vain (max_tokens');
    const lost = await why(lineAgent.replace('/v1/messages', '/v1/v1/messages'));
    expect(lost).toContain('never asked the model, but sent POST /v1/v1/messages – 404; its screen says');
    const crashing = lineAgent.replace('console.log(answer', 'process.exit(3); (answer');
    expect(await why(crashing)).toContain('the program ended with 3 once it was answered; its screen says:\nready');
    expect(await why('process.exitCode = 7')).toContain('the program ended with 7 before it was ready');
  },
);

it('a program over lines needs no pseudo-terminal, and one that is given is taken', async () => {
  const given = { spawn: () => { throw new Error('never'); } }; // prettier-ignore
  expect([await terminalsFor(profile, given), await terminalsFor({ command: ['a'] }, given)]).toEqual([
    undefined,
    given,
  ]);
  await expect(terminalsFor({ command: ['a'] }, {} as never)).rejects.toThrow('terminals.spawn must be a function');
});
