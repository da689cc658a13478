/**
 * Whether a text says nothing but what others of its kind say. What is another one each time – a clock, a counter, an id – is not known by
 * how it looks: it is what differs between texts that are known to say the same.
 *
 * Prior art: the templates that log parsers make of lines (Drain, Spell).
 *
 * @module
 */

/** Words and numbers, a fraction or a time of day as one, and each sign by itself. */
const tokensOf = (line: string): readonly string[] =>
  line.match(/[\p{L}\p{N}]*\p{N}(?:[.:]\p{N}+)+\p{L}*|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [];

/** Longer lines are known word for word only: to align them would take too long. */
const LONGEST = 400;

/** Room for so many tokens. A single one begins and ends as those that were seen there: `done1` and `done2` are no `halted3`. */
interface Gap {
  readonly least: number;
  readonly most: number;
  readonly begins: string;
  readonly ends: string;
}

/** So many letters two words begin, or end, with; a single one may be the same by chance. */
function commonLetters(one: string, other: string, from: 'begin' | 'end'): number {
  const letter = (word: string, n: number): string | undefined => word.at(from === 'begin' ? n : -1 - n);
  let length = 0;
  while (/^\p{L}$/u.test(letter(one, length) ?? '') && letter(one, length) === letter(other, length)) length++;
  return length > 1 ? length : 0;
}

function gapOf(one: readonly string[], other: readonly string[]): Gap {
  const [least, most] = [Math.min(one.length, other.length), Math.max(one.length, other.length)];
  const [seen = '', also = ''] = most === 1 && least === 1 ? [...one, ...other] : [];
  const begins = seen.slice(0, commonLetters(seen, also, 'begin'));
  const rest = seen.slice(begins.length);
  const ends = rest.slice(rest.length - commonLetters(rest, also.slice(begins.length), 'end'));
  return { least, most, begins, ends };
}

const fits = (word: string | undefined, { begins, ends }: Gap): boolean =>
  begins + ends === '' ||
  (word !== undefined && word.length >= begins.length + ends.length && word.startsWith(begins) && word.endsWith(ends));

/** A line that has been seen. */
type Pattern = readonly (string | Gap)[];

/** The length of what two lists have in common from two places on. */
function commonLengths(one: readonly string[], other: readonly string[]): (i: number, j: number) => number {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      lengths[i * width + j] = one[i] === other[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  return at;
}

/** What two lines have in common, in their order, and gaps where they differ. */
function patternOf(one: readonly string[], other: readonly string[]): Pattern {
  const common = commonLengths(one, other);
  const pattern: (string | Gap)[] = [];
  let [i, j, fromI, fromJ] = [0, 0, 0, 0];
  const closeGap = (): void => {
    if (i > fromI || j > fromJ) pattern.push(gapOf(one.slice(fromI, i), other.slice(fromJ, j)));
  };
  for (;;) {
    const token = one[i];
    if (token === undefined || j >= other.length) break;
    if (token === other[j]) {
      closeGap();
      pattern.push(token);
      [fromI, fromJ] = [++i, ++j];
    } else if (common(i + 1, j) >= common(i, j + 1)) i++;
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
      } else if (fits(line[at], part)) {
        for (let n = part.least; n <= part.most && at + n <= line.length; n++) next.add(at + n);
      }
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
