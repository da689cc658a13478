/**
 * `npm run check:public -- [NAMES] [--runs N] [--only CHECKS]`: plays `desist check` with public agent programs as they come from the
 * registry, each in its newest version. By hand only: what it says is true of that version, on that day, on this machine.
 *
 * Nothing but the registry is asked for anything: the programs run against the loopback, without a key, and their install scripts do not run.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { formatReport, type ProgramReport } from '../src/testing/program/index.ts';
import { publicPrograms, type PublicProgram } from './public-programs.ts';

const desist = join(import.meta.dirname, '../dist/bin/desist.js');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '3' }, only: { type: 'string' } },
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(file: string, args: readonly string[], cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { cwd, maxBuffer: 256 * 1024 * 1024 }, (_error, out, err) => {
      resolve({ code: child.exitCode ?? 1, out, err });
    });
  });
}

async function check(name: string, program: PublicProgram, folder: string): Promise<string> {
  const place = mkdtempSync(join(folder, `${name}-`));
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const installed = await run('npm', ['install', '--prefix', place, ...flags, `${program.package}@latest`], place);
  const manifest = join(place, 'node_modules', program.package, 'package.json');
  if (installed.code !== 0 || !existsSync(manifest)) {
    return `${name}: ${program.package} could not be installed: ${installed.err.trim().split('\n')[0] ?? ''}`;
  }
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
  const bin = join(place, 'node_modules/.bin');
  const profile = JSON.stringify({ name: `${program.package} ${version}`, ...program.profile });
  const file = join(place, 'profile.json');
  writeFileSync(file, profile.replaceAll('{bin}', bin));
  const only = values.only === undefined ? [] : ['--only', values.only];
  const args = ['check', '--profile', file, '--json', '--runs', values.runs, ...only];
  const { out, err } = await run(process.execPath, [desist, ...args], place);
  if (out === '') return `${program.package} ${version}: ${err.trim()}`;
  return formatReport(JSON.parse(out) as ProgramReport);
}

const unknown = positionals.find((name) => !Object.hasOwn(publicPrograms, name));
if (unknown !== undefined) {
  throw new RangeError(`the programs are ${Object.keys(publicPrograms).join(', ')}, got ${JSON.stringify(unknown)}`);
}
if (!existsSync(desist)) throw new Error('there is no build: npm run build:js');
const folder = mkdtempSync(join(tmpdir(), 'check-public-'));
try {
  for (const [name, program] of Object.entries(publicPrograms)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    process.stdout.write(`${await check(name, program, folder)}\n\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
