/** What is left of one name in a bundle of esbuild, which keeps a class whose body computes a key. */
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';

import { requireBuild, root } from './consumer.ts';

beforeAll(() => {
  requireBuild();
});

/** Kilobytes, minified and compressed. */
async function sizeOf(name: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `import { ${name} } from './dist/index.js'; console.log(${name});`, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
  });
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length / 1000;
}

describe('in a bundle of esbuild', () => {
  it.each([
    ['classify', 3],
    ['CancelledError', 2.5],
    ['createReason', 1.7],
    ['CancellationTokenSource', 10.2],
    ['withCancellation', 13.6],
    ['delay', 10],
  ])('%s is at most %d kB', async (name, limit) => {
    expect(await sizeOf(name)).toBeLessThan(limit);
  });
});
