/**
 * What each door weighs: `node scripts/door-weights.ts [--write]` makes the table of docs/doors.md from what was built.
 *
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { placeBetween } from './agents-table.ts';
import { readDoors } from './doors.ts';
import { root } from './gates/run.ts';

/** What one door weighs, in bytes, minified and compressed. */
export interface DoorWeight {
  readonly specifier: string;
  readonly alone: number;
  /** What it adds to a program that has the front door already. */
  readonly beside: number;
  /** Exported values. */
  readonly values: number;
}

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
  const weights: DoorWeight[] = [];
  for (const { specifier, id } of readDoors(root)) {
    const file = fileOf(id);
    const alone = await weigh([file]);
    const beside = file === front ? 0 : (await weigh([front, file])) - base;
    const values = Object.keys((await import(pathToFileURL(file).href)) as object).length;
    weights.push({ specifier, alone, beside, values });
  }
  return weights;
}

const kB = (bytes: number): string => (bytes / 1000).toFixed(1);

/** The table as the page shows it. */
export function weightTable(weights: readonly DoorWeight[]): string {
  return [
    '<!-- prettier-ignore -->',
    '| door | kB alone | kB beside the front door | values |',
    '| --- | ---: | ---: | ---: |',
    ...weights.map(
      ({ specifier, alone, beside, values }) =>
        `| \`${specifier}\` | ${kB(alone)} | ${beside === 0 ? '–' : kB(beside)} | ${String(values)} |`,
    ),
  ].join('\n');
}

if (import.meta.main) {
  const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
  const table = weightTable(await weighDoors());
  const path = join(root, 'docs/doors.md');
  if (options.write) writeFileSync(path, placeBetween(readFileSync(path, 'utf8'), 'weights', table));
  else console.log(table);
}
