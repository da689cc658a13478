/**
 * The rules of this folder against planted violations.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { root } from '../package/consumer.ts';
import { checkPromises } from './assertions.ts';
import { deadLinks, deadPaths } from './links.ts';
import { numberingFaults } from './numbering.ts';
import { docstringSnippets, markdownSnippets, promisedOutput, saysResult, syntaxErrors } from './snippets.ts';

const run = promisify(execFile);

describe('snippets', () => {
  it('snippets are found in Markdown, with their line', () => {
    const text = 'Text\n\n```ts\nconst a = 1\n```\n\n- item\n  ```ts fragment\n  b(\n  ```\n```sh\nls\n```\n';
    const found = markdownSnippets('x.md', text);
    expect(found).toEqual([
      { file: 'x.md', line: 3, code: 'const a = 1', fragment: false },
      { file: 'x.md', line: 8, code: 'b(', fragment: true },
    ]);
    expect(found.map((snippet) => syntaxErrors(snippet).length)).toEqual([0, 1]);
  });

  it('snippets are found in docstrings, with their line', () => {
    const text = `const x = 1;\n/**\n * Does.\n *\n * @example It\n * \`\`\`ts\n * f() // => 1\n * \`\`\`\n */\nexport function f() {}`;
    const [snippet, ...rest] = docstringSnippets('x.ts', text);
    expect(rest).toEqual([]);
    expect(snippet).toEqual({ file: 'x.ts', line: 6, code: 'f() // => 1', fragment: false });
    expect(saysResult(snippet!)).toBe(true);
  });

  it('snippets promise an output', () => {
    expect(promisedOutput('run();\n\n// Output:\n// one\n//   two\n')).toBe('one\n  two');
    expect(promisedOutput('run();\n')).toBeUndefined();
  });
});

describe('promises', () => {
  let folder = '';
  beforeAll(() => {
    mkdirSync(join(root, '.artifacts'), { recursive: true });
    folder = mkdtempSync(join(root, '.artifacts/promises-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  async function holds(code: string): Promise<boolean> {
    const file = join(folder, 'case.ts');
    writeFileSync(file, checkPromises(code));
    return run(process.execPath, [file]).then(
      () => true,
      () => false,
    );
  }

  it.each([
    ['1 + 1 // => 2', '1 + 1 // => 3'],
    ["'a' + 'b' // => 'ab'", "'a' + 'b' // => 'a'"],
    ['const x = [1, { a: 2 }] // => [1, { a: 2 }]', 'const x = [1, { a: 2 }] // => [1, { a: 3 }]'],
    ['await Promise.resolve(\n  7,\n) // => 7', 'await Promise.resolve(\n  7,\n) // => 8'],
    ['console.log(1 < 2) // => true', 'console.log(1 < 2) // => false'],
    ['[1,\n 2]\n// => [1, 2]', '[1,\n 2]\n// => [1]'],
    ['if (true) {\n  3 // => 3\n}', 'if (true) {\n  3 // => 4\n}'],
    ["JSON.parse('{') // => throws SyntaxError", "JSON.parse('{') // => throws RangeError"],
    ["JSON.parse('{') // => throws SyntaxError", "JSON.parse('{}') // => throws SyntaxError"],
  ])('%j holds and %j does not', async (truth, lie) => {
    expect(await holds(truth)).toBe(true);
    expect(await holds(lie)).toBe(false);
  });

  it('promises must be comparable', () => {
    expect(() => checkPromises('f() // => something nice')).toThrow('cannot compare with: something nice');
    expect(() => checkPromises('return 1 // => 1')).toThrow('nothing to compare');
    expect(() => checkPromises('f(\n  a, // => 1\n)')).toThrow('1 promises, 0 of them');
  });
});

describe('deadLinks', () => {
  const pages = (readme: string): Map<string, string> =>
    new Map([
      ['README.md', readme],
      ['docs/guide.md', '# Guide\n\n## Stop, and `cancel()`\n'],
    ]);
  const exists = (path: string): boolean => path === 'LICENSE' || path === 'docs';

  it('deadLinks finds links that lead nowhere', () => {
    expect(deadLinks(pages('[a](docs/gone.md)\n[b](docs/guide.md#nope) [c](#here)\n\n[d]: ./gone'), exists)).toEqual([
      'README.md:1: docs/gone.md does not exist',
      'README.md:2: docs/guide.md#nope has no such heading',
      'README.md:2: #here has no such heading',
      'README.md:4: ./gone does not exist',
    ]);
  });

  it('deadLinks lets the others through', () => {
    const text =
      '# Here\n[a](docs/guide.md#stop-and-cancel) [b](#here) [c](LICENSE) [d](docs) [e](https://x.org/y#z)\n`[f](gone)`\n```md\n[g](gone)\n```\n';
    expect(deadLinks(pages(text), exists)).toEqual([]);
  });
});

describe('deadPaths', () => {
  it('deadPaths finds a path that the repository does not have', () => {
    const text = 'See `src/a.ts`,\n`src/gone.ts`, `test/NAME.test.ts` and `src` as in\n\n```sh\nls `src/x.ts`\n```\n';
    expect(deadPaths(new Map([['README.md', text]]), (path) => path === 'src/a.ts')).toEqual([
      'README.md:2: src/gone.ts does not exist',
    ]);
  });
});

describe('numberingFaults', () => {
  it.each([
    [['01-a.ts', '03-c.ts'], '03-c.ts should have the number 02'],
    [['01-a.ts', '02-b.ts', '02-c.ts'], '02-c.ts should have the number 03'],
    [['02-b.ts'], '02-b.ts should have the number 01'],
  ])('numberingFaults finds the first fault of %j', (names, fault) => {
    expect(numberingFaults(names)).toEqual([fault]);
  });
  it('numberingFaults lets an unbroken list through, in any order', () => {
    expect(numberingFaults(['02-b.ts', '01-a.ts', '03-c.ts'])).toEqual([]);
  });
});
