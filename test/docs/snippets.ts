/**
 * Finds the code that documentation shows: fences in Markdown, `@example` blocks in docstrings, numbered examples.
 *
 * A fence ```` ```ts ```` is complete: it is type-checked, and run if it says what comes out (`// =>`).
 * A fence ```` ```ts fragment ```` leans on the text around it: it is only parsed.
 *
 * @module
 */
import ts from 'typescript';

/** A piece of code and where it stands. */
export interface Snippet {
  readonly file: string;
  /** The line before its first, counted from 1: the fence. */
  readonly line: number;
  readonly code: string;
  readonly fragment: boolean;
}

/** The `ts` fences of a text. */
function fences(file: string, text: string, firstLine: number): Snippet[] {
  const found: Snippet[] = [];
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const open = /^(\s*)```(?:ts|typescript)\b(.*)$/.exec(lines[index] ?? '');
    if (open === null) continue;
    const start = index;
    const indent = open[1] ?? '';
    const body: string[] = [];
    for (index += 1; index < lines.length && lines[index]?.trim() !== '```'; index += 1) {
      const line = lines[index] ?? '';
      body.push(line.startsWith(indent) ? line.slice(indent.length) : line.trimStart());
    }
    found.push({ file, line: firstLine + start, code: body.join('\n'), fragment: /\bfragment\b/.test(open[2] ?? '') });
  }
  return found;
}

/** The code a Markdown file shows. */
export function markdownSnippets(file: string, text: string): Snippet[] {
  return fences(file, text, 1);
}

/** The code that the docstrings of a source show, line by line where it stands. */
export function docstringSnippets(file: string, text: string): Snippet[] {
  const found: Snippet[] = [];
  const comment = /\/\*\*(?:(?!\*\/)[^])*\*\//g;
  for (const match of text.matchAll(comment)) {
    const firstLine = text.slice(0, match.index).split('\n').length;
    const body = match[0]
      .split('\n')
      .map((line) => line.replace(/^\s*(?:\/\*\*|\*\/|\* ?)/, ''))
      .join('\n');
    found.push(...fences(file, body, firstLine));
  }
  return found;
}

/** The snippet as a module of its own in which every line keeps its number. */
export function asModule(snippet: Snippet): string {
  return `${'\n'.repeat(snippet.line)}${snippet.code}\nexport {};\n`;
}

/** Whether the snippet says what comes out. */
export function saysResult(snippet: Snippet): boolean {
  return !snippet.fragment && /\/\/ => /.test(snippet.code);
}

/** What does not parse. */
export function syntaxErrors(snippet: Snippet): string[] {
  const output = ts.transpileModule(asModule(snippet), { reportDiagnostics: true, fileName: 'x.ts' });
  return (output.diagnostics ?? []).map(
    ({ messageText }) =>
      `${snippet.file}:${String(snippet.line)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  );
}

/** What an example promises to print: the comment block that follows `// Output:` at its end. */
export function promisedOutput(code: string): string | undefined {
  const block = /\n\/\/ Output:\n((?:\/\/.*\n?)*)\s*$/.exec(code)?.[1];
  return block
    ?.trimEnd()
    .split('\n')
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join('\n');
}
