import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';

import { CancellationTokenSource } from '../../../../src/index.ts';
import { INSIDE } from '../../../../src/testing/program/command-line/containment.ts';
import { exitCodeOf, runCommand } from '../../../../src/testing/program/command-line/run-command.ts';

const stopped = new CancellationTokenSource();

async function run(...args: string[]) {
  const said = { out: '', err: '' };
  const code = await runCommand(args, {
    env: { [INSIDE]: '1' },
    self: [],
    version: () => '1.2.3',
    token: stopped.token,
    out: (text) => (said.out += text),
    err: (text) => (said.err += text),
  });
  return { code, ...said };
}

it('the command shows its help, and refuses nonsense with code 2 and one line', async () => {
  expect(await run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('usage: desist check'), err: '' });
  expect(await run('check')).toEqual({
    code: 2,
    out: '',
    err: 'say which program: either behind "--" or in --profile FILE\n',
  });
  expect(await run('check', '--only', 'luck', '--', 'a')).toMatchObject({
    code: 2,
    err: expect.stringContaining('got "luck"'),
  });
});

it('the command says of which version it is', async () => {
  expect(await run('--version')).toEqual({ code: 0, out: '1.2.3\n', err: '' });
  expect(await run('check', '-v')).toMatchObject({ code: 0, out: '1.2.3\n' });
});

it('the command asks where the page goes before it begins', async () => {
  expect(await run('check', '--html', '/no/such/folder/r.html', '--', 'a')).toEqual({
    code: 2,
    out: '',
    err: '--html must be a file in a folder that is there, got "/no/such/folder/r.html"\n',
  });
});

it.skipIf(process.platform === 'win32')('the command says with code 2 that nothing could be checked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'command-'));
  const profile = join(folder, 'p.json');
  writeFileSync(profile, JSON.stringify({ command: ['sh', '-c', 'exit 3'], through: 'lines', ready: 'never' }));
  const { code, out } = await run('check', '--profile', profile, '--json', '--html', join(folder, 'r.html'));
  rmSync(folder, { recursive: true });
  expect({ code, unchecked: (JSON.parse(out) as { unchecked: string }).unchecked }).toEqual({
    code: 2,
    unchecked: expect.stringContaining('the program ended with 3 before it was ready'),
  });
});

it.each([
  ['passed', 0],
  ['noted', 0],
  ['failed', 1],
  ['unplayed', 2],
  ['not-applicable', 2],
] as const)('the worst of a report is %s: the command ends with %d', (status, code) => {
  expect(exitCodeOf({ status, unchecked: undefined })).toBe(code);
  expect(exitCodeOf({ status, unchecked: 'it never asked' })).toBe(2);
});

it.skipIf(process.platform === 'win32')(
  'a program is looked for as a shell does, and its files where the person is',
  async () => {
    const here = mkdtempSync(join(tmpdir(), 'command-'));
    for (const name of ['sh', 'agent.sh']) writeFileSync(join(here, name), `echo "this is ${name}, by $0"\n`);
    vi.spyOn(process, 'cwd').mockReturnValue(here);
    const { out } = await run('check', '--', 'sh', 'agent.sh');
    vi.restoreAllMocks();
    rmSync(here, { recursive: true });
    expect(out.replace(/\s+/g, '')).toContain(`thisisagent.sh,by${join(here, 'agent.sh')}`);
  },
);

it.skipIf(process.platform === 'win32')('the command that was stopped says so, with code 130', async () => {
  stopped.cancel('user');
  expect(await run('check', '--', 'sh', '-c', 'exit')).toEqual({
    code: 130,
    out: '',
    err: 'stopped: what ran is ended, and what was made is removed\n',
  });
  expect(await run('check', '--probe', '--', 'sh', '-c', 'exit')).toMatchObject({ code: 130 });
});
