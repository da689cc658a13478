/**
 * What a public symbol must say about itself. Public means: exported by a door, followed to where it is declared.
 *
 * @module
 */
import { posix } from 'node:path';

import ts from 'typescript';

import { parse, place, type Sources } from './source.ts';

type Documented =
  | ts.FunctionDeclaration
  | ts.ClassDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.VariableStatement;

function isDocumented(node: ts.Statement): node is Documented {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isVariableStatement(node)
  );
}

function namesOf(node: Documented): string[] {
  if (!ts.isVariableStatement(node)) return node.name === undefined ? [] : [node.name.text];
  return node.declarationList.declarations.map(({ name }) => name.getText());
}

/** Follows a name through re-exports to its declarations; overloads are several, the implementation comes last. */
function declarationsOf(sources: Sources, path: string, name: string): Documented[] {
  const text = sources.get(path);
  if (text === undefined) return [];
  const file = parse(path, text);
  const here = file.statements.filter(isDocumented).filter((node) => namesOf(node).includes(name));
  if (here.length > 0) return here;
  for (const node of file.statements) {
    const clause = ts.isExportDeclaration(node) ? node.exportClause : undefined;
    if (!ts.isExportDeclaration(node) || clause === undefined || !ts.isNamedExports(clause)) continue;
    const element = clause.elements.find((candidate) => candidate.name.text === name);
    if (element === undefined || node.moduleSpecifier === undefined || !ts.isStringLiteral(node.moduleSpecifier))
      continue;
    const target = posix.join(posix.dirname(path), node.moduleSpecifier.text);
    return declarationsOf(sources, target, (element.propertyName ?? element.name).text);
  }
  return [];
}

/** The names a door hands out. */
export function exportedNames(path: string, text: string): string[] {
  const names: string[] = [];
  for (const node of parse(path, text).statements) {
    if (ts.isExportDeclaration(node) && node.exportClause !== undefined && ts.isNamedExports(node.exportClause)) {
      names.push(...node.exportClause.elements.map((element) => element.name.text));
    } else if (
      isDocumented(node) &&
      node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
    ) {
      names.push(...namesOf(node));
    }
  }
  return [...new Set(names)];
}

interface Docs {
  readonly text: string;
  readonly tags: readonly { readonly name: string; readonly text: string }[];
  readonly params: ReadonlySet<string>;
}

function docsOf(node: Documented): Docs | undefined {
  const comment = ts
    .getJSDocCommentsAndTags(node)
    .filter((entry) => ts.isJSDoc(entry))
    .at(-1);
  if (comment === undefined) return undefined;
  const tags = (comment.tags ?? []).map((tag) => ({
    name: tag.tagName.text,
    text: (ts.getTextOfJSDocComment(tag.comment) ?? '').trim(),
  }));
  const params = (comment.tags ?? []).flatMap((tag) => (ts.isJSDocParameterTag(tag) ? [tag.name.getText()] : []));
  return { text: (ts.getTextOfJSDocComment(comment.comment) ?? '').trim(), tags, params: new Set(params) };
}

const quiet = /^(?:void|never|Promise<void>|asserts .*)$/;

function missingOnFunction(node: ts.FunctionDeclaration, docs: Docs): string[] {
  const missing: string[] = [];
  const has = (tag: string): boolean => docs.tags.some(({ name }) => name === tag);
  for (const parameter of node.parameters) {
    const name = ts.isIdentifier(parameter.name) ? parameter.name.text : undefined;
    if (name !== undefined && !docs.params.has(name)) missing.push(`@param ${name}`);
  }
  if (!quiet.test(node.type?.getText() ?? 'void') && !has('returns')) missing.push('@returns');
  const takesToken = node.parameters.some((parameter) => parameter.name.getText() === 'token');
  const checkpoint = docs.tags.find(({ name }) => name === 'checkpoint')?.text ?? '';
  if (takesToken && !/^(?:always|never)\b/.test(checkpoint)) missing.push('@checkpoint always|never');
  return missing;
}

function missingFrom(node: Documented, docs: Docs): string[] {
  const missing: string[] = [];
  if (docs.text === '') missing.push('a sentence that says what it does');
  const isValue = ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node) || ts.isVariableStatement(node);
  if (isValue && !docs.tags.some(({ name }) => name === 'since')) missing.push('@since');
  if (ts.isFunctionDeclaration(node)) missing.push(...missingOnFunction(node, docs));
  for (const tag of docs.tags) {
    if (tag.name === 'throws' && !/^[A-Z]\w*(?:(?:, | \| | or )[A-Z]\w*)*(?: –|$)/.test(tag.text))
      missing.push("'@throws Type – when'");
  }
  return missing;
}

/** Every public symbol has its docstring, with the tags that its kind needs. */
export function docstrings(sources: Sources, doors: readonly string[]): string[] {
  const lines = new Set<string>();
  for (const door of doors) {
    for (const name of exportedNames(door, sources.get(door) ?? '')) {
      const declarations = declarationsOf(sources, door, name);
      if (declarations.length === 0) lines.add(`${door}: '${name}' is declared nowhere`);
      // A value and a type of one name each speak for themselves; of overloads the first speaks for all.
      const kinds = new Map(declarations.toReversed().map((node) => [node.kind, node]));
      for (const node of kinds.values()) {
        const at = place(node.getSourceFile(), node);
        const docs = docsOf(node);
        if (docs === undefined) lines.add(`${at}: ${name} has no docstring`);
        else for (const what of missingFrom(node, docs)) lines.add(`${at}: ${name} lacks ${what}`);
      }
    }
  }
  return [...lines];
}
