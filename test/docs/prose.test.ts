/** Pages are short, and so are their sentences. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { listFiles } from '../architecture/source.ts';
import { root } from '../package/consumer.ts';
import { meanOf, riddlesOf, sentencesOf, wordsOf } from './prose.ts';

const MOST_WORDS_OF_A_SENTENCE = 35;
const MEAN_WORDS_OF_A_SENTENCE = 14;
const MOST_WORDS_OF_A_PAGE = 1_500;
/** Without the README; a page that grows is paid for by another. */
const MOST_WORDS_OF_ALL_PAGES = 30_000;
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

  it('all guides together fit in two hours of reading, code and tables included', () => {
    const words = pages.filter((path) => path !== 'README.md').map((path) => wordsOf(read(path)));
    expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MOST_WORDS_OF_ALL_PAGES);
  });

  it('the sentences of the pages are short on average', () => {
    expect(meanOf(pages.map(read))).toBeLessThanOrEqual(MEAN_WORDS_OF_A_SENTENCE);
    expect(meanOf(['One two three.', 'One two three four five.'])).toBe(4);
  });

  it('the pages and the changelog say nothing in a way that a native reader reads twice', () => {
    expect(
      [...pages, 'CHANGELOG.md'].flatMap((path) => riddlesOf(read(path)).map((riddle) => `${path}: ${riddle}`)),
    ).toEqual([]);
  });

  it.each([
    'A pause is no freeze.',
    'Make it anew for each run.',
    'A server that shall go on has a log.',
    'The value is yours all the same.',
    'A deaf tool is left behind.',
    "Use a type of one's own.",
    'The call is told as stopped.',
    'An answer that comes late is none, because it is none.',
    'Of three runs the worst counts.',
    'Guarded are the tools of the agent.',
  ])('the riddle in "%s" is found', (riddle) => {
    expect(riddlesOf(riddle)).toHaveLength(1);
  });

  it('a riddle in code, or a plain sentence like one, is let through', () => {
    expect(
      riddlesOf('There is no input here. It is no longer there. Call `deafTool` again. The tools are guarded.'),
    ).toEqual([]);
  });

  /** Whether what stands before the second section of a page shows a program that runs, or says where one is. */
  const beginsWithProgram = (page: string): boolean =>
    /^```(?:ts|sh)$|\/examples\/\d\d-|`test\/[\w./-]+\.test\.ts`/m.test(page.split(/^## /m, 2).join(''));

  it('each guide and recipe begins with a program that runs', () => {
    const guides = pages.filter((path) => /^docs\/(?:guides|recipes)\//.test(path));
    expect(guides.length).toBeGreaterThan(30);
    expect(guides.filter((path) => !beginsWithProgram(read(path)))).toEqual([]);
    expect(beginsWithProgram('# A\n\n## Why\n\nWords.\n\n## How\n\n```ts\nrun();\n```\n')).toBe(false);
  });

  it('a page is read sentence by sentence, without code, tables and addresses', () => {
    const page =
      '# A title\n\nOne two three. Four [five six](a/b c.md) `a b c`:\n- seven eight nine\n- ten\n\n| a | b c d |\n\n```ts\nlet it be;\n```\n';
    expect(sentencesOf(page).map(({ words }) => words)).toEqual([3, 4, 3]);
    expect(wordsOf(' one  two\nthree ')).toBe(3);
  });
});
