/**
 * What each door weighs, and how long it takes to load: `node scripts/door-weights.ts [--write]` makes the table of docs/doors.md from
 * what was built.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { placeBetween } from './agents-table.ts';
import { ofCodingAgent, readDoors } from './doors.ts';
import { root } from './gates/run.ts';

/** What one door weighs, or several together, in bytes, minified and compressed. */
export interface DoorWeight {
  readonly specifiers: readonly string[];
  readonly alone: number;
  /** What it adds to a program that has the front door already. */
  readonly beside: number;
  /** How many values it exports, and how many types. */
  readonly values: number;
  readonly types: number;
}

/** What others know the cost of. */
const YARDSTICK = 'execa';
const ROUNDS = 7;

/** Minified and compressed bytes of modules that are imported whole. */
async function weigh(files: readonly string[]): Promise<number> {
  const contents = files.map((file, at) => `export * as all${String(at)} from ${JSON.stringify(file)};`).join('\n');
  const { outputFiles } = await build({
    ...{ stdin: { contents, resolveDir: root }, bundle: true, minify: true, write: false },
    ...{ format: 'esm', platform: 'node', target: 'node20', packages: 'external', logLevel: 'error' },
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
}

/** Weighs what is in `dist`. */
export async function weighDoors(): Promise<DoorWeight[]> {
  const fileOf = (id: string): string => join(root, 'dist', `${id}.js`);
  const front = fileOf('index');
  const base = await weigh([front]);
  const exported = JSON.parse(readFileSync(join(root, 'test/package/exports.json'), 'utf8')) as Readonly<
    Record<string, { readonly values: readonly string[]; readonly types: readonly string[] }>
  >;
  const doors = readDoors(root);
  const weights: DoorWeight[] = [];
  const agent = doors.filter(({ id }) => ofCodingAgent.includes(id)).map(({ specifier }) => specifier);
  for (const specifiers of [...doors.map((door) => [door.specifier]), agent]) {
    const files = doors.filter(({ specifier }) => specifiers.includes(specifier)).map(({ id }) => fileOf(id));
    const alone = await weigh(files);
    const beside = files[0] === front && files.length === 1 ? 0 : (await weigh([...new Set([front, ...files])])) - base;
    const count = (kind: 'values' | 'types'): number =>
      specifiers.reduce((sum, specifier) => sum + (exported[specifier]?.[kind].length ?? 0), 0);
    weights.push({ specifiers, alone, beside, values: count('values'), types: count('types') });
  }
  return weights;
}

/** Milliseconds of processor time that a fresh process spends on an import; others on the machine hardly change it. */
function timeOf(urls: readonly string[]): number {
  const code = `const before = process.cpuUsage();
    ${urls.map((url) => `await import(${JSON.stringify(url)});`).join('')}
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1000);`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

const middle = (figures: readonly number[]): number => figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? NaN;

/** How long an import takes of each, in turns, as a multiple of `import 'execa'`. */
export function timeDoors(weights: readonly DoorWeight[]): number[] {
  const ids = new Map(readDoors(root).map(({ specifier, id }) => [specifier, id]));
  const cases = [
    [YARDSTICK],
    ...weights.map(({ specifiers }) =>
      specifiers.map((specifier) => pathToFileURL(join(root, 'dist', `${ids.get(specifier) ?? ''}.js`)).href),
    ),
  ];
  const rounds = Array.from({ length: ROUNDS }, () => cases.map((urls) => timeOf(urls)));
  const [yardstick = NaN, ...times] = cases.map((_, at) => middle(rounds.map((round) => round[at] ?? NaN)));
  return times.map((time) => time / yardstick);
}

const kB = (bytes: number): string => (bytes / 1000).toFixed(1);

/** The table as the page shows it. */
export function weightTable(weights: readonly DoorWeight[], times: readonly number[]): string {
  return [
    '<!-- prettier-ignore -->',
    `| door | kB alone | kB beside the front door | values | types | import, × \`${YARDSTICK}\` |`,
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...weights.map(({ specifiers, alone, beside, values, types }, at) => {
      const figures = [kB(alone), beside === 0 ? '–' : kB(beside), String(values), String(types)];
      const doors = specifiers.map((specifier) => `\`${specifier}\``).join(', ');
      return `| ${doors} | ${figures.join(' | ')} | ${times[at]?.toFixed(2) ?? '–'} |`;
    }),
  ].join('\n');
}

if (import.meta.main) {
  const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
  const weights = await weighDoors();
  const table = weightTable(weights, timeDoors(weights));
  const path = join(root, 'docs/doors.md');
  if (options.write) writeFileSync(path, placeBetween(readFileSync(path, 'utf8'), 'weights', table));
  else console.log(table);
}
