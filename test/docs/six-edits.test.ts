/** The page of six edits: its diffs lead from its first program to its last, and its size is that of the last. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

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

/** What lines import of the package. */
function importedIn(code: readonly string[]): string[] {
  return code.flatMap((line) => /^import \{ (.*) \} from 'desist/.exec(line)?.[1]?.split(', ') ?? []);
}

describe('the page of six edits', () => {
  it('each diff takes out what stands in the program that it begins with, or what an edit before has put there', () => {
    const known = new Set([...lines(before), ...changed('+')]);
    expect(changed('-').filter((line) => !known.has(line))).toEqual([]);
    expect(changed('-').length).toBeGreaterThan(10);
  });

  it('each diff puts in what stands in the program that it ends with, or what a later edit takes out', () => {
    const known = new Set([...lines(after), ...changed('-')]);
    const names = (line: string): boolean => /^import \{ \w+ \} from 'desist'/.test(line);
    expect(changed('+').filter((line) => !known.has(line) && !names(line))).toEqual([]);
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
