/**
 * What stands in the place of options by mistake is a type error: an object of which every field is optional takes anything that
 * shares a name with it, as an agent shares `name` and a turn `token`. Asked of every function that users can call.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import ts from 'typescript';
import { expect, it } from 'vitest';

import { readDoors } from '../../scripts/doors.ts';
import { root } from './source.ts';

/** What people hold while they write options. */
const lures = `
  import type { CancelContext, CancellationToken, CancellationTokenSource, InterruptController, ModelContext, ToolContext, Turn } from '../../src/index.ts'
  export type Lures = {
    token: CancellationToken
    source: CancellationTokenSource
    signal: AbortSignal
    AbortController: AbortController
    agent: InterruptController
    turn: Turn
    context: CancelContext
    modelContext: ModelContext
    toolContext: ToolContext
  }
`;

/** What only hands options on, and what is no options. */
const isTheirs: readonly RegExp[] = [
  / deafTool\(\)\.execute\(options\)$/, // called by a framework
  /\(client\)\.ping\(options\)$/, // of the SDK's client
  /\.add\(event\)$/, // a chunk of a stream
];

/** What options are called. */
const optionsName = /^(options|init|constraints)$/;

const luresFile = join(root, 'test/architecture/lures.ts');

function programOf(files: readonly string[]): ts.Program {
  const read = (path: string): string | undefined => ts.sys.readFile(path);
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), read) as { config: object };
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (path) => path === luresFile || fileExists(path);
  host.getSourceFile = (path, version, ...rest) =>
    path === luresFile ? ts.createSourceFile(path, lures, version, true) : getSourceFile(path, version, ...rest);
  return ts.createProgram([...files, luresFile], options, host);
}

