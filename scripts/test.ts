/**
 * `npm test`: everything that can fail for a change of the product. `npm run test:all` (`--all`): with the previous majors of
 * all SDKs, every runtime, every compiler, coverage. The last line says how many passed and failed.
 *
 * Each gate counts as one, each test and each check of a runtime as one. `npm test -- --only sources:src,unit` runs some of
 * them; `--list` names all.
 *
 * @module
 */
import { cleanMatrix } from './gates/matrix.ts';
import {
  builtGates,
  fetchAhead,
  firstGates,
  firstRound,
  install,
  lastRound,
  matrixGates,
  matrixRuns,
  namesOf,
  rounds,
  runtime,
  sourceGates,
  type Gate,
  type Lane,
} from './gates/plan.ts';
import { forgetCompiled, type Ended } from './gates/run.ts';
import { MOST_FILES } from './gates/alone.ts';
import { judge, play } from './gates/tests.ts';

let passed = 0;
let failed = 0;
const failures: string[] = [];
const skipped: string[] = [];
const unsteady: string[] = [];
const red: string[] = [];

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
  const ended = await (async () => run())().catch((error: unknown): Ended => ({ ok: false, output: String(error) }));
  const { ok, output, checks } = ended;
  say(ok, name, startedAt, checks === undefined ? '' : counted(checks));
  passed += (checks?.passed ?? 0) + (ok ? 1 : 0);
  skipped.push(...(ended.skipped ?? []).map((what) => `${name}: ${what}`));
  if (!ok) {
    // Failed checks speak for themselves; without one, something around them failed.
    failed += Math.max(checks?.failed ?? 0, 1);
    failures.push(name);
    console.log(indent(`${output}\nagain: npm test -- --only ${name.replaceAll(' ', '\\ ')}`));
  }
  return ok;
}

/**
 * Runs gates side by side, as many as there are cores to spare; they finish in any order.
 *
 * @param running What runs already, by name.
 */
async function runGates(
  gates: readonly Gate[],
  width: number,
  running = new Map<string, Promise<unknown>>(),
): Promise<void> {
  const queue = [...gates];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      await Promise.all((next.after ?? []).map(async (name) => running.get(name)));
      const run = runGate(next);
      running.set(next.name, run);
      await run;
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** How many files were red beside others, so far. */
const unsteadyFiles = (): number => new Set(unsteady.map((line) => line.split(/ > |: /)[0])).size;

/** Plays the lanes of a round side by side; what was red is tried again when all of them have ended. */
async function runRound(lanes: readonly Lane[], isAll: boolean, only: ReadonlySet<string>): Promise<void> {
  const wanted = lanes.map((lane) => ({ ...lane, projects: lane.projects.filter((name) => only.has(name)) }));
  const startedAt = Date.now();
  const playing = wanted.flatMap(({ projects, workers, isCovered }, at) => {
    if (projects.length === 0) return [];
    const coverage = isAll && isCovered === true && projects.length === lanes[at]?.projects.length;
    return [{ name: projects.join(' + '), played: play(projects, { coverage, isLong: isAll, workers }) }];
  });
  await Promise.all(playing.map(({ played }) => played));
  for (const { name, played } of playing) {
    const result = await judge(await played, MOST_FILES - unsteadyFiles());
    passed += result.passed + (result.ok ? 1 : 0);
    failed += result.failed;
    skipped.push(...result.skipped);
    unsteady.push(...result.unsteady);
    red.push(...result.red);
    // Failed tests speak for themselves; without one, something around them failed: coverage, a leak, a file.
    if (!result.ok && result.failed === 0) {
      failed += 1;
      red.push(`${name}: no test, but something around them`);
    }
    if (!result.ok) failures.push(name);
    say(result.ok, name, startedAt, counted(result));
    if (!result.ok) console.log(indent(result.output));
  }
}

function chosen(args: readonly string[], isAll: boolean): ReadonlySet<string> {
  const at = args.indexOf('--only');
  if (at === -1) return new Set(namesOf(isAll));
  const every = namesOf(true);
  const names = (args[at + 1] ?? '').split(',').filter((name) => name !== '');
  // `sources` stands for each of its groups.
  const full = names.flatMap((name) => {
    const group = every.filter((each) => each === name || each.startsWith(`${name}:`));
    if (group.length === 0) throw new RangeError(`--only takes some of ${every.join(',')}, got '${name}'`);
    return group;
  });
  if (full.length === 0) throw new RangeError(`--only takes some of ${every.join(',')}`);
  return new Set(full);
}

async function main(args: readonly string[]): Promise<void> {
  const isAll = args.includes('--all');
  if (args.includes('--list')) {
    console.log(namesOf(isAll).join('\n'));
    return;
  }
  const only = chosen(args, isAll);
  const pick = (gates: readonly Gate[]): Gate[] => gates.filter(({ name }) => only.has(name));
  forgetCompiled();
  await runGates(pick([runtime]), 1);
  const installed = runGate(install(isAll));
  const fetched = installed.then(() => fetchAhead(only));
  await runGates(pick(firstGates), 2);
  await runRound(firstRound, isAll, only);
  await runGates(pick([...sourceGates, ...builtGates]), 2, new Map([['install', installed]]));
  await installed;
  for (const lanes of rounds) await runRound(lanes, isAll, only);
  if (!matrixRuns) skipped.push(...pick(matrixGates).map(({ name }) => `${name} (its binaries are for Linux x64)`));
  await Promise.all([runRound(lastRound, isAll, only), matrixRuns && runGates(pick(matrixGates), 2)]);
  cleanMatrix();
  await fetched;

  for (const name of skipped) console.log(`SKIPPED ${name}`);
  for (const name of unsteady) console.log(`UNSTEADY ${name}`);
  for (const name of red) console.log(`RED ${name}`);
  if (failures.length > 0) console.log(`failed: ${failures.join(', ')}`);
  const beside = Object.entries({ unsteady: unsteady.length, skipped: skipped.length }).filter(
    ([, count]) => count > 0,
  );
  console.log(
    [`${String(passed)} passed`, `${String(failed)} failed`, ...beside.map(([what, n]) => `${String(n)} ${what}`)].join(
      ', ',
    ),
  );
  // Who sits before the machine can look why a test is red beside others; CI has nobody, and may be a busy machine.
  const isRed = failed > 0 || (unsteady.length > 0 && process.env['CI'] === undefined);
  process.exitCode = isRed ? 1 : 0;
}

await main(process.argv.slice(2));
