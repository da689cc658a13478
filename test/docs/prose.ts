/**
 * How long the sentences of a page are, how many words it has, and which of its sentences are riddles.
 *
 * @module
 */

/** A sentence, and its words; code counts as one. */
export interface Sentence {
  readonly words: number;
  readonly text: string;
}

/**
 * What makes a native reader stop and read again, by kind, and what to write. A new kind is added here and nowhere else.
 * Each is looked for in the sentences, without their code.
 */
const riddles: readonly (readonly [kind: RegExp, write: string])[] = [
  [/(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|one\b|need\b|way\b|such\b|other\b)\w+/i, '"is not a …"'],
  [/\b(?:anew|mend(?:s|ed|ing)?|likewise|for ever|hence|thereby|wherein|thereof)\b/i, 'a word of today'],
  [/\bshall\b/i, '"must", "should" or the present'],
  [
    /\ball the same\b|\bin earnest\b|\bbelongs? into\b|\bbesides\b/i,
    'what is meant: "still", "in production", "belongs in", "also"',
  ],
  [/\bdeaf\b/i, '"that ignores its signal"'],
  [/\bone['’]s own\b|\bof one['’]s\b/i, '"your own"'],
  [/\b(?:is|are) words\b|\bworded\b|\bwords it\b|\btold as\b|\bgoes? along\b/i, 'who says what to whom'],
  [/(?<!\bthere )\b(?:is|are) none\b/i, '"does not count"'],
  [/^Of /, 'the subject first: "Three of the runs …"'],
  [
    /^(?:\w+ed(?: inside| again| here| out)?|New|Not \w+(?: \w+)?) (?:is|are) /,
    'the subject first: "The guard covers …"',
  ],
];

/** What a native reader stumbles over in a page, each with what to write. */
export function riddlesOf(page: string): string[] {
  return sentencesOf(page).flatMap(({ text }) =>
    riddles.flatMap(([kind, write]) => (kind.test(text) ? [`${text} – write ${write}`] : [])),
  );
}

/** The sentences of a page: without its code, tables, headings and addresses; an entry of a list is read by itself. */
export function sentencesOf(page: string): Sentence[] {
  const prose = page
    .replace(/^```[^]*?^```$/gm, '')
    .replace(/<!--[^]*?-->/g, '')
    .replace(/^\s*[|#].*$/gm, '')
    .replace(/^\s*(?:[-*]|\d+\.) /gm, '\n')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/`[^`]*`/g, 'CODE');
  return prose.split(/\n\s*\n/).flatMap((paragraph) =>
    paragraph
      .replace(/\s+/g, ' ')
      .split(/(?<=[.!?])\s+|(?<=[:;])\s+(?=[A-Z["])/)
      .map((text) => ({ text, words: text.match(/[\w'’-]+/g)?.length ?? 0 }))
      .filter(({ words }) => words > 2),
  );
}

/** How long the sentences of these pages are on average. */
export function meanOf(texts: readonly string[]): number {
  const lengths = texts.flatMap(sentencesOf).map(({ words }) => words);
  return lengths.reduce((sum, words) => sum + words, 0) / lengths.length;
}

/** Words of a page: what has a letter or a digit in it. */
export function wordsOf(page: string): number {
  return page.split(/\s+/).filter((word) => /\w/.test(word)).length;
}