/** Every parameter of which each field is optional, of all functions that doors give to users. */
class Doors {
  readonly found = new Map<string, ts.Type>();
  /** Of all parameters that are options, also of those that must have one: the file of the function. */
  readonly taken = new Map<string, string>();
  readonly #checker: ts.TypeChecker;
  readonly #seen = { ours: new Set<ts.Type>(), theirs: new Set<ts.Type>() };

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  add(door: string, file: ts.SourceFile): void {
    const checker = this.#checker;
    const module = checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${file.fileName} exports nothing`);
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      if (symbol.flags & ts.SymbolFlags.Value)
        this.#look(`${door} ${exported.name}`, checker.getTypeOfSymbol(symbol), 'ours');
    }
  }

  /** @param whose Who makes the value: what a function of ours is given is theirs, and what it gives to that is ours again. */
  #look(name: string, type: ts.Type, whose: 'ours' | 'theirs'): void {
    for (const part of type.isUnionOrIntersection() ? type.types : [type]) this.#lookAt(name, part, whose);
  }

  #lookAt(name: string, type: ts.Type, whose: 'ours' | 'theirs'): void {
    if (this.#seen[whose].has(type)) return;
    this.#seen[whose].add(type);
    for (const kind of [ts.SignatureKind.Call, ts.SignatureKind.Construct]) {
      for (const signature of this.#checker.getSignaturesOfType(type, kind)) {
        if (!isDeclaredHere(signature.declaration)) continue;
        for (const parameter of signature.parameters) {
          const of = this.#checker.getTypeOfSymbol(parameter);
          const where = `${name}(${parameter.name})`;
          const parts = whose === 'ours' ? (of.isUnion() ? of.types : [of]) : [];
          for (const part of parts) if (isAllOptional(this.#checker, part)) this.found.set(where, part);
          if (whose === 'ours' && optionsName.test(parameter.name) && !where.includes('#'))
            this.taken.set(where, relative(root, signature.declaration?.getSourceFile().fileName ?? ''));
          this.#look(where, of, whose === 'ours' ? 'theirs' : 'ours');
        }
        this.#look(`${name}()`, signature.getReturnType(), whose);
      }
    }
    for (const property of this.#checker.getPropertiesOfType(type)) {
      if (isDeclaredHere(property.declarations?.[0]) && !property.name.startsWith('__#'))
        this.#look(`${name}.${property.name}`, this.#checker.getTypeOfSymbol(property), whose);
    }
  }
}

function isDeclaredHere(declaration: ts.Node | undefined): boolean {
  return declaration?.getSourceFile().fileName.startsWith(join(root, 'src')) === true;
}

function isAllOptional(checker: ts.TypeChecker, type: ts.Type): boolean {
  if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return false;
  const properties = checker.getPropertiesOfType(type);
  return (
    properties.length > 0 &&
    properties.every(({ flags }) => (flags & ts.SymbolFlags.Optional) !== 0) &&
    checker.getSignaturesOfType(type, ts.SignatureKind.Call).length === 0 &&
    checker.getIndexInfosOfType(type).length === 0
  );
}

const doors = readDoors(root);
const program = programOf(doors.map(({ source }) => join(root, source)));
const checker = program.getTypeChecker();
const { found, taken } = optionsOf(checker);

function optionsOf(of: ts.TypeChecker): Doors {
  const all = new Doors(of);
  for (const { specifier, source } of doors) {
    const file = program.getSourceFile(join(root, source));
    if (file === undefined) throw new Error(`no door at ${source}`);
    all.add(specifier, file);
  }
  return all;
}

it('nothing that is no options compiles in their place', () => {
  const file = program.getSourceFile(luresFile) as ts.SourceFile;
  const [exported] = checker.getExportsOfModule(checker.getSymbolAtLocation(file) as ts.Symbol);
  const types = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(exported as ts.Symbol));
  const wrong = [...found]
    .filter(([where]) => !isTheirs.some((each) => each.test(where)))
    .flatMap(([where, options]) =>
      types
        // A context is made to be handed to whoever looks for a signal.
        .filter(
          ({ name }) => !(/context/i.test(name) || name === 'turn') || options.getProperty('signal') === undefined,
        )
        .filter((lure) => checker.isTypeAssignableTo(checker.getTypeOfSymbol(lure), options))
        .map(({ name }) => `${where} takes ${name}`),
    );
  expect(found.size).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
}, 120_000);

/** Where the functions of a folder are tried, and what the row of one is called. */
const tables: readonly {
  readonly of: RegExp;
  readonly files: readonly string[];
  readonly row: (where: string) => string;
}[] = [
  { of: /^src\/(core|guard|sessions)\//, files: ['core/option-objects.test.ts'], row: lastName },
  { of: /^src\/transcript\//, files: ['transcript/option-names.test.ts'], row: lastName },
  { of: /^src\/remote\//, files: ['remote/refused-options.test.ts'], row: lastName },
  { of: /^src\/adapters\/(redis|postgres|remote-run)\//, files: ['remote/refused-options.test.ts'], row: lastName },
  { of: /^src\/(testing|inspect)\//, files: ['testing/option-objects.test.ts'], row: wholeName },
  {
    of: /^src\/adapters\//,
    files: ['adapters/option-objects.test.ts', 'adapters/host-options.test.ts'],
    row: wholeName,
  },
];

/** What has its refusals elsewhere, or none. */
const untabled: readonly RegExp[] = [
  /\bkill$/, // reports them, and kills
  /\(context\)\.progress$/, // of a context: may be handed an event
  /^desist\/testing\/program /, // with its own tests
  / inkInterrupts\(\)\.useKey$/, // asks React before it ends; `ink/index.test.ts`
  / inkInterrupts\(\)\.useInterrupt\(\)\.progress$/, // that of the status line
  /clock\.setTimer$/, // of the port of clocks
  /^desist\/transcript Conversation\(\)\.runTurn/, // hands them on to the agent, which refuses them
  /\(client\)\.ping$/, // of the SDK's client
  / cancellableTransport\(\)\.send$/, // of the SDK's transport
  / deafTool\(\)\.execute$/, // called by a framework
];

function lastName(where: string): string {
  return where.split(/[ .]/).at(-1) ?? where;
}

function wholeName(where: string): string {
  return where.replace(/^desist\//, '');
}

it('the refusals of every function that takes options are tried', () => {
  const rows = tables.map(({ files }) => {
    const text = files.map((file) => readFileSync(join(root, 'test', file), 'utf8')).join('\n');
    return [...text.matchAll(/^ {2}(?:'([^']+)'|(\w+)): [[({]/gm)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  });
  const untried = [...taken].flatMap(([parameter, file]) => {
    const where = parameter.replace(/\(\w+\)$/, '');
    if (untabled.some((each) => each.test(where))) return [];
    const place = tables.findIndex(({ of }) => of.test(file));
    const { row } = tables[place] ?? { row: wholeName };
    const names = rows[place] ?? [];
    const tried = row === lastName ? names.map(lastName) : names;
    return tried.includes(row(where)) ? [] : [`${where} of ${file}`];
  });
  expect(taken.size).toBeGreaterThan(90);
  expect(untried).toEqual([]);
});
