/**
 * Rewrites the text of one declaration file.
 *
 * @module
 */
import ts from 'typescript';

/** A place in a text, and what comes there. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The text with all of them made. */
export const edited = (text: string, edits: readonly Edit[]): string =>
  edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((done, edit) => done.slice(0, edit.from) + edit.text + done.slice(edit.to), text);

const parsed = (text: string): ts.SourceFile => ts.createSourceFile('x.d.ts', text, ts.ScriptTarget.ESNext, true);

/** The lists of names that a file exports of its own. */
function ownExports(source: ts.SourceFile): { readonly node: ts.ExportDeclaration; readonly names: ts.NamedExports }[] {
  return source.statements.flatMap((node) =>
    ts.isExportDeclaration(node) &&
    node.moduleSpecifier === undefined &&
    node.exportClause !== undefined &&
    ts.isNamedExports(node.exportClause)
      ? [{ node, names: node.exportClause }]
      : [],
  );
}

/** The file without the exports that nobody reads. */
export function withoutExports(text: string, read: ReadonlySet<string>): string {
  return edited(
    text,
    ownExports(parsed(text)).map(({ node, names }) => {
      const kept = names.elements.filter(({ name }) => read.has(name.text)).map((each) => each.getText());
      const keyword = node.isTypeOnly ? 'export type' : 'export';
      const line = kept.length === 0 ? 'export {};' : `${keyword} { ${kept.join(', ')} };`;
      return { from: node.getStart(), to: node.end, text: line };
    }),
  );
}

function aliasOf(node: ts.InterfaceDeclaration): string {
  const bases = node.heritageClauses?.flatMap(({ types }) => types.map((each) => each.getText())) ?? [];
  const body = node.getSourceFile().text.slice(node.members.pos, node.members.end);
  const own = node.members.length === 0 && bases.length > 0 ? [] : [`{${body}\n}`];
  const parameters = node.typeParameters?.map((each) => each.getText()).join(', ');
  const head = `type ${node.name.text}${parameters === undefined ? '' : `<${parameters}>`}`;
  return `${head} = ${[...bases, ...own].join(' & ')};`;
}

/**
 * The file with every interface that it does not export as an alias: a compiler names an interface, and fails where it has no name
 * for others; of an alias it writes what it stands for.
 */
export function withAliases(text: string): string {
  const source = parsed(text);
  const exported = new Set(
    ownExports(source).flatMap(({ names }) => names.elements.map((each) => (each.propertyName ?? each.name).text)),
  );
  return edited(
    text,
    source.statements
      .filter((node) => ts.isInterfaceDeclaration(node))
      .filter(({ name }) => !exported.has(name.text))
      .map((node) => ({ from: node.getStart(), to: node.end, text: aliasOf(node) })),
  );
}
