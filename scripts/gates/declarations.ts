/**
 * Tries the packed declarations, unskipped, on every compiler they are made for: with what Node's types declare, with
 * what a browser's do, and with nothing.
 *
 * @module
 */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { installPacked, type Consumer } from '../../test/package/consumer.ts';
import { node, root, run, type Ended } from './run.ts';

const home = join(root, 'test/package/compilers');
const compilers = ['typescript54', 'typescript55', 'typescript59', 'typescript60'];

/** Doors whose subject is Node: their declarations name its classes. */
const nodeDoors: ReadonlySet<string> = new Set([
  'desist/child-process',
  'desist/global-hotkey',
  'desist/http-request',
  // As those of Ink do.
  'desist/ink',
  'desist/mcp',
  'desist/terminal',
  'desist/testing',
  'desist/testing/fast-check',
  'desist/testing/program',
  'desist/worker',
]);

interface Leg {
  readonly name: string;
  readonly lib: readonly string[];
  /** Where the types of Node are, if they are. */
  readonly nodeTypes?: string;
}

const legs: readonly Leg[] = [
  { name: 'nothing declared', lib: ['ES2022'] },
  { name: "the oldest Node's types, no DOM", lib: ['ES2022'], nodeTypes: join(home, 'node_modules/@types') },
  { name: "the newest Node's types and DOM", lib: ['ES2022', 'DOM'], nodeTypes: join(root, 'node_modules/@types') },
];

const modes = [
  { moduleResolution: 'node16', module: 'node16', extensions: ['mts', 'cts'] },
  { moduleResolution: 'bundler', module: 'esnext', extensions: ['mts'] },
];

function doorsOf(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/desist/package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, unknown>>;
  };
  const keys = Object.keys(manifest.exports).filter((key) => key !== './package.json');
  return keys.map((key) => (key === '.' ? 'desist' : `desist${key.slice(1)}`));
}

function opening(door: string, index: number, extension: string): string {
  const name = `door${String(index)}`;
  return extension === 'cts'
    ? `import ${name} = require('${door}');\nvoid ${name};\n`
    : `import * as ${name} from '${door}';\nvoid ${name};\n`;
}

interface Attempt {
  readonly compiler: string;
  readonly leg: Leg;
  readonly mode: (typeof modes)[number];
}

async function tryOne(consumer: Consumer, index: number, { compiler, leg, mode }: Attempt): Promise<Ended> {
  const { folder } = consumer;
  const doors = doorsOf(folder).filter((door) => leg.nodeTypes !== undefined || !nodeDoors.has(door));
  const files = mode.extensions.map((extension) => {
    const file = join(folder, `doors-${String(index)}.${extension}`);
    writeFileSync(file, doors.map((door, at) => opening(door, at, extension)).join(''));
    return file;
  });
  const config = join(folder, `tsconfig-${String(index)}.json`);
  const compilerOptions = {
    target: 'ES2022',
    module: mode.module,
    moduleResolution: mode.moduleResolution,
    lib: leg.lib,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    ...(leg.nodeTypes === undefined ? { types: [] } : { types: ['node'], typeRoots: [leg.nodeTypes] }),
  };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: [...files, join(folder, 'without-any.ts')] }));
  return node(join(root, 'scripts/gates/compile.ts'), [join(home, 'node_modules', compiler), config], { cwd: folder });
}

let installing: Promise<Ended> | undefined;

/** Installs the compilers unless they are there; whoever asks again waits for the same. */
export function installCompilers(): Promise<Ended> {
  const isThere = compilers.every((name) => existsSync(join(home, 'node_modules', name)));
  installing ??= isThere
    ? Promise.resolve({ ok: true, output: '' })
    : run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', home], { cwd: home });
  return installing;
}

/** Compiles every door with every compiler, each on each leg. */
export async function tryDeclarations(): Promise<Ended> {
  const installed = await installCompilers();
  if (!installed.ok) return installed;
  const consumer = installPacked();
  const attempts = compilers.flatMap((compiler) =>
    legs.flatMap((leg) => modes.map((mode): Attempt => ({ compiler, leg, mode }))),
  );
  const failures: string[] = [];
  let passed = 0;
  const queue = [...attempts.entries()];
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, attempt] = next;
      const { ok, output } = await tryOne(consumer, index, attempt);
      const { compiler, leg, mode } = attempt;
      if (ok) passed++;
      else failures.push(`${compiler}, ${mode.moduleResolution}, ${leg.name}:\n${output}`);
    }
  };
  try {
    cpSync(join(home, 'without-any.ts'), join(consumer.folder, 'without-any.ts'));
    await Promise.all([lane(), lane()]);
  } finally {
    consumer.remove();
  }
  return { ok: failures.length === 0, output: failures.join('\n'), checks: { passed, failed: failures.length } };
}
