/**
 * Lays the published declarations out so that a compiler can name whatever type it infers, when it writes the declarations of a
 * program that uses the package. A type that a door exports is imported from that door, so that the door is known wherever the type
 * is. A type that no door exports is copied into each file that reads it, and is an alias there, which a compiler writes out.
 *
 * @module
 */
import { existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

import ts from 'typescript';

import { edited, withAliases, withoutExports } from './declaration-texts.ts';

/** A door that exports a name. */
interface Owner {
  readonly file: string;
  readonly name: string;
}

type Copied = ts.InterfaceDeclaration | ts.TypeAliasDeclaration;

const isCopied = (node: ts.Node): node is Copied => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);

const isRelative = (node: ts.Expression | undefined): boolean =>
  node !== undefined && ts.isStringLiteral(node) && node.text.startsWith('.');

function specifierOf(from: string, to: string): string {
  const path = relative(dirname(from), to)
    .replaceAll('\\', '/')
    .replace(/\.d\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}

/** The declarations of a folder, as the bundler left them, and what is known of them together. */
class Declarations {
  readonly doors: ReadonlySet<string>;
  readonly platform: string;
  /** By file: what the others read of it. */
  readonly read = new Map<string, Set<string>>();
  readonly #checker: ts.TypeChecker;
  readonly #sources: ReadonlyMap<string, ts.SourceFile>;
  readonly #owners = new Map<ts.Symbol, Owner[]>();

  constructor(files: readonly string[], doors: readonly string[], platform: string) {
    this.doors = new Set(doors);
    this.platform = platform;
    const program = ts.createProgram(files, {
      module: ts.ModuleKind.NodeNext,
      skipLibCheck: true,
      types: ['node'],
      noEmit: true,
    });
    this.#checker = program.getTypeChecker();
    this.#sources = new Map(
      files.flatMap((file) => {
        const source = program.getSourceFile(file);
        return source === undefined ? [] : [[file, source] as const];
      }),
    );
    for (const file of doors)
      for (const [name, symbol] of this.#exportsOf(file))
        this.#owners.set(symbol, [...this.ownersOf(symbol), { file, name }]);
  }

  sourceOf(file: string): ts.SourceFile {
    const source = this.#sources.get(file);
    if (source === undefined) throw new Error(`${file} is not there`);
    return source;
  }

  /**
   * Where a file belongs: a door where it is, and what doors share further down, because a compiler that knows a type by several
   * files names the one with the shortest path.
   */
  placeOf(file: string): string {
    const name = basename(file).replace(/(?:\.d)?-[\w-]{8}(?=\.d\.ts$)/, '');
    return this.doors.has(file) ? file : join(dirname(file), 'shared', 'types', name);
  }

  /** What stands behind a name. */
  symbolOf(name: ts.Node): ts.Symbol | undefined {
    const symbol = this.#checker.getSymbolAtLocation(name);
    return symbol === undefined ? undefined : this.#resolved(symbol);
  }

  ownersOf(symbol: ts.Symbol): readonly Owner[] {
    return this.#owners.get(symbol) ?? [];
  }

  /** Where a name of the package is declared, if it stands for itself and not for a part of something. */
  declarationOf(symbol: ts.Symbol): { readonly file: string; readonly node: ts.Node } | undefined {
    const [node] = symbol.declarations ?? [];
    if (node === undefined) return undefined;
    const file = node.getSourceFile().fileName;
    const around = ts.isVariableDeclaration(node) ? node.parent.parent.parent : node.parent;
    return this.#sources.has(file) && ts.isSourceFile(around) ? { file, node } : undefined;
  }

  /** What a file calls a symbol for others. */
  exportedName(file: string, symbol: ts.Symbol): string {
    const [name] = this.#exportsOf(file).find(([, each]) => each === symbol) ?? [];
    if (name === undefined) throw new Error(`${file} does not export ${symbol.name}`);
    return name;
  }

  /** Every name that a file may use for a type. */
  namesIn(source: ts.SourceFile): string[] {
    return this.#checker.getSymbolsInScope(source, ts.SymbolFlags.Type).map(({ name }) => name);
  }

  /** The names of the package that a declaration reads. */
  readBy(node: ts.Node): { readonly at: ts.Identifier; readonly symbol: ts.Symbol }[] {
    const found: { at: ts.Identifier; symbol: ts.Symbol }[] = [];
    const visit = (each: ts.Node): void => {
      const symbol = ts.isIdentifier(each) ? this.symbolOf(each) : undefined;
      if (symbol !== undefined && this.declarationOf(symbol) !== undefined)
        found.push({ at: each as ts.Identifier, symbol });
      ts.forEachChild(each, visit);
    };
    ts.forEachChild(node, visit);
    return found;
  }

  #resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #exportsOf(file: string): (readonly [string, ts.Symbol])[] {
    const module = this.#checker.getSymbolAtLocation(this.sourceOf(file));
    if (module === undefined) return [];
    return this.#checker.getExportsOfModule(module).map((each) => [each.name, this.#resolved(each)] as const);
  }
}

