/**
 * `node scripts/gates/analyze.ts PROJECT FOLDER`: the types and the lint of a group of sources, over one program of
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

/** A project of TypeScript, and the files that are its own: what these import is of another group, and judged there. */
interface Project {
  readonly program: ts.Program;
  readonly own: readonly string[];
}

/** The program of a project, as `tsc -p` would build it. */
function projectOf(project: string): Project {
  const parsed = ts.getParsedCommandLineOfConfigFile(join(root, project), undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(ts.formatDiagnostic(diagnostic, host));
    },
  });
  if (parsed === undefined) throw new Error(`${project} cannot be read`);
  const program = ts.createProgram({
    rootNames: parsed.fileNames,
    options: { ...parsed.options, noEmit: true },
    configFileParsingDiagnostics: ts.getConfigFileParsingDiagnostics(parsed),
  });
  return { program, own: parsed.fileNames };
}

/** What `tsc -p` reports of the project's own files, also of the declarations that it would emit. */
function diagnosticsOf({ program, own }: Project): readonly ts.Diagnostic[] {
  const isEmitting = program.getCompilerOptions().declaration === true;
  const found = own.flatMap((name) => {
    const file = program.getSourceFile(name);
    const all = ts.getPreEmitDiagnostics(program, file);
    return isEmitting && all.length === 0 ? program.getDeclarationDiagnostics(file) : all;
  });
  // What is wrong with the options is said with each file.
  return ts.sortAndDeduplicateDiagnostics(found);
}

/** Lints a folder of a program, and only that: a file that the program does not have is an error of the parser. */
async function lint(program: ts.Program, folder: string): Promise<string> {
  const shared: Linter.Config = {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { programs: [program], project: null } },
  };
  const eslint = new ESLint({ cwd: root, overrideConfig: [shared] });
  const results = await eslint.lintFiles(folder);
  const isClean = results.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
  return isClean ? '' : await (await eslint.loadFormatter('stylish')).format(results);
}

async function main([project, folder]: readonly string[]): Promise<void> {
  if (project === undefined || folder === undefined) throw new RangeError('analyze.ts PROJECT FOLDER');
  const read = projectOf(project);
  const diagnostics = diagnosticsOf(read);
  const problems = [ts.formatDiagnostics(diagnostics, host), await lint(read.program, folder)].filter(
    (text) => text !== '',
  );
  console.log(problems.join('\n'));
  process.exitCode = problems.length === 0 ? 0 : 1;
}

await main(process.argv.slice(2));
