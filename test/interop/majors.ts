import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

import { load as newest } from './newest/load.ts';
import { load as previous } from './previous/load.ts';

/** One installation of the real packages. The types are those of the newest major: a test that needs others says so. */
export interface Major {
  readonly name: 'newest' | 'previous';
  /** Imports a package, as `import(name)` would: `load<typeof import('ai')>('ai')`. */
  load<T>(specifier: string): Promise<T>;
  /** The version that `load` gives. */
  version(packageName: string): string;
}

function major(name: Major['name'], load: (specifier: string) => Promise<unknown>): Major {
  const require = createRequire(new URL(`./${name}/load.ts`, import.meta.url));
  return {
    name,
    // The one place that claims a shape for a module loaded by name.
    load: <T>(specifier: string) => load(specifier) as Promise<T>,
    version(packageName) {
      for (const folder of require.resolve.paths(packageName) ?? []) {
        try {
          return (require(`${folder}/${packageName}/package.json`) as { version: string }).version;
        } catch {
          // Not installed at this level: the next one up.
        }
      }
      throw new Error(`${packageName} is not installed for ${name}`);
    },
  };
}

/** `npm test` plays the newest alone, `npm run test:all` both; a file that is run by hand, what is installed. */
const played = process.env['TEST_MAJORS'];
const isInstalled = existsSync(new URL('./previous/node_modules', import.meta.url));

/**
 * Both, for `describe.each`: the newest major of each SDK and the one before it. Load at the top level of a test file, so
 * that what a package opens at import is not taken for a leak of the tests.
 */
export const majors: readonly Major[] = [
  major('newest', newest),
  ...(played === 'both' || (played === undefined && isInstalled) ? [major('previous', previous)] : []),
];
