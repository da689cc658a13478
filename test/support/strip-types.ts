/**
 * TypeScript to JavaScript, a file at a time, for engines that strip no types: browsers, and older runtimes.
 *
 * @module
 */
import ts from 'typescript';

/** JavaScript of a TypeScript text, for engines that strip no types. */
export function stripTypes(text: string): string {
  const { ESNext } = ts.ModuleKind;
  const compilerOptions: ts.CompilerOptions = { module: ESNext, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(text, { compilerOptions: { ...compilerOptions, verbatimModuleSyntax: true } }).outputText;
}
