/**
 * Writes the number where its name stood: `node.flags & 8 /* MANY *\/`. The bits of a token's state are named constants in
 * the sources; bundlers leave most of them as variables, which costs each user's bundle more than the numbers. The name
 * stays beside the number as a comment, for whoever reads a stack trace; minifiers drop it.
 *
 * @module
 */
import ts from 'typescript';

/** What is worth it: a whole number that is hardly longer than the shortest name. */
const MAX_DIGITS = 5;

/** The value of a whole number, or of constants that are joined by `|`. */
function valueOf(node: ts.Expression, known: ReadonlyMap<string, number>): number | undefined {
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isIdentifier(node)) return known.get(node.text);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const value = valueOf(node.operand, known);
    return value === undefined ? undefined : -value;
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.BarToken) return undefined;
  const left = valueOf(node.left, known);
  const right = valueOf(node.right, known);
  return left === undefined || right === undefined ? undefined : left | right;
}

/** The constants of a module: names in capitals that stand for a short whole number. */
function constantsOf(file: ts.SourceFile): Map<string, number> {
  const known = new Map<string, number>();
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (!ts.isIdentifier(name) || !/^[A-Z][A-Z_]*$/.test(name.text) || initializer === undefined) continue;
      const value = valueOf(initializer, known);
      if (value !== undefined && Number.isSafeInteger(value) && String(value).length <= MAX_DIGITS)
        known.set(name.text, value);
    }
  }
  return known;
}

/** What an occurrence of a name is: a read that a number can replace, something that is no variable, or anything else. */
function useOf(node: ts.Identifier): 'read' | 'no variable' | 'other' {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node ? 'no variable' : 'other';
  if (ts.isPropertyAssignment(parent) || ts.isClassElement(parent))
    return parent.name === node ? 'no variable' : 'other';
  if (ts.isExportSpecifier(parent)) return 'no variable';
  if (ts.isVariableDeclaration(parent) && parent.name === node)
    return ts.isSourceFile(parent.parent.parent.parent) ? 'no variable' : 'other';
  if (ts.isBinaryExpression(parent)) return parent.right === node || !isAssignment(parent) ? 'read' : 'other';
  if (ts.isVariableDeclaration(parent) || ts.isParameter(parent) || ts.isBindingElement(parent))
    return parent.initializer === node ? 'read' : 'other';
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) return parent.expression === node ? 'other' : 'read';
  return ts.isParenthesizedExpression(parent) || ts.isConditionalExpression(parent) ? 'read' : 'other';
}

function isAssignment({ operatorToken: { kind } }: ts.BinaryExpression): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

/** The module with its constants written out. A name that is used in any other way, anywhere in the module, is left alone. */
export function inlineConstants(code: string): string {
  const file = ts.createSourceFile('chunk.js', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const known = constantsOf(file);
  const reads: ts.Identifier[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && known.has(node.text)) {
      const use = useOf(node);
      if (use === 'read') reads.push(node);
      else if (use === 'other') known.delete(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  let written = '';
  let from = 0;
  for (const node of reads) {
    const value = known.get(node.text);
    if (value === undefined) continue;
    const text = value < 0 ? `(${String(value)})` : String(value);
    written += `${code.slice(from, node.getStart())}${text} /* ${node.text} */`;
    from = node.end;
  }
  return written + code.slice(from);
}
