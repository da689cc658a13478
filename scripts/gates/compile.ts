/**
 * `node scripts/gates/compile.ts TYPESCRIPT PROJECT`: what a compiler has against a program and the declarations that it reads, unskipped.
 * What the compiler itself and Node declare is read and not judged: most of the time would go there, and it is nobody's here.
 *
 * @module
 */
import { createRequire } from 'node:module';
import { sep } from 'node:path';

import type ts from 'typescript';

const given = /[\\/]node_modules[\\/]@types[\\/]node[\\/]/;

function main([compiler, project]: readonly string[]): void {
  if (compiler === undefined || project === undefined) throw new RangeError('compile.ts TYPESCRIPT PROJECT');
  const { sys, ...typescript } = createRequire(import.meta.url)(compiler) as typeof ts;
  const parsed = typescript.getParsedCommandLineOfConfigFile(project, undefined, {
    ...sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(typescript.flattenDiagnosticMessageText(messageText, '\n'));
    },
  });
  if (parsed === undefined) throw new Error(`${project} cannot be read`);
  const program = typescript.createProgram(parsed.fileNames, parsed.options);
  const read = program
    .getSourceFiles()
    .filter((file) => !program.isSourceFileDefaultLibrary(file) && !given.test(file.fileName));
  const found = typescript.sortAndDeduplicateDiagnostics([
    ...parsed.errors,
    ...read.flatMap((file) => typescript.getPreEmitDiagnostics(program, file)),
  ]);
  console.log(
    typescript.formatDiagnostics(found, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => process.cwd() + sep,
      getNewLine: () => '\n',
    }),
  );
  process.exitCode = found.length === 0 ? 0 : 1;
}

main(process.argv.slice(2));
