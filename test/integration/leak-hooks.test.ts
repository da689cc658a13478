import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bin = (name: string): string => join(root, 'node_modules', name);

/** A runner, how it gets its functions, and how it runs one file. */
interface Runner {
  readonly head: string;
  readonly file: string;
  readonly args: (file: string) => readonly string[];
}

const runners: Readonly<Record<string, Runner>> = {
  'node:test': {
    head: `import { after, before, test } from 'node:test';
import { leakHooks } from 'desist/testing';
leakHooks({ before, after });`,
    file: 'leak.test.mjs',
    args: (file) => ['--expose-gc', '--test', file],
  },
  vitest: {
    head: `import { afterAll, beforeAll, test } from 'vitest';
import { leakHooks } from 'desist/testing';
leakHooks({ before: beforeAll, after: afterAll });`,
    file: 'leak.test.mjs',
    args: (file) => [bin('vitest/vitest.mjs'), 'run', '--root', dirname(file)],
  },
  jest: {
    head: `const { leakHooks } = require('desist/testing');
  leakHooks({ before: beforeAll, after: afterAll });`,
    file: 'leak.test.cjs',
    args: (file) => [
      '--expose-gc',
      bin('jest/bin/jest.js'),
      ...['--runInBand', '--rootDir', dirname(file), '--testMatch', '**/*.test.cjs'],
    ],
  },
};

let dir: string;
beforeEach(async () => {
  // Inside the package, so that its own name leads to what was built.
  dir = await mkdtemp(join(root, '.artifacts', 'leak-hooks-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Runs a file of one test with that body. */
async function run(
  { head, file, args }: Runner,
  body: string,
): Promise<{ readonly ok: boolean; readonly output: string }> {
  const path = join(dir, file);
  const config = { test: { pool: 'forks', execArgv: ['--expose-gc'], include: ['*.test.mjs'] } };
  await writeFile(join(dir, 'vitest.config.mjs'), `export default ${JSON.stringify(config)}`);
  await writeFile(path, `${head}\nglobalThis.held = [];\ntest('one', async () => {\n${body}\n});\n`);
  // A runner that runs inside a runner reports to nobody.
  const { NODE_TEST_CONTEXT: _1, VITEST: _2, VITEST_WORKER_ID: _3, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, [...args(path)], { cwd: dir, env }, (error, stdout, stderr) => {
      resolve({ ok: error === null, output: `${stdout}\n${stderr}` });
    });
  });
}

const leaking = `  const session = new AbortController();
  session.signal.addEventListener('abort', () => {});
  globalThis.held.push(session);`;

const clean = `  const session = new AbortController();
  const listener = () => {};
  session.signal.addEventListener('abort', listener);
  session.signal.removeEventListener('abort', listener);
  globalThis.held.push(session);`;

describe('leakHooks in a real runner', () => {
  it.each(Object.entries(runners))('A file of %s fails with what it left behind, by name', async (_, runner) => {
    const { ok, output } = await run(runner, leaking);
    expect(output).toContain('left behind: 1 × abort listener');
    expect(ok).toBe(false);
  });

  it.each(Object.entries(runners))('A file of %s that gave everything back passes', async (_, runner) => {
    const { ok, output } = await run(runner, clean);
    expect([ok, ok ? '' : output]).toEqual([true, '']);
  });
});
