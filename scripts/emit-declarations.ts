/**
 * The declarations of each source by itself. `isolatedDeclarations` makes that possible without a program of all of them, which took ten
 * times as long and five gigabytes; whether the types are right is asked by another gate.
 *
 * @module
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import ts from 'typescript';

const inSources = (file: string): string => `.artifacts/declarations/${file.replace(/\.ts$/, '.d.ts')}`;

/** Sources import each other by the names of their files; declarations do so by those of the scripts beside them. */
const withScripts = (text: string): string =>
  text.replaceAll(/((?:\bfrom|\bimport)\s*\(?\s*['"]\.{1,2}\/[^'"]+)\.ts(?=['"])/g, '$1.js');

/**
 * Writes them to `.artifacts/declarations`.
 *
 * @returns Where those of a source are.
 * @throws Error – a declaration cannot be read off its source alone: something exported has no type written at it.
 */
export function emitDeclarations(root: string): (source: string) => string {
  rmSync(join(root, inSources('')), { recursive: true, force: true });
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.src.json'), (path) => readFileSync(path, 'utf8')).config,
    ts.sys,
    root,
  );
  for (const fileName of globSync('src/**/*.ts', { cwd: root })) {
    const source = readFileSync(join(root, fileName), 'utf8');
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, { fileName, compilerOptions: options });
    const [first] = diagnostics;
    if (first !== undefined) throw new Error(`${fileName}: ${ts.flattenDiagnosticMessageText(first.messageText, ' ')}`);
    const to = join(root, inSources(fileName));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, withScripts(outputText));
  }
  return inSources;
}
