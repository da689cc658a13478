import { readFileSync } from 'node:fs';

import type { KnipConfig } from 'knip';

const { workspaces } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly workspaces: readonly string[] };
/** What the tests use and the product does not, named in the workspaces and found in the root's `node_modules`. */
const ofWorkspaces = workspaces.flatMap((folder) => {
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  return Object.keys(manifest.dependencies ?? {});
});

export default {
  workspaces: {
    '.': {
      entry: [
        'src/index.ts!',
        'src/{guard,sessions,remote,transcript,testing,inspect}/index.ts!',
        'src/testing/{fast-check,program}/index.ts!',
        'src/testing/program/command-line/desist.ts!',
        'src/transcript/dialects/*/index.ts!',
        'src/adapters/!(internal)/index.ts!',
        'scripts/*.ts',
        'scripts/gates/{analyze,compile,native}.ts',
        'examples/**/*.ts',
        'test/**/*.test.ts',
        'test/support/setup.ts',
        'test/types/**/*.ts',
        'test/integration/support/*.{ts,mjs,cjs}',
        'test/integration/support/program/*.ts',
        'test/package/smoke/*.mjs',
        'test/package/compilers/*.ts',
        'test/properties/machine/seek.ts',
        'test/properties/support/remote/seek-day.ts',
        'test/properties/support/remote/seek-group-day.ts',
        'test/interop/**/*.ts',
      ],
      project: ['src/**/*.ts!', 'test/**/*.{ts,mjs}', 'scripts/**/*.ts', 'examples/**/*.ts'],
      ignore: ['test/interop/**'],
      ignoreBinaries: [
        'attw',
        'publint',
        'pgbouncer',
        'size-limit',
        'typedoc',
        'unshare',
        'redis-server',
        'nats-server',
        'Xvfb',
        'openbox',
        'xterm',
      ],
      ignoreDependencies: [
        ...ofWorkspaces,
        '@langchain/.+',
        '@modelcontextprotocol/.+',
        'uiohook-napi',
        'vscode',
        'vscode-.+',
      ],
    },
    bench: {
      entry: ['**/*.ts'],
      project: ['**/*.ts'],
    },
    audit: {
      entry: ['src/index.ts!', 'src/cli/bin.ts!', 'test/**/*.test.ts', 'bench/*.ts'],
      project: ['src/**/*.ts!', 'test/**/*.ts', 'bench/**/*.ts'],
    },
    'test/interop/*': {
      entry: ['load.ts'],
      ignoreDependencies: ['.+'],
    },
    'test/tools': {
      ignoreDependencies: ['.+'],
    },
  },
  exclude: ['types', 'nsTypes', 'enumMembers'],
  ignoreExportsUsedInFile: true,
} satisfies KnipConfig;
