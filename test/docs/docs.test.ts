import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { readDoors } from '../../scripts/doors.ts';
import { listFiles, readSources, root } from '../architecture/source.ts';
import { requireBuild } from '../package/consumer.ts';
import { checkPromises } from './assertions.ts';
import { deadLinks, deadPaths } from './links.ts';
import { numberingFaults } from './numbering.ts';
import { promisesKept } from './promises-kept.ts';
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
  ...['README.md', 'README_zh.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].filter((path) =>
    existsSync(join(root, path)),
  ),
  ...(existsSync(join(root, 'docs')) ? listFiles('docs') : []).filter(
    (path) => path.endsWith('.md') && !path.startsWith('docs/api/'),
  ),
  ...(existsSync(join(root, 'examples')) ? listFiles('examples') : []).filter((path) => path.endsWith('.md')),
];
const pages = new Map(pagePaths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
/** The changelog is history: it may name what is no longer there. */
const current = new Map([...pages].filter(([path]) => path !== 'CHANGELOG.md'));
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
  it('the code in the documentation parses', () => {
    expect(snippets.flatMap(syntaxErrors)).toEqual([]);
  });

  it('the code in the documentation type-checks against the built package', () => {
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
  const promising = snippets.filter(saysResult);
  const playedAs = (snippet: Snippet): string => fileOf(snippet).replace(/\.ts$/, '.run.ts');
  let complaintOf: (file: string) => Promise<string>;

  beforeAll(() => {
    for (const snippet of promising) writeFileSync(playedAs(snippet), checkPromises(asModule(snippet)));
    complaintOf = promisesKept(promising.map(playedAs), root);
  });

  it.for(promising)('$file:$line', async (snippet, { expect }) => {
    expect(await complaintOf(playedAs(snippet)), nameOf(snippet)).toBe('');
  });
});

describe.concurrent('examples', () => {
  it.for(examples)('%s prints what it says', async (path, { expect }) => {
    const promised = promisedOutput(readFileSync(join(root, path), 'utf8'));
    expect(promised, 'ends in an // Output: block').toBeDefined();
    const { stdout } = await run(process.execPath, [path], { cwd: root, timeout: 150_000 });
    expect(stdout.trimEnd()).toBe(promised);
  });
});

describe('the table of doors', () => {
  /** A door below another, such as a dialect, stands in the row of that one. */
  const missing = (page: string): string[] =>
    readDoors(root)
      .map(({ specifier }) => specifier.split('/').slice(0, 2).join('/'))
      .filter((specifier) => !page.includes(`\n| [\`${specifier}\`](`));

  it('every door has a row in the table of doors', () => {
    expect(missing(pages.get('docs/doors.md') ?? '')).toEqual([]);
  });

  it('a door without a row is found', () => {
    expect(missing('\n| [`desist`](guides/core.md) | tokens |\n')).toContain('desist/guard');
  });
});

describe('the list of examples', () => {
  it('the list of examples examples are numbered without gaps or doubles', () => {
    expect(examples.length).toBeGreaterThan(0);
    expect(numberingFaults(examples.map((path) => basename(path)))).toEqual([]);
  });
});

describe('links', () => {
  it('links links lead somewhere', () => {
    expect(deadLinks(pages, (path) => existsSync(join(root, path)))).toEqual([]);
  });

  it('links of the index lead to every page for users', () => {
    const index = pages.get('docs/index.md') ?? '';
    const isForUsers = (path: string): boolean =>
      /^docs\/(?!design\/|index|classic|api\/)/.test(path) && !index.includes(`](${path.slice('docs/'.length)})`);
    expect([...pages.keys()].filter(isForUsers)).toEqual([]);
  });

  it('links paths of the repository that a page names exist', () => {
    expect(deadPaths(current, (path) => existsSync(join(root, path)))).toEqual([]);
  });
});
