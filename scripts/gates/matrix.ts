/**
 * Tries the packed package on every runtime it is made for.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { installPacked, type Consumer } from '../../test/package/consumer.ts';
import { root, run, type Ended } from './run.ts';
import { tryWorkerd } from './workerd.ts';

interface Runtime {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** What its `--version` must mention. */
  readonly version: string;
  /** How it is tried, where it does not run a program to its end. */
  readonly attempt?: (program: string, consumer: Consumer) => Promise<Ended>;
}

const home = join(root, 'test/package/runtimes');
const installed = (path: string): string => join(home, 'node_modules', path);

/** Versions are those of test/package/runtimes/package.json. */
const runtimes: readonly Runtime[] = [
  { name: 'node 20', program: installed('node20/bin/node'), args: [], version: 'v20.20.2' },
  { name: 'node 22', program: installed('node22/bin/node'), args: [], version: 'v22.23.3' },
  { name: 'node 24', program: process.execPath, args: [], version: 'v24.21.0' },
  { name: 'node 26', program: installed('node26/bin/node'), args: [], version: 'v26.10.0' },
  { name: 'bun', program: installed('bun/bin/bun'), args: [], version: '1.4.5' },
  {
    name: 'deno',
    program: installed('deno/deno'),
    args: ['run', '--allow-all', '--node-modules-dir=manual'],
    version: '2.9.6',
  },
  { name: 'workerd', program: installed('workerd/bin/workerd'), args: [], version: '2026-04-26', attempt: tryWorkerd },
];

/** Names of the runtimes, in the order in which their trials begin. */
export const runtimeNames: readonly string[] = runtimes.map(({ name }) => name);

/** Whether the binaries exist for this machine. */
export const matrixRuns: boolean = process.platform === 'linux' && process.arch === 'x64';

async function isCurrent({ program, version }: Runtime): Promise<boolean> {
  if (!existsSync(program)) return false;
  const { ok, output } = await run(program, ['--version'], { timeoutMs: 20_000 });
  return ok && output.includes(version);
}

let installing: Promise<Ended> | undefined;

/** Installs the runtimes unless they are there; whoever asks again waits for the same. */
export function installRuntimes(): Promise<Ended> {
  return (installing ??= install());
}

async function install(): Promise<Ended> {
  const current = await Promise.all(runtimes.map(isCurrent));
  if (!current.includes(false)) return { ok: true, output: '' };
  const ended = await run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', home], { cwd: home });
  if (!ended.ok) return ended;
  const missing = [];
  for (const runtime of runtimes) if (!(await isCurrent(runtime))) missing.push(`${runtime.name} ${runtime.version}`);
  return { ok: missing.length === 0, output: `${ended.output}\nnot there: ${missing.join(', ')}` };
}

let consumer: Consumer | undefined;

/** Runs the smoke test on one runtime. */
export async function smoke(name: string): Promise<Ended> {
  const runtime = runtimes.find((candidate) => candidate.name === name);
  if (runtime === undefined) return { ok: false, output: `no runtime ${name}` };
  const ready = runtime.program === process.execPath ? undefined : await installRuntimes();
  if (ready?.ok === false) return ready;
  consumer ??= installPacked();
  if (runtime.attempt !== undefined) return runtime.attempt(runtime.program, consumer);
  const script = join(consumer.folder, 'smoke/smoke.mjs');
  const env = { DENO_NO_UPDATE_CHECK: '1' };
  const ended = await run(runtime.program, [...runtime.args, script], { cwd: consumer.folder, env });
  const lines = (start: string): string[] => ended.output.split('\n').filter((line) => line.startsWith(start));
  const checks = { passed: lines('ok ').length, failed: lines('not ok ').length };
  return { ...ended, checks, skipped: lines('skip ').map((line) => line.slice('skip '.length)) };
}

/** Removes what the smoke tests needed. */
export function cleanMatrix(): void {
  consumer?.remove();
  consumer = undefined;
}
