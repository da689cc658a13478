/**
 * How long the rules take beside two typed rules that many run, on the same code in the same process:
 * `no-floating-promises` with `no-misused-promises`. The types are read once for each run; the runs alternate.
 * What is measured is time of the processor: other programs beside it do not count.
 *
 * `node audit/bench/time.ts [tsconfig] [rounds]`
 *
 * @module
 */
import * as parser from '@typescript-eslint/parser';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';

import { rulesFor } from '../src/cli/audit.ts';
import { isAudited, isDeclaration, programOf, readProjects, type Project } from '../src/cli/project.ts';
import desist from '../src/index.ts';

type Plugins = NonNullable<Linter.Config['plugins']>;

const contestants: Readonly<Record<string, readonly string[]>> = {
  parse: [],
  peers: ['ts/no-floating-promises', 'ts/no-misused-promises'],
  'desist-audit': rulesFor(false).map((rule) => `desist/${rule}`),
};

/** Milliseconds of processor time of one run over all files: the types are asked for anew, as a program keeps what it has found. */
function measure(project: Project, files: readonly string[], rules: readonly string[]): number {
  const program = programOf(project);
  const config: Linter.Config = {
    files: ['**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}'],
    languageOptions: { parser, parserOptions: { programs: [program] } },
    plugins: { ts: tseslint.plugin, desist } as unknown as Plugins,
    linterOptions: { reportUnusedDisableDirectives: 'off', noInlineConfig: true },
    rules: Object.fromEntries(rules.map((rule) => [rule, 'warn' as const])),
  };
  const linter = new Linter({ cwd: '/' });
  const startedAt = process.cpuUsage();
  for (const file of files) linter.verify(program.getSourceFile(file)?.text ?? '', [config], { filename: file });
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1000;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

const [path = '.', rounds = '3'] = process.argv.slice(2);
for (const project of readProjects(path, process.cwd())) {
  const files = project.fileNames.filter((file) => !isDeclaration(file) && isAudited(file, process.cwd()));
  const times = new Map<string, number[]>(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 0; round < Number(rounds); round += 1) {
    for (const [name, rules] of Object.entries(contestants)) times.get(name)?.push(measure(project, files, rules));
  }
  const [parse = 0, peers = 0, ours = 0] = [...times.values()].map(median);
  console.log(`${project.configPath}: ${String(files.length)} files`);
  for (const [name, all] of times) console.log(`  ${name.padEnd(14)} ${median(all).toFixed(0)} ms`);
  console.log(
    `  whole runs: ${(ours / peers).toFixed(2)} × the two peers; rules alone ${((ours - parse) / (peers - parse)).toFixed(2)} ×`,
  );
}
