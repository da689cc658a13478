import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { INSIDE } from '../../../../src/testing/program/command-line/containment.ts';
import { runCommand } from '../../../../src/testing/program/command-line/run-command.ts';

async function run(...args: string[]) {
  const said = { out: '', err: '' };
  const code = await runCommand(args, {
    env: { [INSIDE]: '1' },
    self: [],
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

it.skipIf(process.platform === 'win32')('the command says with code 2 that nothing could be checked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'command-'));
  const profile = join(folder, 'p.json');
  writeFileSync(profile, JSON.stringify({ command: ['sh', '-c', 'exit 3'], through: 'lines', ready: 'never' }));
  const { code, out } = await run('check', '--profile', profile, '--json', '--html', join(folder, 'r.html'));
  rmSync(folder, { recursive: true });
  expect({ code, unchecked: (JSON.parse(out) as { unchecked: string }).unchecked }).toEqual({
    code: 2,
    unchecked: expect.stringContaining('the program was never ready'),
  });
});
