/**
 * Builds the search for a broken law over a source in which one place was replaced, and runs it.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Inside the package, so that what is built finds what it imports; where no other tool looks. */
const artifacts = join(root, '.artifacts');

/** One replaced place. */
export interface Fault {
  /** Below `src/core`. */
  readonly file: string;
  readonly found: string;
  readonly replaced: string;
}

/** The first program that broke a law. */
export interface Finding {
  /** Counted from 1. */
  readonly run: number;
  readonly broken: readonly string[];
}

/** What the search finds among so many programs of a seed, if anything. */
export async function seek(name: string, seed: number, programs: number, fault?: Fault): Promise<Finding | undefined> {
  await mkdir(artifacts, { recursive: true });
  const outfile = join(artifacts, `machine-${String(process.pid)}-${name.replace(/\W+/g, '-')}.mjs`);
  let replaced = 0;
  try {
    await build({
      entryPoints: [join(root, 'test/properties/machine/seek.ts')],
      outfile,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
      plugins: [
        {
          name: 'break',
          setup: ({ onLoad }) => {
            onLoad({ filter: /[\\/]src[\\/]core[\\/].*\.ts$/ }, async ({ path }) => {
              const text = await readFile(path, 'utf8');
              if (fault === undefined || path !== join(root, 'src/core', fault.file)) return undefined;
              replaced += text.split(fault.found).length - 1;
              return { contents: text.replace(fault.found, () => fault.replaced), loader: 'ts' };
            });
          },
        },
      ],
    });
    if (fault !== undefined && replaced !== 1)
      throw new Error(`${String(replaced)} places to break in ${fault.file}: ${fault.found}`);
    const { stdout } = await promisify(execFile)(process.execPath, [outfile, String(seed), String(programs)]);
    return stdout === '' ? undefined : (JSON.parse(stdout) as Finding);
  } finally {
    await rm(outfile, { force: true });
  }
}
