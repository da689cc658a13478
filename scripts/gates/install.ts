/**
 * The SDKs and tools that only tests and benches need are workspaces, which a plain `npm ci` leaves out (`.npmrc`): who wants
 * to build the package and run the demo waits for none of them. What needs them installs them here, once.
 *
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root, run, type Ended } from './run.ts';

interface Manifest {
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

/** Whether every package that a workspace names is in its own `node_modules` or in the root's. */
function isInstalled(workspace: string): boolean {
  return Object.keys(manifest(workspace).dependencies ?? {}).every((name) =>
    [workspace, '.'].some((folder) => existsSync(join(root, folder, 'node_modules', name, 'package.json'))),
  );
}

/** Packages of a major before the newest: a third of all files, for one command. */
const previous = 'test/interop/previous';

/**
 * Installs the workspaces as the lock file has them, unless they are there.
 *
 * @param hasPrevious Whether the previous majors of the SDKs are wanted, too.
 */
export async function installWorkspaces(hasPrevious: boolean): Promise<Ended> {
  const wanted = (manifest('.').workspaces ?? []).filter((workspace) => hasPrevious || workspace !== previous);
  const missing = wanted.filter((workspace) => !isInstalled(workspace));
  if (missing.length === 0) return { ok: true, output: '' };
  console.log(`installing ${missing.join(', ')}`);
  const chosen = wanted.flatMap((workspace) => ['--workspace', workspace]);
  const args = ['install', '--no-save', ...chosen, '--include-workspace-root', '--no-audit', '--no-fund'];
  // What `.npmrc` says of workspaces would rule them out.
  return run('npm', args, {
    timeoutMs: 1_800_000,
    env: { npm_config_loglevel: 'error', npm_config_workspaces: 'true' },
  });
}
