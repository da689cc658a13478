/**
 * The rules of this folder against planted violations.
 */
import { describe, expect, it } from 'vitest';

import { copiesOfCore, declaredExports, foreignSpecifiers, packContents, strangersInBundle } from './rules.ts';

describe('foreignSpecifiers', () => {
  it.each([
    `import { z } from 'zod'`,
    `import type { Tool } from '@modelcontextprotocol/sdk'`,
    `export { all } from 'abort-controller-x'`,
    `declare const x: import('openai').OpenAI`,
    `/// <reference types="node" />`,
    `/// <reference lib="dom" />`,
    `import x from '../src/index'`,
  ])('foreignSpecifiers finds %s', (text) => {
    expect(foreignSpecifiers(new Map([['x.d.ts', text]]))).toHaveLength(1);
  });
  it('foreignSpecifiers lets the door that needs fast-check name it, and no other door', () => {
    const text = `import { Scheduler } from 'fast-check'\nimport { VirtualClock } from '../testing.js'`;
    expect(foreignSpecifiers(new Map([['testing/fast-check.d.cts', text]]))).toEqual([]);
    expect(foreignSpecifiers(new Map([['transcript/gemini.d.ts', text]]))).toEqual([
      `transcript/gemini.d.ts: refers to 'fast-check'`,
    ]);
  });
  it('foreignSpecifiers lets node and neighbours through', () => {
    const text = `/// <reference lib="esnext.disposable" />\nimport { ChildProcess } from 'node:child_process'\nimport { a } from './index.js'`;
    expect(foreignSpecifiers(new Map([['x.d.ts', text]]))).toEqual([]);
  });
});

describe('copiesOfCore', () => {
  const one = { 'a.js': 'the mark', 'a.cjs': 'the mark', 'b.js': '', 'b.cjs': '' };
  it('copiesOfCore is content with one per format', () => {
    expect(copiesOfCore(new Map(Object.entries(one)), ['the mark'])).toEqual([]);
  });
  it('copiesOfCore finds a second copy, and a marker that is nowhere', () => {
    expect(copiesOfCore(new Map(Object.entries({ ...one, 'b.js': 'the mark' })), ['the mark'])).toEqual([
      'the mark is in 2 .js files: a.js, b.js',
    ]);
    expect(copiesOfCore(new Map(Object.entries(one)), ['gone'])).toHaveLength(2);
  });
});

describe('strangersInBundle', () => {
  it.each([`import 'node:events'`, `import { z } from 'zod'`, `await import('node:fs')`, `const v = 'zod'`])(
    'strangersInBundle finds %s',
    (code) => {
      expect(strangersInBundle(code, ['zod'])).not.toEqual([]);
    },
  );
  it('strangersInBundle lets plain code through', () => {
    expect(strangersInBundle('export const a = globalThis.setTimeout', ['zod'])).toEqual([]);
  });
});

describe('packContents', () => {
  it('packContents guides and examples count by kind', () => {
    const guides = ['docs/guides/fetch.md', 'docs/guides/llm.md', 'docs/guides/transcript/gemini.md'];
    const pages = [...guides, 'examples/01-first-stop.ts', 'examples/02-fetch.ts'];
    const named = ['docs/api/index.html', 'docs/guides/draft.txt', 'examples/agent/main.ts'];
    expect(packContents([...pages, ...named], [])).toEqual([
      'docs/api/index.html',
      'docs/guides/(guide).md',
      'docs/guides/draft.txt',
      'examples/(example).ts',
      'examples/agent/main.ts',
    ]);
  });
  it('packContents counts shared files by kind and names everything else exactly', () => {
    const shared = ['dist/chunk-AB12CD34.js', 'dist/chunk-ZZ12CD34.js', 'dist/index-BNb_Fm-v.d.cts'];
    const named = ['dist/async-iterator.js', 'dist/child-process.d.cts', 'package.json', 'src/secret.ts'];
    expect(packContents([...shared, ...named], ['async-iterator', 'child-process'])).toEqual([
      'dist/(shared).d.cts',
      'dist/(shared).js',
      ...named,
    ]);
  });
});

describe('declaredExports', () => {
  it('names what is exported, under the name it is exported as', () => {
    const text = `export { C as Clock } from './x.js';\ndeclare const b: 1;\nexport { b, type T };\nexport type { U };`;
    expect(declaredExports(text)).toEqual(['Clock', 'T', 'U', 'b']);
  });
});
