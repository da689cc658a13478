/**
 * `node scripts/gates/native.ts PROJECT`: the types and the lint of a project's own files, by the compiler that is not written in
 * JavaScript: a third of the time. The rules are those of `eslint.config.js`; what is published is read by both.
 *
 * @module
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { ESLint, type Linter } from 'eslint';
import ts from 'typescript';

import { bin, node, root } from './run.ts';

type Rules = Readonly<Record<string, unknown>>;

/** Rules of ESLint by the names that oxlint gives them; what is off is left out. */
function renamed(rules: Linter.RulesRecord): Rules {
  const entries = Object.entries(rules).flatMap(([name, entry]): [string, unknown][] => {
    const [severity, ...options] = [entry].flat() as readonly unknown[];
    return severity === 0 ? [] : [[name.replace('@typescript-eslint/', 'typescript/'), ['error', ...options]]];
  });
  return Object.fromEntries(entries);
}

function filesOf(project: string): readonly string[] {
  const { config, error } = ts.readConfigFile(join(root, project), (path) => ts.sys.readFile(path)) as {
    readonly config: unknown;
    readonly error?: ts.Diagnostic | undefined;
  };
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  const { fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return fileNames.map((name) => relative(root, name));
}

/** Files by the rules that hold for them. */
async function ruled(files: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const eslint = new ESLint({ cwd: root });
  const found = new Map<string, string[]>();
  for (const file of files) {
    const { rules } = (await eslint.calculateConfigForFile(file)) as { readonly rules: Linter.RulesRecord };
    const key = JSON.stringify(renamed(rules));
    found.set(key, [...(found.get(key) ?? []), file]);
  }
  return found;
}

async function main([project]: readonly string[]): Promise<void> {
  if (project === undefined) throw new RangeError('native.ts PROJECT');
  const files = filesOf(project);
  const overrides = [...(await ruled(files))].map(([rules, own]) => ({
    files: own,
    rules: JSON.parse(rules) as Rules,
  }));
  // Its paths are below the folder in which it lies.
  const config = join(root, `.oxlintrc.${String(process.pid)}.json`);
  writeFileSync(config, JSON.stringify({ plugins: ['typescript'], categories: { correctness: 'off' }, overrides }));
  const asked = ['--type-aware', '--type-check', '--report-unused-disable-directives-severity=error'];
  try {
    const { ok, output } = await node(bin('oxlint'), ['-c', config, '--tsconfig', project, ...asked, ...files], {
      timeoutMs: 1_200_000,
    });
    console.log(stripVTControlCharacters(output));
    process.exitCode = ok ? 0 : 1;
  } finally {
    rmSync(config);
  }
}

await main(process.argv.slice(2));
