/** Pages are short, and so are their sentences. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { listFiles } from '../architecture/source.ts';
import { root } from '../package/consumer.ts';
import { sentencesOf, wordsOf } from './prose.ts';

const MOST_WORDS_OF_A_SENTENCE = 35;
const MOST_WORDS_OF_A_PAGE = 2_000;
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** What users read; the tables of `docs/agents.md` and `docs/classic.md` are made by tests. */
const pages = [
  'README.md',
  ...listFiles('docs').filter((path) => path.endsWith('.md') && !/^docs\/(?:api|design|agents|classic)\b/.test(path)),
];

describe('the prose of the pages', () => {
  it('the prose of the pages has no sentence that has to be read twice', () => {
    const long = pages.flatMap((path) =>
      sentencesOf(read(path))
        .filter(({ words }) => words > MOST_WORDS_OF_A_SENTENCE)
        .map(({ words, text }) => `${path}: ${String(words)} words: ${text}`),
    );
    expect(long).toEqual([]);
  });

  it('the README and each page fit the time that people have', () => {
    expect(wordsOf(read('README.md'))).toBeLessThanOrEqual(900);
    expect(pages.filter((path) => wordsOf(read(path)) > MOST_WORDS_OF_A_PAGE)).toEqual([]);
  });

  it('a page is read sentence by sentence, without code, tables and addresses', () => {
    const page =
      '# A title\n\nOne two three. Four [five six](a/b c.md) `a b c`:\n- seven eight nine\n- ten\n\n| a | b c d |\n\n```ts\nlet it be;\n```\n';
    expect(sentencesOf(page).map(({ words }) => words)).toEqual([3, 4, 3]);
    expect(wordsOf(' one  two\nthree ')).toBe(3);
  });
});
