/**
 * Writes out the reads of a field whose name stands there: `field(message, 'content')` becomes `message.content`. The
 * function is for the compiler, which knows no such field; in a dialect's bundle its calls are a tenth of a kilobyte.
 *
 * @module
 */
import ts from 'typescript';

/** Whether a `.` may stand directly behind it. */
function isPlain(node: ts.Expression): boolean {
  if (ts.isOptionalChain(node)) return false;
  return ts.isIdentifier(node) || ts.isPropertyAccessExpression(node) || ts.isCallExpression(node);
}

function isDeclared(node: ts.Node): boolean {
  const isLocal = ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
  return isLocal && ts.isIdentifier(node.name) && node.name.text === 'field';
}

/** The module with its fields written out. One in which something else is called `field` is left alone. */
export function inlineFields(code: string): string {
  const file = ts.createSourceFile('chunk.js', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const edits: (readonly [from: number, to: number, text: string])[] = [];
  const others: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (isDeclared(node)) others.push(node);
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'field') {
      const [object, name, more] = node.arguments;
      const isKnown = name !== undefined && ts.isStringLiteral(name) && /^[a-z_]\w*$/i.test(name.text);
      if (object !== undefined && isKnown && more === undefined) {
        const [before, after] = isPlain(object) ? ['', ''] : ['(', ')'];
        edits.push([node.getStart(), object.getStart(), before], [object.end, node.end, `${after}.${name.text}`]);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  if (others.length > 0) return code;
  let written = '';
  let at = 0;
  for (const [from, to, text] of edits.sort(([one], [other]) => one - other)) {
    written += code.slice(at, from) + text;
    at = to;
  }
  return written + code.slice(at);
}
