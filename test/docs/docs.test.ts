import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { listFiles, readSources, root } from '../architecture/source.ts';
import { requireBuild } from '../package/consumer.ts';
import { checkPromises } from './assertions.ts';
import { deadLinks } from './links.ts';
import {
  asModule,
  docstringSnippets,
  markdownSnippets,
  promisedOutput,
  saysResult,
  syntaxErrors,
  type Snippet,
} from './snippets.ts';

const run = promisify(execFile);

const pagePaths = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].filter((path) => existsSync(join(root, path))),
  ...(existsSync(join(root, 'docs')) ? listFiles('docs') : []).filter(
    (path) => path.endsWith('.md') && !path.startsWith('docs/api/'),
  ),
  ...(existsSync(join(root, 'examples')) ? listFiles('examples') : []).filter((path) => path.endsWith('.md')),
];
const pages = new Map(pagePaths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
const examples = existsSync(join(root, 'examples'))
  ? listFiles('examples').filter((path) => /^examples\/\d[^/]*\.ts$/.test(path))
  : [];

const snippets: readonly Snippet[] = [
  ...[...pages].flatMap(([path, text]) => markdownSnippets(path, text)),
  ...[...readSources('src')].flatMap(([path, text]) => docstringSnippets(path, text)),
];
const complete = snippets.filter((snippet) => !snippet.fragment);
const nameOf = (snippet: Snippet): string => `${snippet.file}:${String(snippet.line)}`;

let folder = '';

beforeAll(() => {
  requireBuild();
  mkdirSync(join(root, '.artifacts'), { recursive: true });
  folder = mkdtempSync(join(root, '.artifacts/docs-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function fileOf(snippet: Snippet): string {
  return join(folder, `${nameOf(snippet).replace(/[^\w.-]/g, '_')}.ts`);
}

describe('code in the documentation', () => {
  it('parses', () => {
    expect(snippets.flatMap(syntaxErrors)).toEqual([]);
  });

  it('type-checks against the built package', () => {
    const origins = new Map(complete.map((snippet) => [fileOf(snippet), snippet.file]));
    for (const snippet of complete) writeFileSync(fileOf(snippet), asModule(snippet));
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
      config: { compilerOptions: object };
    };
    const { options } = ts.convertCompilerOptionsFromJson(
      { ...config.compilerOptions, paths: {}, noUnusedLocals: false, noUnusedParameters: false },
      root,
    );
    const program = ts.createProgram([...origins.keys()], options);
    const lines = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
      return `${origins.get(file?.fileName ?? '') ?? file?.fileName ?? ''}:${String(line)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
    expect(lines).toEqual([]);
  });
});

describe.concurrent('what the documentation promises', () => {
  it.for(snippets.filter(saysResult))('$file:$line', async (snippet, { expect }) => {
    const file = fileOf(snippet).replace(/\.ts$/, '.run.ts');
    writeFileSync(file, checkPromises(asModule(snippet)));
    const result = await run(process.execPath, [file], { cwd: root, timeout: 20_000 }).catch(
      (error: unknown) => error as { stderr: string },
    );
    expect(result.stderr, nameOf(snippet)).toBe('');
  });
});

describe.concurrent('examples', () => {
  it.for(examples)('%s prints what it says', async (path, { expect }) => {
    const promised = promisedOutput(readFileSync(join(root, path), 'utf8'));
    expect(promised, 'ends in an // Output: block').toBeDefined();
    const { stdout } = await run(process.execPath, [path], { cwd: root, timeout: 30_000 });
    expect(stdout.trimEnd()).toBe(promised);
  });
});

describe('links', () => {
  it('lead somewhere', () => {
    expect(deadLinks(pages, (path) => existsSync(join(root, path)))).toEqual([]);
  });
});
