/**
 * Puts what doors share into fewer files. The bundler makes one for each set of doors that share something, and each costs a program
 * that loads it about as much as 20 kB of code: its name is resolved, it is opened, and it is linked. Two files become one where the
 * doors that load both gain more by that than the others lose by code that they do not need.
 *
 * @module
 */
import { chmodSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { rollup, type OutputChunk, type OutputOptions } from 'rollup';

/** A file that doors share, or several that became one. */
export interface SharedFile {
  readonly files: readonly string[];
  readonly bytes: number;
  /** What loads it. */
  readonly loaders: ReadonlySet<string>;
  /** What it imports that is not of the package: a program for a browser loads none of it unawares. */
  readonly externals: string;
}

/** How much the loads by a door count. */
export type Weigh = (loader: string) => number;

/** What one more file costs, in bytes of code. */
const FILE = 20_000;

/** What the loaders gain by having two files as one, in bytes of code. */
function gainOf(a: SharedFile, b: SharedFile, weigh: Weigh): number {
  if (a.externals !== b.externals) return -Infinity;
  let gain = 0;
  for (const loader of a.loaders) gain += weigh(loader) * (b.loaders.has(loader) ? FILE : -b.bytes);
  for (const loader of b.loaders) if (!a.loaders.has(loader)) gain -= weigh(loader) * a.bytes;
  return gain;
}

/** The pair that gains most by being one, as long as one does. */
function bestPair(files: readonly SharedFile[], weigh: Weigh): readonly [SharedFile, SharedFile] | undefined {
  let best: readonly [SharedFile, SharedFile] | undefined;
  let most = 0;
  for (const [at, a] of files.entries())
    for (const b of files.slice(at + 1)) {
      const gain = gainOf(a, b, weigh);
      if (gain <= most) continue;
      most = gain;
      best = [a, b];
    }
  return best;
}

/** The files as they are loaded at the least cost. */
export function merged(files: readonly SharedFile[], weigh: Weigh): SharedFile[] {
  let rest = [...files];
  for (let pair = bestPair(rest, weigh); pair !== undefined; pair = bestPair(rest, weigh)) {
    const [a, b] = pair;
    const one = {
      files: [...a.files, ...b.files],
      bytes: a.bytes + b.bytes,
      loaders: new Set([...a.loaders, ...b.loaders]),
      externals: a.externals,
    };
    rest = [...rest.filter((each) => each !== a && each !== b), one];
  }
  return rest;
}

/** A file and all that it loads before it runs. */
function loadedBy(modules: ReadonlyMap<string, OutputChunk>, file: string, seen = new Set<string>()): Set<string> {
  const module = seen.has(file) ? undefined : modules.get(file);
  if (module === undefined) return seen;
  seen.add(file);
  for (const next of module.imports) loadedBy(modules, next, seen);
  return seen;
}

/** What is shared, file by file, as the bundler left it. */
function sharedFiles(
  modules: ReadonlyMap<string, OutputChunk>,
  entries: readonly string[],
  together: readonly string[],
): SharedFile[] {
  const loaders = new Map<string, Set<string>>();
  const isEntry = new Set(entries.map((entry) => `${entry}.js`));
  for (const entry of entries)
    for (const file of loadedBy(modules, `${entry}.js`)) {
      const all = loaders.get(file) ?? new Set();
      loaders.set(file, all.add(entry));
      if (together.includes(entry)) all.add(TOGETHER);
    }
  return [...modules.values()].flatMap(({ fileName, code, imports, isDynamicEntry }) => {
    const who = loaders.get(fileName);
    if (who === undefined || isEntry.has(fileName) || isDynamicEntry) return [];
    const foreign = imports.filter((id) => !modules.has(id)).sort();
    return [{ files: [fileName], bytes: code.length, loaders: who, externals: foreign.join() }];
  });
}

/** Stands for the program that loads several. */
const TOGETHER = 'together';

/**
 * Does so with all scripts of a folder, and writes them in both formats.
 *
 * @param folder Where they are, as modules.
 * @param entries The names of what is loaded from outside, without extension.
 * @param together Those that one program loads; it counts as much as all others.
 */
export async function mergeChunks(
  folder: string,
  entries: readonly string[],
  together: readonly string[],
): Promise<void> {
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((entry) => [entry, join(folder, `${entry}.js`)])),
    external: (id) => !/^(?:[./]|\w:[\\/])/.test(id),
    treeshake: { moduleSideEffects: false },
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'esm', preserveModules: true, preserveModulesRoot: folder });
  const modules = new Map(output.flatMap((each) => (each.type === 'chunk' ? [[each.fileName, each] as const] : [])));
  const files = merged(sharedFiles(modules, entries, together), (loader) => (loader === TOGETHER ? entries.length : 1));
  const place = new Map(
    files.flatMap((each, at) => each.files.map((file) => [join(folder, file), String(at)] as const)),
  );
  const options: OutputOptions = {
    dir: folder,
    manualChunks: (id) => place.get(id),
    // Without it a file takes along the doors that it imports.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the default of the next major
    onlyExplicitManualChunks: true,
    hoistTransitiveImports: false,
    exports: 'named',
  };
  for (const file of globSync('**/*.{js,cjs}', { cwd: folder })) rmSync(join(folder, file));
  for (const [format, extension] of [
    ['esm', 'js'],
    ['cjs', 'cjs'],
  ] as const) {
    const names = { entryFileNames: `[name].${extension}`, chunkFileNames: `chunk-[hash].${extension}` };
    const { output: written } = await bundle.write({ ...options, format, ...names });
    for (const each of written)
      if (each.type === 'chunk' && each.code.startsWith('#!')) chmodSync(join(folder, each.fileName), 0o755);
  }
  await bundle.close();
}
