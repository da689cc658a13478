/** The agent that people copy: its own test passes, and the program stops when it is tried from outside. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { describe, expect, it } from 'vitest';

import { checkProgram, formatReport } from '../../src/testing/program/index.ts';
import { readProfile } from '../../src/testing/program/profile-reading.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'examples/starter');
const node = join(root, 'node_modules/.bin/node');

describe('the starter', () => {
  it('the starter passes its own test', async () => {
    const { stdout } = await promisify(execFile)(node, ['--test', join(folder, 'agent.test.ts')], { cwd: root });
    expect(stdout).toMatch(/^ℹ pass 1$/m);
  });

  it.each([undefined, ''])('the starter names the key that is missing, and no more: OPENAI_API_KEY=%s', async (key) => {
    const env = { ...process.env, OPENAI_API_KEY: key };
    const ended = promisify(execFile)(node, [join(folder, 'main.ts')], { cwd: tmpdir(), env });
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'OPENAI_API_KEY is not set; any text will do for a server (OPENAI_BASE_URL) that asks for no key.\n',
    });
  });

  it('the starter stops, tells the truth, and goes on where it was, from outside', async () => {
    const text = readFileSync(join(folder, 'check.json'), 'utf8').replaceAll('{cwd}', folder);
    const report = await checkProgram(readProfile(JSON.parse(text)), {
      runs: 1,
      only: ['tool', 'mcp', 'kill', 'resume'],
    });
    expect(
      report.checks.map(({ name, status }) => `${name} ${status}`),
      formatReport(report),
    ).toEqual(['tool passed', 'mcp passed', 'kill passed', 'resume passed']);
  });
});
