/**
 * How long the sentences of a page are, and how many words it has.
 *
 * @module
 */

/** A sentence, and its words; code counts as one. */
export interface Sentence {
  readonly words: number;
  readonly text: string;
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

/** Words of a page: what has a letter or a digit in it. */
export function wordsOf(page: string): number {
  return page.split(/\s+/).filter((word) => /\w/.test(word)).length;
}
