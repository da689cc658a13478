/**
 * `npm test`: every gate there is, counted. The last line says how many passed and failed.
 *
 * Each gate counts as one, each test and each check of a runtime as one. `npm test -- --only lint,unit` runs some of them; `--list` names all.
 *
 * @module
 */
import { tryDeclarations } from './gates/declarations.ts';
import { cleanMatrix, installRuntimes, matrixRuns, runtimeNames, smoke } from './gates/matrix.ts';
import { bin, node, root, run, type Ended } from './gates/run.ts';
import { runTests } from './gates/tests.ts';

const wantedNode = 'v24.21.';

interface Gate {
  readonly name: string;
  readonly run: () => Promise<Ended>;
}

const tsc = bin('typescript', 'tsc');
const gate = (name: string, script: string, ...args: string[]): Gate => ({ name, run: () => node(script, args) });

/** Does the dev dependency `node` run, or did its install script not? */
const runtime: Gate = {
  name: 'runtime',
  run: () =>
    Promise.resolve({
      ok: process.version.startsWith(wantedNode),
      output: `this is ${process.version} (${process.execPath}), wanted ${wantedNode}*: did the install script of 'node' run?`,
    }),
};

/** Linted with types, and those of every SDK in the tests are more than Node's own limit for the heap holds. */
const lint: Gate = {
  name: 'lint',
  run: () => run(process.execPath, ['--max-old-space-size=6144', bin('eslint'), '.', '--max-warnings', '0']),
};

/** Gates that look at the sources. */
const sourceGates: readonly Gate[] = [
  gate('build', bin('tsup')),
  lint,
  gate('format', bin('prettier'), '--check', '--log-level', 'warn', '.'),
  gate('typecheck', tsc, '-p', 'tsconfig.json'),
  gate('typecheck:src', tsc, '-p', 'tsconfig.src.json'),
  gate('typecheck:core', tsc, '-p', 'tsconfig.core.json'),
  gate('types', tsc, '-p', 'test/types'),
  gate('typecheck:audit', tsc, '-p', 'audit'),
  gate('knip', bin('knip'), '--no-progress', '--no-config-hints'),
  gate('typedoc', bin('typedoc')),
];

/** Gates that look at what was built. */
const builtGates: readonly Gate[] = [
  gate('publint', bin('publint'), 'run', root, '--strict'),
  gate(
    'attw',
    bin('@arethetypeswrong/cli', 'attw'),
    '--pack',
    root,
    '--profile',
    'node16',
    '--format',
    'ascii',
    '--no-emoji',
  ),
  gate('size', bin('size-limit')),
  { name: 'declarations', run: tryDeclarations },
];

const matrixGates: readonly Gate[] = [
  { name: 'runtimes', run: installRuntimes },
  ...runtimeNames.map((name): Gate => ({ name: `smoke ${name}`, run: () => smoke(name) })),
];

/** Measured together: what these reach is what counts as covered. Measured, random programs take twice as long. */
const coveredProjects = ['unit', 'transcript'];
const wholeProjects = ['properties', 'integration', 'journeys', 'interop'];
const otherProjects = ['architecture', 'package', 'docs', 'audit'];

const everything = [runtime, ...sourceGates, ...builtGates, ...matrixGates].map(({ name }) => name);
const everyName = [...everything, ...coveredProjects, ...wholeProjects, ...otherProjects];

let passed = 0;
let failed = 0;
const failures: string[] = [];
const skipped: string[] = [];

function say(ok: boolean, name: string, startedAt: number, detail = ''): void {
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}${detail} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '     ');
}

function counted({ passed, failed }: { readonly passed: number; readonly failed: number }): string {
  return `: ${String(passed)} passed, ${String(failed)} failed`;
}

async function runGate({ name, run }: Gate): Promise<boolean> {
  const startedAt = Date.now();
  const ended = await run().catch((error: unknown): Ended => ({ ok: false, output: String(error) }));
  const { ok, output, checks } = ended;
  say(ok, name, startedAt, checks === undefined ? '' : counted(checks));
  passed += (checks?.passed ?? 0) + (ok ? 1 : 0);
  skipped.push(...(ended.skipped ?? []).map((what) => `${name}: ${what}`));
  if (!ok) {
    // Failed checks speak for themselves; without one, something around them failed.
    failed += Math.max(checks?.failed ?? 0, 1);
    failures.push(name);
    console.log(indent(output));
  }
  return ok;
}

/** Runs gates side by side, as many as there are cores to spare; they finish in any order. */
async function runGates(gates: readonly Gate[], width: number): Promise<void> {
  const queue = [...gates];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await runGate(next);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

async function runProjects(projects: readonly string[], coverage: boolean): Promise<void> {
  if (projects.length === 0) return;
  const startedAt = Date.now();
  const name = projects.join(' + ');
  const result = await runTests(projects, coverage);
  passed += result.passed + (result.ok ? 1 : 0);
  failed += result.failed;
  skipped.push(...result.skipped);
  // Failed tests speak for themselves; without one, something around them failed: coverage, a leak, a file.
  if (!result.ok && result.failed === 0) failed += 1;
  if (!result.ok) failures.push(name);
  say(result.ok, name, startedAt, counted(result));
  if (!result.ok) console.log(indent(result.output));
}

function chosen(args: readonly string[]): ReadonlySet<string> {
  const at = args.indexOf('--only');
  if (at === -1) return new Set(everyName);
  const names = (args[at + 1] ?? '').split(',').filter((name) => name !== '');
  const unknown = names.filter((name) => !everyName.includes(name));
  if (names.length === 0 || unknown.length > 0) {
    throw new RangeError(`--only takes some of ${everyName.join(',')}, got '${unknown.join(',')}'`);
  }
  return new Set(names.some((name) => name.startsWith('smoke ')) ? [...names, 'runtimes'] : names);
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--list')) {
    console.log(everyName.join('\n'));
    return;
  }
  const only = chosen(args);
  const pick = (gates: readonly Gate[]): Gate[] => gates.filter(({ name }) => only.has(name));
  await runGates(pick([runtime]), 1);
  await runGates(pick(sourceGates), 2);
  await runGates(pick(builtGates), 2);
  const covered = coveredProjects.filter((name) => only.has(name));
  await runProjects(covered, covered.length === coveredProjects.length);
  for (const projects of [wholeProjects, otherProjects]) {
    await runProjects(
      projects.filter((name) => only.has(name)),
      false,
    );
  }
  if (matrixRuns) await runGates(pick(matrixGates), 1);
  else skipped.push(...pick(matrixGates).map(({ name }) => `${name} (its binaries are for Linux x64)`));
  cleanMatrix();

  for (const name of skipped) console.log(`SKIPPED ${name}`);
  if (failures.length > 0) console.log(`failed: ${failures.join(', ')}`);
  console.log(
    `${String(passed)} passed, ${String(failed)} failed${skipped.length === 0 ? '' : `, ${String(skipped.length)} skipped`}`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}

await main(process.argv.slice(2));
