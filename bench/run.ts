/**
 * Runs the benches against the built package: `npm run bench -- [--only G3,G4] [--quick] [--check] [--write]
 * [--node path]… [--dist dir] [--against dir]`.
 *
 * `--node` measures on another Node as well; `--check` fails on a floor that is missed three times in a row, for noise
 * misses once and a regression misses always; `--write` writes RESULTS.md, with `--only` these workloads of it. `--against` measures another build in turn with this
 * one, and says of each row how many times as bad it is here: above 1 it takes more, or falls shorter of its peers.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './harness.ts';
import { line, majorOf, markdown, type Column, type Result } from './report.ts';
import { requireColumns, withWorkloads } from './results-page.ts';
import { stage } from './stage.ts';
import { holds, passes, type Row } from './workload.ts';
import { workloads } from './workloads/index.ts';

const ATTEMPTS = 3;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    node: { type: 'string', multiple: true, default: [] },
    dist: { type: 'string', default: join(import.meta.dirname, '..', 'dist') },
    against: { type: 'string' },
  },
});

function chosen(): string[] {
  const all = Object.keys(workloads);
  if (options.only === undefined) return all;
  const wanted = options.only.split(',').map((id) => id.trim().toUpperCase());
  for (const id of wanted)
    if (!all.includes(id)) throw new RangeError(`no workload ${id}; there are ${all.join(', ')}`);
  return wanted;
}

function measure(node: string, worker: string, id: string): Result {
  const args = ['--expose-gc', '--no-flush-bytecode', worker, id, options.quick ? 'quick' : 'full'];
  const text = execFileSync(node, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 24 });
  return { id, ...(JSON.parse(text) as { title: string; rows: Row[] }) };
}

function versionOf(node: string): string {
  return execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
}

function runOn(node: string, worker: string): Column {
  const version = versionOf(node);
  const major = majorOf(version);
  console.log(`\nNode ${version.slice(1)}`);
  const results = chosen().map((id) => {
    let result = measure(node, worker, id);
    for (let attempt = 1; options.check && attempt < ATTEMPTS; attempt++) {
      if (result.rows.every((row) => holds(row, major))) break;
      result = measure(node, worker, id);
    }
    for (const row of result.rows) console.log(line(id, row, major));
    return result;
  });
  return { version, results };
}

/** The rows of this build by those of another: the median over rounds in which each is measured once. */
function compareWith(other: string, worker: string): void {
  const theirs = stage(import.meta.dirname, resolve(other));
  try {
    for (const id of chosen()) {
      const ratios = new Map<string, number[]>();
      for (let round = 0; round < ATTEMPTS; round++) {
        const [before, now] = [theirs.worker, worker].map((each) => measure(process.execPath, each, id));
        for (const { what, value, atLeast } of now?.rows ?? []) {
          const was = before?.rows.find((row) => row.what === what);
          if (was === undefined) continue;
          const ratio = atLeast === undefined ? value / was.value : was.value / value;
          ratios.set(what, [...(ratios.get(what) ?? []), ratio]);
        }
      }
      for (const [what, found] of ratios)
        console.log(`${id.padEnd(4)} ${what.padEnd(62)} ${median(found).toFixed(2)}×`);
    }
  } finally {
    theirs.remove();
  }
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

function peers(): string[] {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as Manifest;
  return Object.entries(manifest.dependencies).map(([name, version]) => `${name} ${version}`);
}

function failing(columns: readonly Column[], test: (row: Row, major: number) => boolean): string[] {
  return columns.flatMap(({ version, results }) =>
    results.flatMap(({ id, rows }) =>
      rows.filter((row) => !test(row, majorOf(version))).map((row) => `${version} ${id} ${row.what}`),
    ),
  );
}

function main(): void {
  const dist = resolve(options.dist);
  if (!existsSync(join(dist, 'index.js'))) throw new Error(`nothing is built in ${dist}: run npm run build:js first`);
  const staged = stage(import.meta.dirname, dist);
  try {
    if (options.against !== undefined) {
      compareWith(options.against, staged.worker);
      return;
    }
    const nodes = [process.execPath, ...options.node];
    const page = join(import.meta.dirname, 'RESULTS.md');
    const isPart = options.write && options.only !== undefined;
    if (isPart) requireColumns(readFileSync(page, 'utf8'), nodes.map(versionOf));
    const [load = 0] = loadavg();
    const columns = nodes.map((node) => runOn(node, staged.worker));
    if (options.write) {
      const date = new Date();
      const text = isPart
        ? withWorkloads(readFileSync(page, 'utf8'), columns, { order: Object.keys(workloads), date, load })
        : markdown(columns, peers(), date);
      writeFileSync(page, text);
    }
    const missed = failing(columns, passes);
    console.log(missed.length === 0 ? '\nevery goal reached' : `\nmissed:\n${missed.join('\n')}`);
    const fallen = failing(columns, holds);
    if (!options.check || fallen.length === 0) return;
    console.log(`\nbelow the floor:\n${fallen.join('\n')}`);
    process.exitCode = 1;
  } finally {
    staged.remove();
  }
}

main();
