/**
 * Makes the benches loadable by every Node that is measured: the oldest knows no TypeScript, and a name in this
 * folder's scope does not reach the package above it.
 *
 * @module
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A copy of the benches as JavaScript. */
export interface Stage {
  readonly worker: string;
  remove(): void;
}

/** Copies the benches beside this folder's packages and points them at one build. */
export function stage(benchDir: string, distDir: string): Stage {
  // Below node_modules, so that peers resolve from here whether npm hoisted them or not.
  const cache = join(benchDir, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, 'bench-'));
  const subject = (door = 'index'): string => pathToFileURL(join(distDir, `${door}.js`)).href;
  for (const file of globSync('{*,*/*}.ts', { cwd: benchDir })) {
    const to = join(dir, file.replace(/\.ts$/, '.mjs'));
    mkdirSync(dirname(to), { recursive: true });
    const js = stripTypeScriptTypes(readFileSync(join(benchDir, file), 'utf8'))
      .replaceAll(/((?:from |import ?\(?|new URL\())'(\.[^']+)\.ts'/g, "$1'$2.mjs'")
      .replaceAll(
        /(from |resolve\()'desist(?:\/([\w/-]+))?'/g,
        (_, way: string, door?: string) => `${way}'${subject(door)}'`,
      );
    writeFileSync(to, js);
  }
  return { worker: join(dir, 'worker.mjs'), remove: () => rmSync(dir, { recursive: true, force: true }) };
}
