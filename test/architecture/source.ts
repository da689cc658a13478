/**
 * What the rules of this folder look at: the sources as a map from path to text, and the few questions they all ask.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

/** Path from the root (`src/core/token/node.ts`) to text. */
export type Sources = ReadonlyMap<string, string>;

/** A rule: sources in, one line per violation out. Pure, so that a planted violation can prove it. */
export type Rule = (sources: Sources) => string[];

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Lists files below a folder, as paths from the root with `/`. */
export function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.includes('node_modules/'))
    .sort();
}

/** Reads every TypeScript file below a folder. */
export function readSources(folder: string): Sources {
  const paths = listFiles(folder).filter((path) => path.endsWith('.ts'));
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

const parsed = new Map<string, ts.SourceFile>();

/** Parses a file; the same text under the same path is parsed once. */
export function parse(path: string, text: string): ts.SourceFile {
  const known = parsed.get(path);
  if (known?.text === text) return known;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  parsed.set(path, file);
  return file;
}

/** Calls `visit` for every node below `node`. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  node.forEachChild((child) => {
    visit(child);
    walk(child, visit);
  });
}

/** `src/a/b.ts:12`, where a node begins. */
export function place(file: ts.SourceFile, node: ts.Node): string {
  return `${file.fileName}:${String(file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1)}`;
}

/** One import, re-export, dynamic import or import type. */
export interface ImportEdge {
  readonly from: string;
  readonly at: string;
  /** As written. */
  readonly specifier: string;
  /** The imported file for a relative specifier. */
  readonly target: string | undefined;
  readonly typeOnly: boolean;
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) {
    const clause = node.exportClause;
    if (node.isTypeOnly) return true;
    return clause !== undefined && ts.isNamedExports(clause) && clause.elements.every((element) => element.isTypeOnly);
  }
  const clause = node.importClause;
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  if (clause.name !== undefined || named === undefined || !ts.isNamedImports(named)) return false;
  return named.elements.length > 0 && named.elements.every((element) => element.isTypeOnly);
}

/** Every way in which one file names another. */
export function importsOf(path: string, text: string): ImportEdge[] {
  const file = parse(path, text);
  const edges: ImportEdge[] = [];
  const add = (node: ts.Node, specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const relativeTo = specifier.text.startsWith('.') ? posix.join(posix.dirname(path), specifier.text) : undefined;
    edges.push({ from: path, at: place(file, node), specifier: specifier.text, target: relativeTo, typeOnly });
  };
  walk(file, (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      add(node, node.moduleSpecifier, isTypeOnly(node));
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node, node.argument.literal, true);
    } else if (ts.isCallExpression(node)) {
      const callee = node.expression;
      const isImport = callee.kind === ts.SyntaxKind.ImportKeyword;
      const isRequire = ts.isIdentifier(callee) && callee.text === 'require';
      if (isImport || isRequire) add(node, node.arguments[0], false);
    }
  });
  return edges;
}
