/**
 * Which tests a change of a room can turn red: its own, and those of the rooms that the law lets import it.
 *
 * @module
 */
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { roomsReaching } from '../../test/architecture/imports.ts';
import { root } from './run.ts';

/** What `npm run check` looks at. */
export interface Selection {
  /** Sources to lint, from the root. */
  readonly sources: readonly string[];
  /** Test files or folders, those of the room first. */
  readonly tests: readonly string[];
}

/** The place in `src` that somebody means who writes `core/token`, `src/core/token/`, `test/core/token` or a file. */
function sourceOf(given: string): string {
  const name = given
    .replace(/^\.\//, '')
    .replace(/^(?:src|test)\//, '')
    .replace(/\.test\.ts$/, '.ts')
    .replace(/\/$/, '');
  for (const path of [`src/${name}`, `src/${name}.ts`, `src/adapters/${name}`]) {
    if (existsSync(join(root, path))) return path;
  }
  throw new RangeError(
    `no room or file ${given}: try core/token, transcript, adapters/mcp or src/core/token/source.ts`,
  );
}

/** Where the tests of a place in `src` are, as far as there are any. */
function testsOf(place: string): string[] {
  const twin = place.replace(/^src\//, 'test/').replace(/\/$/, '');
  const file = twin.replace(/\.ts$/, '.test.ts');
  return [file === twin ? twin : file].filter((path) => existsSync(join(root, path)));
}

/**
 * Chooses what to look at for a change of a room or a file.
 *
 * @throws RangeError – there is no such place.
 */
export function select(given: string): Selection {
  const place = sourceOf(given);
  const isFolder = statSync(join(root, place)).isDirectory();
  const file = isFolder ? globSync(`${place}/**/*.ts`, { cwd: root })[0] : place;
  if (file === undefined) throw new RangeError(`${place} is empty`);
  const [, ...importers] = roomsReaching(file);
  const own = isFolder ? place : place.slice(0, place.lastIndexOf('/'));
  const tests = [...testsOf(own === 'src' ? place : own), ...importers.flatMap(testsOf)];
  // A folder within a folder that is there already says nothing more.
  const whole = [...new Set(tests)].filter((path, _, all) => !all.some((other) => path.startsWith(`${other}/`)));
  return { sources: [own === 'src' ? place : own], tests: whole };
}
