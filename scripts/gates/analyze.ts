/**
 * `node scripts/gates/analyze.ts PROJECT FILES… [!IGNORED…]`: the types and the lint of a group of sources, over one program of
 * TypeScript. Both ask the same questions of the same types, and most of the time is spent on the answers.
 *
 * @module
 */
import { join } from 'node:path';

import { ESLint, type Linter } from 'eslint';
import ts from 'typescript';

import { root } from './run.ts';

const host: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => root,
  getNewLine: () => '\n',
};

/** The program of a project, as `tsc -p` would build it. */
function programOf(project: string): ts.Program {
  const parsed = ts.getParsedCommandLineOfConfigFile(join(root, project), undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(ts.formatDiagnostic(diagnostic, host));
    },
  });
  if (parsed === undefined) throw new Error(`${project} cannot be read`);
  return ts.createProgram({
    rootNames: parsed.fileNames,
    options: { ...parsed.options, noEmit: true },
    configFileParsingDiagnostics: ts.getConfigFileParsingDiagnostics(parsed),
  });
}

/** What `tsc -p` reports, also of the declarations that a project would emit. */
function diagnosticsOf(program: ts.Program): readonly ts.Diagnostic[] {
  const found = ts.getPreEmitDiagnostics(program);
  const isEmitting = program.getCompilerOptions().declaration === true && found.length === 0;
  return isEmitting ? program.getDeclarationDiagnostics() : found;
}

/** Lints the files of a program, and only those: a file that it does not have is an error of the parser. */
async function lint(program: ts.Program, patterns: readonly string[]): Promise<string> {
  const ignorePatterns = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  const files = patterns.filter((pattern) => !pattern.startsWith('!'));
  const shared: Linter.Config = {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { programs: [program], project: null } },
  };
  const eslint = new ESLint({ cwd: root, overrideConfig: [shared], ignorePatterns });
  const results = await eslint.lintFiles(files);
  const isClean = results.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
  return isClean ? '' : await (await eslint.loadFormatter('stylish')).format(results);
}

async function main([project, ...files]: readonly string[]): Promise<void> {
  if (project === undefined || files.length === 0) throw new RangeError('analyze.ts PROJECT FILES…');
  const program = programOf(project);
  const diagnostics = diagnosticsOf(program);
  const problems = [ts.formatDiagnostics(diagnostics, host), await lint(program, files)].filter((text) => text !== '');
  console.log(problems.join('\n'));
  process.exitCode = problems.length === 0 ? 0 : 1;
}

await main(process.argv.slice(2));
