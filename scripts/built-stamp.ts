/**
 * What `dist` was built from, written by the build and read before anything is packed.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Stamp {
  readonly sources: string;
  readonly hasDeclarations: boolean;
}

const stampOf = (root: string): string => join(root, '.artifacts', 'built.json');

/** The sources, and the list of doors, in one figure: a commit that touches neither changes nothing of what is built. */
function sourcesOf(root: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(join(root, 'src'), { encoding: 'utf8', recursive: true })
    .filter((path) => path.endsWith('.ts'))
    .sort();
  for (const path of files)
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, 'src', path)));
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly exports: unknown };
  return hash.update(JSON.stringify(exports)).digest('hex');
}

/** Called by the build when it has ended. */
export function writeStamp(root: string, hasDeclarations: boolean): void {
  mkdirSync(join(root, '.artifacts'), { recursive: true });
  const stamp: Stamp = { sources: sourcesOf(root), hasDeclarations };
  writeFileSync(stampOf(root), JSON.stringify(stamp));
}

/** Why `dist` may not be packed, in words; `undefined` if it may. */
export function whyNotPacked(root: string): string | undefined {
  if (!existsSync(join(root, 'dist/index.js')) || !existsSync(stampOf(root))) return 'nothing is built';
  const stamp = JSON.parse(readFileSync(stampOf(root), 'utf8')) as Stamp;
  if (!stamp.hasDeclarations || !existsSync(join(root, 'dist/index.d.ts'))) return 'dist has no declarations';
  if (stamp.sources !== sourcesOf(root)) return 'dist was built from other sources than are here now';
  return undefined;
}
