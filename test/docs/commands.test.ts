import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { namesOf } from '../../scripts/gates/plan.ts';
import { root } from '../../scripts/gates/run.ts';

const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const { scripts, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

it('CONTRIBUTING.md says which command runs which gate', () => {
  const rows = [...page.matchAll(/^\| `([^`]+)` +\| (yes|–) +\| (yes|–) +\|$/gm)].map(([, name, some, all]) => [
    name,
    some,
    all,
  ]);
  const [short, long] = [new Set(namesOf(false)), new Set(namesOf(true))];
  expect(rows).toEqual([...long].map((name) => [name, short.has(name) ? 'yes' : '–', 'yes']));
  expect([...short].filter((name) => !long.has(name))).toEqual([]);
});

it('CONTRIBUTING.md and .ci/run call scripts that there are', () => {
  const ci = readFileSync(join(root, '.ci/run'), 'utf8');
  const called = [...`${page}\n${ci}`.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? '');
  expect(called.filter((name) => !(name in scripts))).toEqual([]);
  expect(ci).toContain('npm run test:all');
  expect(scripts).toMatchObject({ test: 'node scripts/test.ts', 'test:all': 'node scripts/test.ts --all' });
});

it('a command of CONTRIBUTING.md knows what it runs before the packages of the workspaces are installed', () => {
  const clone = mkdtempSync(join(tmpdir(), 'bare-clone-'));
  onTestFinished(() => {
    rmSync(clone, { recursive: true });
  });
  const filter = (path: string): boolean => !path.includes('node_modules');
  for (const path of ['package.json', 'scripts', 'test/package', 'test/support'])
    cpSync(join(root, path), join(clone, path), { recursive: true, filter });
  for (const name of Object.keys(devDependencies)) {
    mkdirSync(dirname(join(clone, 'node_modules', name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(clone, 'node_modules', name));
  }
  const listed = execFileSync(process.execPath, ['scripts/test.ts', '--list'], { cwd: clone, encoding: 'utf8' });
  expect(listed.trim().split('\n')).toEqual(namesOf(false));
});
