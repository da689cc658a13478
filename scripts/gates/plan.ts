/**
 * Which command runs which gate. CONTRIBUTING.md shows this table, and a test compares the two.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { installCompilers, tryDeclarations } from './declarations.ts';
import { installWorkspaces } from './install.ts';
import { installRuntimes, matrixRuns, runtimeNames, smoke } from './matrix.ts';
import { bin, node, root, run, type Ended } from './run.ts';

/** Something that is right or not. */
export interface Gate {
  readonly name: string;
  readonly run: () => Promise<Ended>;
  /** Gates whose ends it waits for, those of them that are played: what it reads is made there. */
  readonly after?: readonly ('install' | 'build')[] | undefined;
  /** Only by `npm run test:all`. */
  readonly isLong?: boolean | undefined;
}

/** Vitest projects that run in one go. */
export interface Lane {
  readonly projects: readonly string[];
  /** How many files it plays at once, where it has a neighbour. */
  readonly workers?: number | undefined;
  /** Measures coverage, and holds its limits, by `npm run test:all`. */
  readonly isCovered?: boolean | undefined;
}

const wantedNode = 'v24.21.';

const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** A package's command. What `npm ci` leaves to a workspace is brought by a gate, and waited for. */
const gate = (name: string, [pack, command]: readonly [string, string?], ...args: string[]): Gate => ({
  name,
  run: () => node(bin(pack, command), args),
  after: pack in devDependencies ? [] : ['install'],
});

/** Does the dev dependency `node` run, or did its install script not? */
export const runtime: Gate = {
  name: 'runtime',
  run: () =>
    Promise.resolve({
      ok: process.version.startsWith(wantedNode),
      output: `this is ${process.version} (${process.execPath}), wanted ${wantedNode}*: did the install script of 'node' run?`,
    }),
};

/** Types and lint of a group of sources; see `eslint.config.js`. */
const read = (script: string, name: string, ...args: string[]): Gate => ({
  name: `sources:${name}`,
  run: () => run(process.execPath, [`scripts/gates/${script}.ts`, ...args], { timeoutMs: 1_200_000 }),
});

/** What others read: by the TypeScript that makes the declarations, one program for its types and for ESLint. */
const published = (name: string, project: string, folder: string): Gate => read('analyze', name, project, folder);

/** All that nobody installs, which is most of it: a third of the time. */
const own = (name: string, project: string): Gate => read('native', name, project);

/** Packages of the workspaces come while gates compute that want none of them; those of the previous majors where they are played. */
export const install = (isAll: boolean): Gate => ({ name: 'install', run: () => installWorkspaces(isAll) });

const onInstalled = (gate: Gate): Gate => ({ ...gate, after: ['install'] });
const onBuilt = (gate: Gate): Gate => ({ ...gate, after: [...(gate.after ?? []), 'build'] });

/** Gates that need nothing but what `npm ci` brings: played while the packages of the workspaces come. */
export const firstGates: readonly Gate[] = [
  { name: 'build', run: () => run(process.execPath, ['scripts/build.ts']) },
  published('src', 'tsconfig.src.json', 'src'),
  gate('format', ['oxfmt'], '--list-different'),
  gate('types:core', ['typescript', 'tsc'], '-p', 'tsconfig.core.json'),
];

/** Tests that need nothing else, either: they compute, and keep two cores busy until the packages are there. */
export const firstRound: readonly Lane[] = [{ projects: ['properties'] }];

/** Gates that look at the sources: the long ones first, so that two lanes end together. */
export const sourceGates: readonly Gate[] = [
  ...[
    own('tests', 'tsconfig.tests.json'),
    own('programs', 'tsconfig.programs.json'),
    published('types', 'test/types/tsconfig.json', 'test/types'),
    published('audit', 'audit/tsconfig.json', 'audit'),
  ].map(onInstalled),
  gate('typedoc', ['typedoc']),
  gate('knip', ['knip'], '--no-progress', '--no-config-hints'),
];

/** Gates that look at what was built. */
export const builtGates: readonly Gate[] = [
  gate('publint', ['publint'], 'run', root, '--strict'),
  gate(
    'attw',
    ['@arethetypeswrong/cli', 'attw'],
    ...['--pack', root, '--profile', 'strict', '--format', 'ascii', '--no-emoji'],
  ),
  gate('size', ['size-limit']),
  { name: 'declarations', run: tryDeclarations, isLong: true },
].map(onBuilt);

/** The packed package on every runtime; on the one that runs this, the project `package` does the same. */
export const matrixGates: readonly Gate[] = [
  { name: 'runtimes', run: installRuntimes, isLong: true },
  ...runtimeNames.map((name): Gate => ({ name: `smoke ${name}`, run: () => smoke(name), isLong: true })),
];

/**
 * Tests, in the order in which they run; the lanes of a round are played side by side. Tests of time use one core and wait half of
 * theirs, so they have a neighbour that uses the other.
 */
export const rounds: readonly (readonly Lane[])[] = [
  [{ projects: ['unit', 'unit-isolated', 'transcript'], isCovered: true }],
  [
    { projects: ['timed'], workers: 1 },
    { projects: ['package'], workers: 1 },
  ],
  // SDKs are read once in a process, which a file of another project in the queue would end; and who reads them computes where others wait.
  [
    { projects: ['integration', 'journeys', 'docs', 'audit', 'architecture'], workers: 5 },
    { projects: ['interop'], workers: 3 },
  ],
];

/** Tests beside the matrix: a runtime waits as much as it computes. */
export const lastRound: readonly Lane[] = [{ projects: ['selection'] }];

/** Projects that only `npm run test:all` runs. */
export const longProjects: ReadonlySet<string> = new Set(['selection']);

const gates: readonly Gate[] = [runtime, ...firstGates, ...sourceGates, ...builtGates, ...matrixGates];

/** Names of what a command runs, in its order. */
export function namesOf(all: boolean): string[] {
  return [
    ...gates.filter(({ isLong }) => all || isLong !== true).map(({ name }) => name),
    ...[firstRound, ...rounds, lastRound]
      .flat()
      .flatMap(({ projects }) => projects)
      .filter((name) => all || !longProjects.has(name)),
  ];
}

/** What gates will want from the network, begun while others compute: a gate that fails for it says so when its turn comes. */
export async function fetchAhead(names: ReadonlySet<string>): Promise<void> {
  if (names.has('declarations')) await installCompilers();
  if (names.has('runtimes') && matrixRuns) await installRuntimes();
}

/** Whether the machine can run what the matrix installs. */
export { matrixRuns };
