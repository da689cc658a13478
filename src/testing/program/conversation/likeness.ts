/**
 * Whether a text says nothing but what others of its kind say. What is another one each time – a clock, a counter, an id – is not known by
 * how it looks: it is what differs between texts that are known to say the same.
 *
 * Prior art: the templates that log parsers make of lines (Drain, Spell).
 *
 * @module
 */

/** Words and numbers, a fraction or a time of day as one, each sign by itself, and where a line ends. */
const tokensOf = (text: string): readonly string[] =>
  text
    .trim()
    .replace(/\s*\n\s*/g, '\n')
    .match(/[\p{L}\p{N}]*\p{N}(?:[.:]\p{N}+)+\p{L}*|[\p{L}\p{N}]+|\n|[^\s\p{L}\p{N}]/gu) ?? [];

/** Longer texts are known word for word only: to align them would take too long. */
const LONGEST = 1000;

/** Where two texts differ. */
interface Gap {
  /** What one of them has, where the other has nothing: that may be there or not. */
  readonly optional: readonly string[];
  /** Else anything of that length may be there. */
  readonly least: number;
  readonly most: number;
  /** A single word begins and ends as those that were seen: `done1` and `done2` are no `halted3`. */
  readonly begins: string;
  readonly ends: string;
  /** Where there were numbers there is one. */
  readonly hasNumber: boolean;
}

/** What two texts have in common. */
type Pattern = readonly (string | Gap)[];

/** With its unit, as `7ms`; an id is none, for another one may have no digits by chance. */
const hasNumber = (words: readonly string[]): boolean => words.some((word) => /^[\p{N}.:]+\p{L}{0,2}$/u.test(word));

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
  const optional = least === 0 ? [...one, ...other] : [];
  return { optional, least, most, begins, ends, hasNumber: hasNumber(one) && hasNumber(other) };
}

function fits(words: readonly string[], { begins, ends, hasNumber: wantsNumber }: Gap): boolean {
  if (wantsNumber && !hasNumber(words)) return false;
  if (begins + ends === '') return true;
  const [word = ''] = words;
  return word.length >= begins.length + ends.length && word.startsWith(begins) && word.endsWith(ends);
}

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

/** What two texts have in common, in its order, and gaps where they differ. */
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

/** Where a text goes on behind one part of a pattern, from one place. */
function ahead(text: readonly string[], from: number, part: string | Gap): readonly number[] {
  if (typeof part === 'string') return text[from] === part ? [from + 1] : [];
  const { optional, least, most } = part;
  if (optional.length > 0)
    return optional.every((token, n) => text[from + n] === token) ? [from, from + optional.length] : [from];
  const lengths = Array.from({ length: most - least + 1 }, (_, n) => least + n);
  return lengths
    .filter((length) => from + length <= text.length && fits(text.slice(from, from + length), part))
    .map((length) => from + length);
}

/** Whether a text is one of a pattern: which places of it can be reached, part by part. */
function matches(text: readonly string[], pattern: Pattern): boolean {
  let reached = new Set([0]);
  for (const part of pattern) reached = new Set([...reached].flatMap((from) => ahead(text, from, part)));
  return reached.has(text.length);
}

/**
 * Learns from texts that say the same.
 *
 * @returns Whether another text says nothing else, and no less: but for what differs between them.
 */
export function learnLikeness(texts: readonly string[]): (text: string) => boolean {
  const [first, ...others] = texts.map(tokensOf);
  if (first === undefined) return () => false;
  const isShort = (tokens: readonly string[]): boolean => tokens.length <= LONGEST;
  const patterns = others.flatMap((other): readonly Pattern[] =>
    isShort(first) && isShort(other) ? [patternOf(first, other)] : [first, other],
  );
  const known = patterns.length === 0 ? [first] : patterns;
  return (text) => known.some((pattern) => matches(tokensOf(text), pattern));
}
