/** What doors share is in few files. */
import { mkdtempSync, readFileSync, rmSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { merged, mergeChunks, type SharedFile } from '../../scripts/merge-chunks.ts';

const file = (name: string, bytes: number, loaders: string, externals = ''): SharedFile => ({
  files: [name],
  bytes,
  loaders: new Set(loaders),
  externals,
});
const namesOf = (files: readonly SharedFile[]): string[] => files.map((each) => each.files.toSorted().join('+')).sort();

describe('files that doors share', () => {
  it('files that doors share become one where the same doors load them', () => {
    expect(namesOf(merged([file('a', 9_000, 'xy'), file('b', 90_000, 'xy')], () => 1))).toEqual(['a+b']);
  });

  it('files that doors share stay apart where one door would load too much for another', () => {
    expect(namesOf(merged([file('a', 100, 'xy'), file('b', 90_000, 'x')], () => 1))).toEqual(['a', 'b']);
    expect(namesOf(merged([file('a', 100, 'xy'), file('b', 90_000, 'x')], (door) => (door === 'x' ? 9 : 1)))).toEqual([
      'a+b',
    ]);
  });

  it('files that doors share stay apart where only one needs something of the platform', () => {
    expect(namesOf(merged([file('a', 100, 'xy'), file('b', 100, 'xy', 'node:fs')], () => 1))).toEqual(['a', 'b']);
  });

  it('files that doors share are written in both formats, and do what they did', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'merge-'));
    const write = (name: string, text: string): void => {
      writeFileSync(join(folder, name), text);
    };
    write('one.js', "import { a } from './a.js'; import { b } from './b.js'; export const one = a + b;");
    write('two.js', "import { a } from './a.js'; import { b } from './b.js'; export const two = a * b;");
    write('a.js', 'export const a = 2;');
    write('b.js', 'export const b = 3; export const unused = 4;');
    await mergeChunks(folder, ['one', 'two'], ['one', 'two']);
    const names = readdirSync(folder).map((name) => name.replace(/-[\w-]{8}\./, '.'));
    const shared = readdirSync(folder).find((name) => /^chunk-.*\.js$/.test(name)) ?? '';
    expect(names.sort()).toEqual(['chunk.cjs', 'chunk.js', 'one.cjs', 'one.js', 'two.cjs', 'two.js']);
    expect(readFileSync(join(folder, shared), 'utf8')).not.toContain('unused');
    expect(await import(join(folder, 'one.js'))).toMatchObject({ one: 5 });
    expect(await import(join(folder, 'two.cjs'))).toMatchObject({ two: 6 });
    rmSync(folder, { recursive: true });
  });
});
