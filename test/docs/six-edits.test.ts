/** The page of six edits: its diffs lead from its first program to its last, and its size is that of the last. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import ts from 'typescript';
import { describe, expect, it, onTestFinished } from 'vitest';

import { requireBuild, root } from '../package/consumer.ts';
import { markdownSnippets } from './snippets.ts';

const path = 'docs/six-edits.md';
const page = readFileSync(join(root, path), 'utf8');
const [before = '', after = ''] = markdownSnippets(path, page).map(({ code }) => code);
const lines = (code: string): ReadonlySet<string> => new Set(code.split('\n').map((line) => line.trim()));

const diffs = [...page.matchAll(/^```diff\n([^]*?)^```$/gm)].map(([, body = '']) => body);

/** Lines of diffs that begin with a sign, without it, and what they are indented by. */
function changed(sign: string, bodies: readonly string[] = diffs): string[] {
  return bodies.flatMap((body) => body.split('\n')).flatMap((line) => (line[0] === sign ? [line.slice(1).trim()] : []));
}

/** A program after an edit: a line with no sign stands in it behind those above, one with `-` is taken out, one with `+` put in there. */
function edited(code: string, body: string): string {
  const left = code.split('\n');
  let at = 0;
  for (const line of body.trimEnd().split('\n')) {
    const [sign, text] = [line[0], line.slice(1)];
    if (sign === '+') left.splice(at++, 0, text);
    else {
      const found = left.findIndex((each, index) => index >= at && each.trim() === text.trim());
      if (found === -1) throw new Error(`the program has no line after that which says ${text}`);
      at = sign === '-' ? found : found + 1;
      if (sign === '-') left.splice(found, 1);
    }
  }
  return left.join('\n');
}
/** The program that the page begins with, and what each edit makes of it. */
const steps = diffs.reduce<string[]>((done, body) => [...done, edited(done.at(-1) ?? '', body)], [before]);

/** What lines import of the package. */
function importedIn(code: readonly string[]): string[] {
  return code.flatMap((line) => /^import \{ (.*) \} from 'desist/.exec(line)?.[1]?.split(', ') ?? []);
}

describe('the page of six edits', () => {
  it('each edit finds the lines that it takes out and those that it stands beside, in their order', () => {
    expect(steps).toHaveLength(1 + diffs.length);
    expect(steps[0]).toBe(before);
    expect(() => edited(before, '-  stop.abort();')).toThrow('stop.abort();');
  });

  it('the last edit ends with lines of the program that the page ends with', () => {
    const known = lines(after);
    // What the program at the end does without, as its provider is a server of its own and nobody imports from it.
    const own = [/new OpenAI\(/, /^export async function ask/];
    const left = (steps.at(-1) ?? '').split('\n').map((line) => line.trim());
    expect(left.filter((line) => !known.has(line) && !own.some((pattern) => pattern.test(line)))).toEqual([]);
  });

  it('the program compiles from the fourth edit on, and before the first', () => {
    mkdirSync(join(root, '.artifacts'), { recursive: true });
    const folder = mkdtempSync(join(root, '.artifacts/edits-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    const files = steps.map((code, at) => {
      const file = join(folder, `after-${String(at)}.ts`);
      writeFileSync(file, code);
      return file;
    });
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
      config: { compilerOptions: object };
    };
    // An agent runs without a browser: `stop` is a name of `window`.
    const given = { ...config.compilerOptions, paths: {}, lib: ['ES2023'], noUnusedLocals: false };
    const { options } = ts.convertCompilerOptionsFromJson(given, root);
    const program = ts.createProgram(files, options);
    const faults = files.map((file) =>
      ts.getPreEmitDiagnostics(program, program.getSourceFile(file)).map(({ messageText }) => messageText),
    );
    expect([0, 4, 5, 6].flatMap((at) => faults[at])).toEqual([]);
    expect(faults.filter((found) => found.length === 0)).toHaveLength(4);
  });

  it('each diff imports what it uses, where no edit before has', () => {
    const names = importedIn(after.split('\n')).filter((name) => name !== 'startModelServer');
    const missing = diffs.flatMap((body, at) => {
      const known = importedIn(changed('+', diffs.slice(0, at + 1)));
      const uses = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(changed('+', [body]).join('\n'));
      return names.filter((name) => uses(name) && !known.includes(name));
    });
    expect(names.length).toBeGreaterThan(6);
    expect(missing).toEqual([]);
  });

  it('the page of six edits says what its last program weighs', async () => {
    requireBuild();
    const imports = after.split('\n').filter((line) => /^import .* from 'desist/.test(line) && !/testing/.test(line));
    const names = importedIn(imports);
    const { outputFiles } = await build({
      stdin: { contents: `${imports.join('\n')}\nconsole.log(${names.join(', ')});`, resolveDir: root },
      ...{ bundle: true, minify: true, write: false, format: 'esm', platform: 'node', target: 'node20' },
    });
    const kB = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length / 1000;
    const said = Number(/What it imports is (\d+) kB/.exec(page)?.[1]);
    expect(Math.abs(said / kB - 1), `${kB.toFixed(1)} kB`).toBeLessThan(0.05);
  });
});
