/**
 * Builds a program over a source in which one place was replaced, and runs it in a process of its own.
 *
 * @module
 */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { build, stop } from 'esbuild';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Inside the package, so that what is built finds what it imports; where no other tool looks. */
const artifacts = join(root, '.artifacts');

/** One replaced place. */
export interface Fault {
  /** Below `src`. */
  readonly file: string;
  readonly found: string;
  readonly replaced: string;
}

/**
 * What a program writes to its output.
 *
 * @param entry Its file, below `test/properties`.
 */
export async function runBroken(entry: string, args: readonly string[], fault?: Fault): Promise<string> {
  await mkdir(artifacts, { recursive: true });
  const outfile = join(artifacts, `broken-${String(process.pid)}-${globalThis.crypto.randomUUID()}.mjs`);
  let replaced = 0;
  try {
    await build({
      entryPoints: [join(root, 'test/properties', entry)],
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
            onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
              if (fault === undefined || path !== join(root, 'src', fault.file)) return undefined;
              const text = await readFile(path, 'utf8');
              replaced += text.split(fault.found).length - 1;
              return { contents: text.replace(fault.found, () => fault.replaced), loader: 'ts' };
            });
          },
        },
      ],
    });
    if (fault !== undefined && replaced !== 1)
      throw new Error(`${String(replaced)} places to break in ${fault.file}: ${fault.found}`);
    const { stdout } = await promisify(execFile)(process.execPath, [outfile, ...args]);
    return stdout;
  } finally {
    // Its service is a process, and stays else for as long as we do.
    await stop();
    await rm(outfile, { force: true });
  }
}