/** One file, while it is laid out. */
class Page {
  readonly #file: string;
  readonly #all: Declarations;
  readonly #source: ts.SourceFile;
  readonly #names = new Map<ts.Symbol, string>();
  readonly #taken: Set<string>;
  readonly #imports = new Map<string, string[]>();
  readonly #copies: string[] = [];

  constructor(file: string, all: Declarations) {
    this.#file = file;
    this.#all = all;
    this.#source = all.sourceOf(file);
    this.#taken = new Set(all.namesIn(this.#source));
  }

  text(): string {
    const relatives = this.#source.statements.filter(
      (node) =>
        (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) &&
        node.moduleSpecifier !== undefined &&
        isRelative(node.moduleSpecifier),
    );
    const passedOn: string[] = [];
    for (const node of relatives) {
      const names = ts.isImportDeclaration(node)
        ? node.importClause?.namedBindings
        : (node as ts.ExportDeclaration).exportClause;
      // Without names it is there for what it does, and declarations do nothing: all such are dropped below.
      if (names === undefined) continue;
      if (!ts.isNamedImports(names) && !ts.isNamedExports(names)) throw new Error(`${this.#file} reads a whole file`);
      for (const { name } of names.elements) {
        const symbol = this.#all.symbolOf(name);
        if (symbol === undefined) throw new Error(`${this.#file}: ${name.text} is nowhere`);
        const local = this.#nameOf(symbol, ts.isNamedImports(names) ? name.text : undefined);
        if (ts.isNamedExports(names)) passedOn.push(local === name.text ? local : `${local} as ${name.text}`);
      }
    }
    const head = [
      ...[...this.#imports].map(([from, names]) => `import { ${names.join(', ')} } from '${from}';`),
      ...this.#copies,
      ...(passedOn.length === 0 ? [] : [`export { ${passedOn.join(', ')} };`]),
    ];
    const idle = this.#source.statements.filter(
      (node) => ts.isImportDeclaration(node) && node.importClause === undefined,
    );
    const rest = edited(
      this.#source.text,
      [...new Set([...relatives, ...idle])].map((node) => ({ from: node.getFullStart(), to: node.end, text: '' })),
    );
    return rest.replace(this.#all.platform, (platform) => [platform, ...head].join('\n'));
  }

  /** What the symbol is called here; brings it here if it is not. */
  #nameOf(symbol: ts.Symbol, known?: string): string {
    const there = this.#names.get(symbol);
    if (there !== undefined) return there;
    const declared = this.#all.declarationOf(symbol);
    if (declared === undefined) throw new Error(`${symbol.name} is not of the package`);
    // Every file begins with the names of the platform.
    if (declared.file === this.#file || declared.node.end <= this.#all.platform.length) return symbol.name;
    const name = known ?? this.#fresh(symbol.name);
    this.#names.set(symbol, name);
    const owners = this.#all.ownersOf(symbol);
    const [owner] = owners;
    if (owner !== undefined && owners.every(({ file }) => file !== this.#file)) this.#import(owner, name);
    else if (owner === undefined && isCopied(declared.node)) this.#copies.push(this.#copyOf(declared.node, name));
    else this.#import({ file: declared.file, name: this.#all.exportedName(declared.file, symbol) }, name);
    return name;
  }

  #import({ file, name }: Owner, as: string): void {
    const specifier = specifierOf(this.#all.placeOf(this.#file), this.#all.placeOf(file));
    const names = this.#imports.get(specifier) ?? [];
    this.#imports.set(specifier, [...names, name === as ? name : `${name} as ${as}`]);
    this.#all.read.set(file, (this.#all.read.get(file) ?? new Set()).add(name));
  }

  #copyOf(node: Copied, name: string): string {
    const start = node.getStart();
    const edits = this.#all
      .readBy(node)
      .filter(({ at }) => at !== node.name)
      .map(({ at, symbol }) => ({ from: at.getStart() - start, to: at.end - start, text: this.#nameOf(symbol) }));
    const own = { from: node.name.getStart() - start, to: node.name.end - start, text: name };
    return edited(node.getText(), [...edits, own]);
  }

  #fresh(wish: string): string {
    let name = wish;
    for (let at = 1; this.#taken.has(name); at++) name = `${wish}$${String(at)}`;
    this.#taken.add(name);
    return name;
  }
}

/**
 * Lays them out, in place.
 *
 * @param folder Where the declarations are.
 * @param doors The names of the doors, without extension.
 * @param platform What every file begins with.
 * @throws Error – a file reads what another does not export, or two would have one name.
 */
export function layOut(folder: string, doors: readonly string[], platform: string): void {
  const files = globSync('**/*.d.ts', { cwd: folder }).map((file) => join(folder, file));
  const all = new Declarations(
    files,
    doors.map((door) => join(folder, `${door}.d.ts`)),
    platform,
  );
  const texts = files.map((file) => [file, new Page(file, all).text()] as const);
  for (const [file, text] of texts) {
    const place = all.placeOf(file);
    if (place === file) {
      writeFileSync(file, withAliases(text));
      continue;
    }
    rmSync(file);
    const read = all.read.get(file);
    if (read === undefined) continue;
    mkdirSync(dirname(place), { recursive: true });
    if (existsSync(place)) throw new Error(`two files would be ${place}`);
    writeFileSync(place, withAliases(withoutExports(text, read)));
  }
}
