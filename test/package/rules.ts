/**
 * What must hold for the built files: rules over texts, so that a planted violation can prove each.
 *
 * @module
 */
import { posix } from 'node:path';

import ts from 'typescript';

/** File name to text. */
export type Files = ReadonlyMap<string, string>;

/** What a declaration may ask of the compiler itself: `Symbol.dispose`, which a program need not have in its `lib`. */
const ownLibs: readonly string[] = ['esnext.disposable'];

/** Names of the modules that a declaration or a script refers to. */
function specifiers(text: string): string[] {
  const info = ts.preProcessFile(text, true, true);
  const libs = info.libReferenceDirectives.filter(({ fileName }) => !ownLibs.includes(fileName));
  return [...info.importedFiles, ...info.typeReferenceDirectives, ...libs].map(({ fileName }) => fileName);
}

/** Whether a file of `dist` refers to one beside it or around it, and not to one outside. */
function isInside(name: string, specifier: string): boolean {
  return /^\.{1,2}\//.test(specifier) && !posix.join(posix.dirname(name), specifier).startsWith('../');
}

/** The one door whose types name a package: whoever opens it has that package. */
const peers: Readonly<Record<string, string>> = { 'testing/fast-check': 'fast-check' };

/** Declarations refer to `node:*` and to each other only: a user needs no package to read our types. */
export function foreignSpecifiers(declarations: Files): string[] {
  return [...declarations].flatMap(([name, text]) =>
    specifiers(text)
      .filter((specifier) => !specifier.startsWith('node:') && !isInside(name, specifier))
      .filter((specifier) => specifier !== peers[name.replace(/\.d\.c?ts$/, '')])
      .map((specifier) => `${name}: refers to '${specifier}'`),
  );
}

/**
 * The core exists once per format: what marks it is in one file, and every door imports that.
 *
 * @param markers Texts of which each belongs to one class of the core.
 */
export function copiesOfCore(scripts: Files, markers: readonly string[]): string[] {
  const lines: string[] = [];
  for (const marker of markers) {
    for (const extension of ['.js', '.cjs']) {
      const holders = [...scripts].filter(([name, text]) => name.endsWith(extension) && text.includes(marker));
      if (holders.length !== 1) {
        lines.push(
          `${marker} is in ${String(holders.length)} ${extension} files: ${holders.map(([name]) => name).join(', ')}`,
        );
      }
    }
  }
  return lines;
}

/** Loading the front door loads the front door: no builtin, no package, nothing of another room. */
export function strangersInBundle(code: string, strangers: readonly string[]): string[] {
  const imported = specifiers(code)
    .filter((name) => !name.startsWith('./'))
    .map((specifier) => `imports '${specifier}'`);
  const named = strangers.filter((name) => code.includes(name)).map((name) => `mentions '${name}'`);
  return [...imported, ...named];
}

/**
 * What is in the tarball. Files that doors share carry a hash of their content in their name, so they count by kind; so do
 * guides and examples, of which a new one is no surprise.
 *
 * @param doors Names of the doors' own files, without extension.
 */
export function packContents(paths: readonly string[], doors: readonly string[]): string[] {
  const names = paths.map((path) => {
    const [, name = '', extension = ''] = /^dist\/([\w-]+)-[\w-]{8}(\.d\.c?ts|\.c?js)$/.exec(path) ?? [];
    const isDoor = doors.some((door) => path === `dist/${door}${extension}`);
    const kind = path
      .replace(/^(docs\/(?:guides|migration|recipes)\/)(?:transcript\/)?[\w-]+(\.md)$/, '$1(guide)$2')
      .replace(/^(examples\/)\d\d-[\w-]+(\.ts)$/, '$1(example)$2')
      .replace(/^(dist\/shared\/types\/)[\w-]+(\.d\.ts)$/, '$1(shared)$2');
    return name === '' || isDoor ? kind : `dist/(shared)${extension}`;
  });
  return [...new Set(names)].sort();
}

/** Names that a declaration file exports, types and values alike. */
export function declaredExports(text: string): string[] {
  const names: string[] = [];
  for (const node of ts.createSourceFile('x.d.ts', text, ts.ScriptTarget.ESNext, true).statements) {
    if (!ts.isExportDeclaration(node) || node.exportClause === undefined || !ts.isNamedExports(node.exportClause))
      continue;
    names.push(...node.exportClause.elements.map((element) => element.name.text));
  }
  return names.sort();
}
