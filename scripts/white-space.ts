/**
 * Takes the white space out of a built script that nobody needs: indentation, and spaces between tokens. A statement keeps its line,
 * for stack traces, and calls keep the mark by which a bundler drops them; esbuild's own way takes that along.
 *
 * @module
 */
import ts from 'typescript';

/** What bundlers read: `@__PURE__` and its like. */
const marks = /\/\*\s*([@#]__\w+__|@vite-ignore|webpack\w+:[^*]*?)\s*\*\//g;
const wordLike = /[\w$#@\\\u{80}-\u{10ffff}]/u;

function needsSpace(last: string, first: string): boolean {
  if (wordLike.test(last) && (wordLike.test(first) || first === '.')) return true;
  // `a + +b`, `a / /b/`, and what a script would take for a comment of HTML.
  return (last === first && '+-/'.includes(last)) || (last === '<' && first === '!') || (last === '-' && first === '>');
}

function between(last: string, gap: string, first: string): string {
  const kept = [...gap.matchAll(marks)].map(([, mark = '']) => `/*${mark}*/`).join('');
  if (gap.includes('\n') && !'{([,'.includes(last) && !'})],;'.includes(first)) return `\n${kept}`;
  return kept !== '' ? kept : gap !== '' && needsSpace(last, first) ? ' ' : '';
}

/** The script without it. */
export function withoutWhiteSpace(code: string): string {
  const [shebang = ''] = /^#!.*\n/.exec(code) ?? [];
  const file = ts.createSourceFile('built.js', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const written = [shebang];
  let last = '{';
  let end = shebang.length;
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const parts = node.getChildren(file);
    for (const part of parts) visit(part);
    const text = node.getText(file);
    if (parts.length > 0 || text === '') return;
    written.push(between(last, code.slice(end, node.getStart(file)), text.charAt(0)), text);
    last = text.slice(-1);
    end = node.end;
  };
  visit(file);
  return `${written.join('')}\n`;
}
