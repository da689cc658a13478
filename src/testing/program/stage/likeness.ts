/**
 * Whether a text says nothing but what others of its kind say. What is another one each time – a clock, a counter, an id – is not known by
 * how it looks: it is what differs between texts that are known to say the same.
 *
 * Prior art: the templates that log parsers make of lines (Drain, Spell).
 *
 * @module
 */

/** Words and numbers, a time of day as one, and each sign by itself. */
const tokensOf = (line: string): readonly string[] =>
  line.match(/[\p{L}\p{N}]*\d(?::\d+)+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [];

/** Longer lines are known word for word only: to align them would take too long. */
const LONGEST = 400;

/** A line that has been seen, with room for so many tokens in each of its gaps. */
type Pattern = readonly (string | { readonly least: number; readonly most: number })[];

/** The lengths of what two lists have in common from each place on. */
function commonLengths(one: readonly string[], other: readonly string[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: one.length + 1 }, () => Array<number>(other.length + 1).fill(0));
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      lengths[i]![j] =
        one[i] === other[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  return lengths;
}

/** What two lines have in common, in their order, and gaps where they differ. */
function patternOf(one: readonly string[], other: readonly string[]): Pattern {
  const lengths = commonLengths(one, other);
  const pattern: (string | { least: number; most: number })[] = [];
  let [i, j, fromI, fromJ] = [0, 0, 0, 0];
  const closeGap = (): void => {
    const [least = 0, most = 0] = [i - fromI, j - fromJ].sort((a, b) => a - b);
    if (most > 0) pattern.push({ least, most });
  };
  while (i < one.length && j < other.length) {
    if (one[i] === other[j]) {
      closeGap();
      pattern.push(one[i]!);
      [fromI, fromJ] = [++i, ++j];
    } else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i++;
    else j++;
  }
  [i, j] = [one.length, other.length];
  closeGap();
  return pattern;
}

/** Whether a line is one of a pattern: which places of it can be reached, token by token. */
function matches(line: readonly string[], pattern: Pattern): boolean {
  let reached = new Set([0]);
  for (const part of pattern) {
    const next = new Set<number>();
    for (const at of reached) {
      if (typeof part === 'string') {
        if (line[at] === part) next.add(at + 1);
      } else for (let n = part.least; n <= part.most && at + n <= line.length; n++) next.add(at + n);
    }
    reached = next;
  }
  return reached.has(line.length);
}

const linesOf = (text: string): readonly (readonly string[])[] => {
  const lines = text.split('\n').flatMap((line) => {
    const tokens = tokensOf(line);
    return tokens.length === 0 ? [] : [tokens];
  });
  return lines.length === 0 ? [[]] : lines;
};

/**
 * Learns from texts that say the same.
 *
 * @returns Whether another text says nothing else: each of its lines is one of theirs, but for what differs between them.
 */
export function learnLikeness(texts: readonly string[]): (text: string) => boolean {
  const known: Pattern[] = [];
  const [first, ...others] = texts.map(linesOf);
  for (const lines of others) {
    // Lines that one of them has more cannot be aligned: all of them are known word for word.
    if (lines.length !== first?.length) known.push(...lines);
    else
      for (const [at, line] of lines.entries()) {
        const seen = first[at] ?? [];
        if (line.length <= LONGEST && seen.length <= LONGEST) known.push(patternOf(seen, line));
        else known.push(seen, line);
      }
  }
  if (known.length === 0 || others.some(({ length }) => length !== first?.length)) known.push(...(first ?? []));
  return (text) => linesOf(text).every((line) => known.some((pattern) => matches(line, pattern)));
}
