/**
 * What is known of a program that has been asked one thing: how it asks in its conversation, and what it asks beside it.
 *
 * @module
 */
import { historyOf } from '../../model-server/reading/history.ts';
import { toolNamesOf } from '../../model-server/reading/main-requests.ts';
import type { ModelRequest } from '../../model-server/request-record.ts';
import { asksForJSON } from './small-reply.ts';
import { linesOf, withoutNumbers } from './told.ts';

/** See the module. */
export interface Acquaintance {
  /** A request of its conversation. */
  readonly request: ModelRequest;
  /** The tools that its conversation declares, by name. */
  readonly tools: readonly string[];
  /** Whether it has ended with the answer, as it should: it takes no other prompt. */
  readonly endsWithAnswer?: boolean | undefined;
  /** Whether its conversation wants JSON for an answer. */
  readonly wantsJSON: boolean;
  /** The program's own words in a request of its conversation, line by line. */
  readonly words: ReadonlySet<string>;
  /** And in each other one, without those. */
  readonly beside: readonly ReadonlySet<string>[];
}

const linesIn = (texts: readonly string[], said: readonly string[]): readonly string[] =>
  texts
    .flatMap((text) => linesOf(text, said))
    .map(withoutNumbers)
    .filter((line) => /\p{L}/u.test(line));

/** What a request is instructed with. */
export const instructionsOf = (request: ModelRequest): readonly string[] =>
  linesIn(
    historyOf(request).flatMap(({ role, text }) => (role === 'system' ? [text] : [])),
    [],
  );

/** The words of a program's own in a request: its instructions, and what stands around what was said last. */
export function ownWordsOf(request: ModelRequest, said: readonly string[]): ReadonlySet<string> {
  const last = historyOf(request)
    .filter(({ role }) => role === 'user')
    .at(-1);
  return new Set([...instructionsOf(request), ...linesIn(last === undefined ? [] : [last.text], said)]);
}

const wordsIn = (lines: Iterable<string>): ReadonlySet<string> =>
  new Set([...lines].flatMap((line) => line.toLowerCase().match(/\p{L}+/gu) ?? []));

/** Whether a request has other instructions than the conversation: no line of them, and most of the words are others. */
export function isInstructedOtherwise(request: ModelRequest, { words }: Acquaintance): boolean {
  const own = instructionsOf(request);
  if (own.length === 0 || own.some((line) => words.has(line))) return false;
  const [mine, known] = [wordsIn(own), wordsIn(words)];
  const common = [...mine].filter((word) => known.has(word)).length;
  return common * 2 < mine.size + known.size - common;
}

/** Whether a request says what one beside the conversation has said. */
export function isKnownBeside(request: ModelRequest, { beside }: Acquaintance, said: readonly string[]): boolean {
  const own = ownWordsOf(request, said);
  return beside.some((lines) => lines.size > 0 && [...lines].every((line) => own.has(line)));
}

/**
 * Gets to know a program by its requests. That of its conversation is the one whose answer a person sees; of equal ones the one with most
 * tools, then one that streams, then the first.
 *
 * @param requests All that say what was said.
 * @param said What the person and the model have said.
 * @param isSeen Whether a person sees the answer.
 */
export function acquaint(
  requests: readonly ModelRequest[],
  said: readonly string[],
  isSeen: (request: ModelRequest) => boolean,
): Acquaintance | undefined {
  const signs = [isSeen, (one: ModelRequest) => toolNamesOf(one).length, ({ stream }: ModelRequest) => stream];
  const compare = (one: ModelRequest, other: ModelRequest): number =>
    signs.map((sign) => Number(sign(other)) - Number(sign(one))).find((difference) => difference !== 0) ?? 0;
  const [request, ...others] = [...requests].sort(compare);
  if (request === undefined) return undefined;
  const words = ownWordsOf(request, said);
  return {
    request,
    tools: toolNamesOf(request),
    wantsJSON: asksForJSON(request),
    words,
    beside: others.map((other) => new Set([...ownWordsOf(other, said)].filter((line) => !words.has(line)))),
  };
}
