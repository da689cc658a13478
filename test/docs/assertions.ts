/**
 * Turns `expression // => value` into a comparison, so that an example that lies fails. The value may also stand alone
 * on the next line.
 *
 * Also understood: `const x = expression // => value`, `console.log(expression) // => value`, and
 * `expression // => throws Name`.
 *
 * @module
 */
import ts from 'typescript';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What follows a statement, on its line or alone on the next. */
function expectedOf(code: string, node: ts.Node): string | undefined {
  return /^;?[ \t]*(?:\n[ \t]*)?\/\/ => (.*)/.exec(code.slice(node.end))?.[1]?.trim();
}

function printed(expression: ts.Expression, code: string): string {
  const isLog = ts.isCallExpression(expression) && expression.expression.getText() === 'console.log';
  const argument = isLog ? expression.arguments[0] : undefined;
  return (argument ?? expression).getText().replace(/;$/, '') || code;
}

function isExpression(text: string): boolean {
  const { diagnostics = [] } = ts.transpileModule(`(${text})`, { reportDiagnostics: true });
  return diagnostics.length === 0;
}

/** What stands for one statement with a promise; `undefined` for one without. */
function rewrite(statement: ts.Statement, code: string): Edit | undefined {
  const expected = expectedOf(code, statement);
  if (expected === undefined) return undefined;
  const place = { start: statement.getStart(), end: statement.end };
  const quoted = JSON.stringify(expected);
  const thrown = /^throws (\w+)/.exec(expected)?.[1];
  if (ts.isExpressionStatement(statement)) {
    const actual = printed(statement.expression, code);
    if (thrown !== undefined)
      return { ...place, text: `;await __throws(async () => (${actual}), ${JSON.stringify(thrown)});` };
    if (!isExpression(expected)) throw new SyntaxError(`cannot compare with: ${expected}`);
    return { ...place, text: `;__equal((${actual}), (${expected}), ${quoted});` };
  }
  if (ts.isVariableStatement(statement) && statement.declarationList.declarations.length === 1) {
    const name = statement.declarationList.declarations[0]?.name.getText() ?? '';
    if (!isExpression(expected)) throw new SyntaxError(`cannot compare with: ${expected}`);
    return { ...place, text: `${statement.getText()};__equal(${name}, (${expected}), ${quoted});` };
  }
  throw new SyntaxError(`nothing to compare before: // => ${expected}`);
}

/**
 * Rewrites every promise in a module into a check; line numbers stay.
 *
 * @throws SyntaxError – a promise that cannot be compared.
 */
export function checkPromises(code: string): string {
  const file = ts.createSourceFile('x.ts', code, ts.ScriptTarget.ESNext, true);
  const edits: Edit[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStatement(node) && !ts.isBlock(node)) {
      const edit = rewrite(node, code);
      if (edit !== undefined) {
        edits.push(edit);
        return;
      }
    }
    node.forEachChild(visit);
  };
  file.forEachChild(visit);
  const promises = code.match(/\/\/ => /g)?.length ?? 0;
  if (promises !== edits.length)
    throw new SyntaxError(`${String(promises)} promises, ${String(edits.length)} of them after a statement`);
  const body = edits.reduceRight((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), code);
  return `${body}\n${checks}`;
}

/** Hoisted, so that they can follow the code and leave its lines alone. */
const checks = `
import { deepEqual as __deepEqual, fail as __fail, strictEqual as __strictEqual } from 'node:assert';
function __equal(actual: unknown, expected: unknown, text: string): void {
  const simple = typeof expected !== 'object' || expected === null;
  (simple ? __strictEqual : __deepEqual)(actual, expected, \`says \${text}, is \${String(typeof actual === 'object' ? JSON.stringify(actual) : actual)}\`);
}
async function __throws(run: () => Promise<unknown>, name: string): Promise<void> {
  try { await run() } catch (error) {
    const given = error as Error;
    if (given.name === name || given.constructor.name === name) return;
    __fail(\`says throws \${name}, throws \${given.name}\`);
  }
  __fail(\`says throws \${name}, does not throw\`);
}
`;
