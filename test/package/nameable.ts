/**
 * Programs that give on whatever a door gives: each member of each type that it exports, what each function returns, and the
 * members of that. A compiler that writes their declarations has to name every type of them.
 *
 * @module
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import ts from 'typescript';

import type { Door } from '../../scripts/doors.ts';

const head = (specifier: string): string[] => [
  `import * as door from '${specifier}'`,
  'type Member<T, K extends PropertyKey> = T extends unknown ? (K extends keyof T ? T[K] : never) : never',
  'declare function member<T, K extends PropertyKey>(): Member<T, K>',
  'declare function returned<F>(): F extends (...args: any) => infer R ? Awaited<R> : never',
  'declare function given<A extends unknown[], R>(fn: (...args: A) => R): Awaited<R>',
];

/** The types that a type is one of. */
const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

/** The text of the program for one door. */
function programOf(checker: ts.TypeChecker, file: ts.SourceFile, specifier: string): string {
  const lines = head(specifier);
  const members = (label: string, text: string, type: ts.Type): void => {
    const objects = partsOf(type).filter(({ flags }) => flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection));
    const names = objects.flatMap((part) => checker.getPropertiesOfType(part).map((each) => each.name));
    for (const name of new Set(names.filter((each) => /^\w+$/.test(each)))) {
      lines.push(`export const ${label}_${name} = member<${text}, '${name}'>()`);
      lines.push(`export const ${label}_${name}_returns = returned<NonNullable<Member<${text}, '${name}'>>>()`);
    }
  };
  const module = checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${file.fileName} exports nothing`);
  for (const exported of checker.getExportsOfModule(module)) {
    const { name } = exported;
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    if (symbol.flags & ts.SymbolFlags.Type) {
      const [parameters = []] = (symbol.declarations ?? []).flatMap((each) =>
        ts.isInterfaceDeclaration(each) || ts.isClassDeclaration(each) || ts.isTypeAliasDeclaration(each)
          ? [each.typeParameters ?? []]
          : [],
      );
      const passed = parameters.map(({ constraint }) => (constraint === undefined ? 'unknown' : 'any')).join(', ');
      members(`type_${name}`, `door.${name}${passed && `<${passed}>`}`, checker.getDeclaredTypeOfSymbol(symbol));
    }
    if (symbol.flags & ts.SymbolFlags.Value) {
      const type = checker.getTypeOfSymbol(symbol);
      const signature = checker.getSignaturesOfType(type, ts.SignatureKind.Call).at(-1);
      lines.push(`export const value_${name} = door.${name}`);
      if (signature === undefined) members(`value_${name}`, `typeof door.${name}`, type);
      else {
        const gives = checker.getReturnTypeOfSignature(signature);
        lines.push(`export const given_${name} = given(door.${name})`);
        members(`given_${name}`, `Awaited<ReturnType<typeof door.${name}>>`, checker.getAwaitedType(gives) ?? gives);
      }
    }
  }
  return `${lines.join('\n')}\n`;
}

const texts = new Map<string, string>();

/** The text of the program for one door, which is the same in every format. */
function textOf(declared: string, specifier: string, options: ts.CompilerOptions, host: ts.CompilerHost): string {
  const known = texts.get(declared);
  if (known !== undefined) return known;
  const program = ts.createProgram([declared], options, host);
  const source = program.getSourceFile(declared);
  if (source === undefined) throw new Error(`${declared} is not there`);
  const text = programOf(program.getTypeChecker(), source, specifier);
  texts.set(declared, text);
  return text;
}

/**
 * Compiles a program for each door, in the format that the extension stands for; `ts` is one of the old resolution.
 *
 * @param folder Where the package is installed.
 * @param typeRoots Where the types of Node are.
 * @returns A line for each type that could not be named, and for each that was named by a file that no program can import.
 */
export function unnameable(
  folder: string,
  doors: readonly Door[],
  extension: 'mts' | 'cts' | 'ts',
  typeRoots: readonly string[],
): { readonly faults: readonly string[]; readonly members: number } {
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    // The declarations themselves are compiled unskipped elsewhere.
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'],
    ...(extension === 'ts'
      ? {
          module: ts.ModuleKind.CommonJS,
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- what old programs compile with
          moduleResolution: ts.ModuleResolutionKind.Node10,
          ignoreDeprecations: '6.0',
        }
      : { module: ts.ModuleKind.NodeNext }),
    types: ['node'],
    typeRoots: [...typeRoots],
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: folder,
    outDir: join(folder, 'given'),
  };
  // Each door in a program of its own: a name that another door exports must be known without it.
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  const sources = new Map<string, ts.SourceFile | undefined>();
  host.getSourceFile = (file, version) => {
    if (file.startsWith(join(folder, 'given-'))) return read(file, version);
    if (!sources.has(file)) sources.set(file, read(file, version));
    return sources.get(file);
  };
  const faults: string[] = [];
  let members = 0;
  const importable = new Set(doors.map(({ specifier }) => specifier));
  for (const { id, specifier } of doors) {
    const declared = join(folder, 'node_modules/desist/dist', `${id}.d.ts`);
    const file = join(folder, `given-${id.replace('/', '-')}.${extension}`);
    const text = textOf(declared, specifier, options, host);
    members += text.split('\n').length;
    writeFileSync(file, text);
    const program = ts.createProgram([file], options, host);
    const wrong = program.getSemanticDiagnostics(program.getSourceFile(file));
    const { diagnostics } = program.emit(
      program.getSourceFile(file),
      (_path, written) => {
        for (const [, named = ''] of written.matchAll(/(?:import\(|from )["']((?:desist|[./]).*?)["']/g))
          if (!importable.has(named)) faults.push(`${specifier}: ${named}`);
      },
      undefined,
      true,
    );
    for (const { messageText } of [...wrong, ...diagnostics])
      faults.push(`${specifier}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  }
  return { faults, members };
}
