import { execFile } from 'node:child_process';
import { readFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

it('the program desist says how it is used, and ends with the code of its command', { timeout: 60_000 }, async () => {
  const script = join(root, 'src/testing/program/command-line/desist.ts');
  const desist = (...args: string[]) => promisify(execFile)(join(root, 'node_modules/.bin/node'), [script, ...args]);
  expect((await desist('--help')).stdout).toContain('usage: desist check');
  await expect(desist('check')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('say which program'),
  });
});

it.skipIf(process.platform === 'win32')(
  'the program desist knows its version wherever it is linked',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'linked-'));
    const link = join(folder, 'desist.ts');
    symlinkSync(join(root, 'src/testing/program/command-line/desist.ts'), link);
    const { stdout } = await promisify(execFile)(join(root, 'node_modules/.bin/node'), [link, '--version']);
    rmSync(folder, { recursive: true });
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
    expect(stdout).toBe(`${version}\n`);
  },
  60_000,
);
