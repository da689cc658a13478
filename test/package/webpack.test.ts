/** What is left of one name in a bundle of webpack, whose minifier drops less than others where a class reads a global. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import webpack from 'webpack';

import { requireBuild, root } from './consumer.ts';

let folder = '';

beforeAll(() => {
  requireBuild();
  folder = mkdtempSync(join(tmpdir(), 'desist-webpack-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/desist'));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Kilobytes, minified and compressed. */
function sizeOf(name: string, door: string, sideEffects: boolean): Promise<number> {
  const entry = join(folder, `${name}.mjs`);
  writeFileSync(entry, `import { ${name} } from '${door}'; console.log(${name});`);
  const compiler = webpack({
    mode: 'production',
    context: folder,
    entry,
    output: { path: join(folder, 'out'), filename: `${name}.js` },
    optimization: { sideEffects },
    resolve: { symlinks: false },
  });
  return new Promise((resolve, reject) => {
    compiler.run((error, stats) => {
      if (error !== null) reject(error);
      else if (stats?.hasErrors() === true) reject(new Error(stats.toString()));
      else resolve(gzipSync(readFileSync(join(folder, 'out', `${name}.js`))).length / 1000);
    });
  });
}

describe.each([
  ['as it is', true],
  ['with the field sideEffects ignored', false],
])('in a bundle of webpack, %s', (_how, sideEffects) => {
  it.each([
    ['foldAnthropic', 'desist/llm', 3.3],
    ['classify', 'desist', 3.5],
    ['CancelledError', 'desist', 2.6],
    ['CancellationTokenSource', 'desist', 10.3],
    ['withCancellation', 'desist', 14.35],
  ])('%s of %s is at most %d kB', async (name, door, limit) => {
    expect(await sizeOf(name, door, sideEffects)).toBeLessThan(limit);
  });
});
