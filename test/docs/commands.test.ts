import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { namesOf } from '../../scripts/gates/plan.ts';
import { root } from '../../scripts/gates/run.ts';

const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const { scripts, devDependencies, workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly workspaces: readonly string[];
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

/** A clone after `npm ci`, with nothing yet of what the workspaces bring. */
function bareClone(): string {
  const clone = mkdtempSync(join(tmpdir(), 'bare-clone-'));
  onTestFinished(() => {
    rmSync(clone, { recursive: true });
  });
  const filter = (path: string): boolean => !path.includes('node_modules');
  const manifests = workspaces.map((workspace) => join(workspace, 'package.json'));
  for (const path of ['package.json', 'scripts', 'test/package', 'test/support', ...manifests])
    cpSync(join(root, path), join(clone, path), { recursive: true, filter });
  for (const name of Object.keys(devDependencies)) {
    mkdirSync(dirname(join(clone, 'node_modules', name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(clone, 'node_modules', name));
  }
  return clone;
}

it('a command of CONTRIBUTING.md knows what it runs before the packages of the workspaces are installed', () => {
  const args = ['scripts/test.ts', '--list'];
  const listed = execFileSync(process.execPath, args, { cwd: bareClone(), encoding: 'utf8' });
  expect(listed.trim().split('\n')).toEqual(namesOf(false));
});

it('gates of CONTRIBUTING.md whose programs the workspaces bring wait for them', () => {
  const clone = bareClone();
  const tools = { typedoc: 'typedoc', knip: 'knip', publint: 'publint', '@arethetypeswrong/cli': 'attw' };
  // An `npm install` that brings programs which say that all is well.
  const npm = `#!${process.execPath}
    import { mkdirSync, writeFileSync } from 'node:fs';
    for (const [name, command] of Object.entries(${JSON.stringify(tools)})) {
      const folder = 'node_modules/' + name;
      mkdirSync(folder, { recursive: true });
      writeFileSync(folder + '/package.json', JSON.stringify({ bin: { [command]: 'well.js' } }));
      writeFileSync(folder + '/well.js', '');
    }`;
  mkdirSync(join(clone, 'path'));
  writeFileSync(join(clone, 'path/npm'), npm, { mode: 0o755 });
  const { stdout } = spawnSync(process.execPath, ['scripts/test.ts', '--only', 'typedoc,knip,publint,attw'], {
    cwd: clone,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(clone, 'path')}:${process.env['PATH'] ?? ''}` },
  });
  expect(stdout).toMatch(/^5 passed, 0 failed/m);
});
