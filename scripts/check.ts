/**
 * `npm run check -- core/token`: whether a change of one room is right, in a minute and a half. Types of all sources, lint
 * of the room and its tests, its tests and those of the rooms that may import it. `npm test` runs the rest.
 *
 * @module
 */
import { installWorkspaces } from './gates/install.ts';
import { bin, node, run, type Ended } from './gates/run.ts';
import { select } from './gates/selection.ts';

async function step(name: string, work: Promise<Ended>): Promise<boolean> {
  const startedAt = Date.now();
  const { ok, output } = await work;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  if (!ok) console.log(output.trimEnd());
  return ok;
}

async function main(places: readonly string[]): Promise<void> {
  if (places.length === 0) throw new RangeError('npm run check -- ROOM…, as in: npm run check -- core/token');
  const installed = await installWorkspaces(false);
  if (!installed.ok) throw new Error(installed.output);
  const chosen = places.map(select);
  const sources = [...new Set(chosen.flatMap((each) => each.sources))];
  const tests = [...new Set(chosen.flatMap((each) => each.tests))];
  const own = chosen.flatMap((each) => each.tests.slice(0, 1));
  const incremental = ['--incremental', '--tsBuildInfoFile', '.artifacts/src.tsbuildinfo'];
  console.log(`tests of ${tests.join(', ')}`);
  const vitest = ['run', ...tests, '--project', 'unit', '--project', 'unit-isolated', '--project', 'transcript'];
  const sourceSteps = async (): Promise<boolean[]> => [
    await step('types', node(bin('typescript', 'tsc'), ['-p', 'tsconfig.src.json', ...incremental])),
    await step('lint', run(process.execPath, [bin('eslint'), ...sources, ...own, '--max-warnings', '0'])),
  ];
  const all = await Promise.all([
    step('tests', node(bin('vitest'), [...vitest, '--passWithNoTests', '--reporter=default', '--silent=passed-only'])),
    sourceSteps(),
  ]);
  process.exitCode = all.flat().every(Boolean) ? 0 : 1;
}

await main(process.argv.slice(2));
