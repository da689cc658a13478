/**
 * What `require` reads of the declarations: for each door a `.d.cts` that passes on, name by name, what its `.d.ts` declares. Both
 * formats then have the same types, a token of one is a token of the other, and the declarations are published once.
 *
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import ts from 'typescript';

/** One name that a door exports. */
interface Exported {
  readonly name: string;
  readonly isValue: boolean;
  /** Of a name that is a type: its type parameters as they were written, and as they are passed on. */
  readonly type: { readonly declared: string; readonly passed: string } | undefined;
  /** The comment of what is no function: an editor finds that of a function by its signature. */
  readonly comment: string;
}

/** The type parameters of a class, an interface or an alias. */
function parametersOf(symbol: ts.Symbol): { readonly declared: string; readonly passed: string } {
  const parameters = (symbol.declarations ?? []).flatMap((declaration) =>
    ts.isClassDeclaration(declaration) ||
    ts.isInterfaceDeclaration(declaration) ||
    ts.isTypeAliasDeclaration(declaration)
      ? [declaration.typeParameters ?? []]
      : [],
  )[0];
  if (parameters === undefined || parameters.length === 0) return { declared: '', passed: '' };
  const list = (texts: readonly string[]): string => `<${texts.join(', ')}>`;
  return {
    declared: list(parameters.map((parameter) => parameter.getText())),
    passed: list(parameters.map((parameter) => parameter.name.text)),
  };
}

/** The comment that stands before a class or a constant, with a line break, or nothing. */
function commentOf(symbol: ts.Symbol): string {
  const { valueDeclaration: declaration } = symbol;
  if (declaration === undefined || ts.isFunctionDeclaration(declaration)) return '';
  const comment = ts.getJSDocCommentsAndTags(declaration).find(ts.isJSDoc);
  return comment === undefined ? '' : `${comment.getText()}\n`;
}

function exportsOf(checker: ts.TypeChecker, file: ts.SourceFile): Exported[] {
  const door = checker.getSymbolAtLocation(file);
  if (door === undefined) throw new Error(`${file.fileName} exports nothing`);
  return checker
    .getExportsOfModule(door)
    .map((given) => {
      const symbol = given.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(given) : given;
      const isType = (symbol.flags & ts.SymbolFlags.Type) !== 0;
      return {
        name: given.name,
        isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0,
        type: isType ? parametersOf(symbol) : undefined,
        comment: commentOf(symbol),
      };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The text of a `.d.cts` beside the declarations of a module. */
function passingOn(names: readonly Exported[], module: string): string {
  const asked = `'./${module}' with { 'resolution-mode': 'import' }`;
  const types = names.filter(({ isValue }) => !isValue).map(({ name }) => name);
  return [
    `import type * as door from ${asked};`,
    ...(types.length === 0 ? [] : [`export type { ${types.join(', ')} } from ${asked};`]),
    ...names.flatMap(({ name, isValue, type, comment }) => [
      ...(isValue ? [`${comment}declare const ${name}: typeof door.${name};`] : []),
      ...(isValue && type !== undefined
        ? [`${comment}type ${name}${type.declared} = door.${name}${type.passed};`]
        : []),
    ]),
    `export { ${names
      .filter(({ isValue }) => isValue)
      .map(({ name }) => name)
      .join(', ')} };`,
    '',
  ].join('\n');
}

/**
 * Writes them.
 *
 * @param folder Where the declarations are.
 * @param doors The names of the doors, without extension.
 * @throws Error – a class of a door has a type parameter whose bound names a type, which the text would not know.
 */
export function writeCommonJsTypes(folder: string, doors: readonly string[]): void {
  const files = doors.map((door) => join(folder, `${door}.d.ts`));
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    skipLibCheck: true,
    types: ['node'],
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  for (const file of files) {
    const source = program.getSourceFile(file);
    if (source === undefined) throw new Error(`${file} is not there`);
    const names = exportsOf(checker, source);
    for (const { name, isValue, type } of names)
      if (isValue && /\bextends\s+(?!object\b|unknown\b|string\b)/.test(type?.declared ?? ''))
        throw new Error(`the type parameters of ${name} name a type: ${type?.declared ?? ''}`);
    writeFileSync(file.replace(/\.ts$/, '.cts'), passingOn(names, basename(file).replace(/\.d\.ts$/, '.js')));
  }
}

/** Leaves of the names of the platform those that a declaration file uses. */
export function withoutUnused(text: string, platform: string): string {
  const rest = text.slice(platform.length);
  if (!text.startsWith(platform)) return text;
  let lines = platform.split('\n');
  // One may be there for another.
  for (let before = 0; before !== lines.length;) {
    before = lines.length;
    lines = lines.filter((line) => {
      const [, name] = /^(?:type|declare const) (\w+)\b/.exec(line) ?? [];
      if (name === undefined) return true;
      const others = lines.filter((other) => other !== line).join('\n');
      return new RegExp(`\\b${name}\\b`).test(`${others}\n${rest}`);
    });
  }
  return lines.join('\n') + rest;
}

/** Does so for every declaration of a folder. */
export function dropUnused(files: readonly string[], platform: string): void {
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, withoutUnused(text, platform));
  }
}
