/**
 * What the next request tells the model of a stop: whether a call that was stopped is told as one that was finished, and the words.
 *
 * @module
 */
import type { HistoryItem } from '../../model-server/reading/history.ts';

/** Words of a stop, in whatever is said to the model; that a result is marked as an error is one as well. */
const stopWords =
  /abort|cancel|interrupt|stopp|skipp|halt|killed|terminat|\bsig(?:int|term|kill)\b|cut off|not (?:run|started|finished|complete|executed)|unfinished|incomplete|prematur|declin|denied|rejected|timed out|error|fail|\^C|ended (?:early )?by the user|cut short|(?:pressed|hit) esc|(?:did not|not allowed to) finish|(?:exit(?:ed)?|return(?:ed)?)[ _-]?(?:with )?(?:code|status)["':= ]*(?!0\b)-?\d/i;

const stem = '(?:abort|cancel|interrupt|stopp|skipp|halt|kill|terminat|signal|timed|error|fail)';
const quote = `(?:\\\\?["'])?`;
const nothing = `[\\\\"'([{]{0,3}(?:false|null|none|nil|undefined|empty|no|off|n/a|0)?[\\\\"')\\]}]{0,3}`;
const acts = '(?:abort|cancel|interrupt|stop|skip|halt|kill|terminate)';

/** What says that there was none, or that there could be one. */
const denials = new RegExp(
  [
    // A field that is false or empty, or a count of nothing: in JSON, in Python, as `name=value`, as an element, in a table.
    `${quote}\\b[\\w-]*${stem}[\\w -]*${quote}[ \\t]*[:=][ \\t]*${nothing}(?=[ \\t]*(?:[,;}\\]\\n]|$)|[ \\t]+[\\w-]+[:=])`,
    `<[\\w-]*${stem}[\\w-]*>\\s*${nothing}\\s*</[\\w-]*>`,
    `\\|[ \\t]*[\\w -]*${stem}[\\w -]*\\|[ \\t]*${nothing}[ \\t]*\\|`,
    `\\b(?:no|without(?: being)?|0|not|never) (?:errors?|fail\\w*|interrupt\\w*|cancel\\w*|abort\\w*|skipped|killed|stopped|terminated)\\b`,
    `\\bun(?:interrupt|cancel|abort|stopp|skipp)\\w*`,
    // What a person may do is not what they did.
    `\\b(?:can|could|may|might) (?:\\w+ )?${acts}`,
    `\\b(?:press|hit|use|type)\\b[^.\\n]{0,20}? to ${acts}`,
  ].join('|'),
  'gi',
);

/** What was told. */
export interface Told {
  /** Whether the conversation of before is there at all. */
  readonly isKept: boolean;
  /**
   * Whether a stopped call has a result that says nothing but what that of a finished one says, is not marked as an error, and no words
   * behind it correct that; `undefined` if no call was seen to finish.
   */
  readonly isFalse: boolean | undefined;
  /** What is said of a stopped call in other words, none of which is known as one of a stop. */
  readonly unclear: string | undefined;
  /** Whether anything says that there was a stop. */
  readonly isTold: boolean;
  /** The items from the prompt on, each in a line. */
  readonly words: readonly string[];
}

function line({ role, kind, text, isError }: HistoryItem): string {
  const words = text.replace(/\s+/g, ' ').trim();
  const short = words.length > 160 ? `${words.slice(0, 80)} … ${words.slice(-70)}` : words;
  return `${role} ${kind}${isError ? ' (an error)' : ''}: ${short}`;
}

/** A text without its numbers, which are a clock's, a counter's or an id's: with others it says the same. */
export const withoutNumbers = (text: string): string => text.replace(/\S*\d\S*/g, '#');

/** Letters between digits: a hash, an id, a date. */
const isId = (word: string): boolean => /\d[A-Za-z_-]+\d/.test(word);

/**
 * The lines of a result as they are compared: what is another one each time – ids, clocks, counters – is left out, and so is the command,
 * which is known to be another. A whole nought is how a good end is told, so that no other number is like it.
 */
function comparable(text: string, commands: readonly string[]): readonly string[] {
  const lines = commands
    .reduce((rest, command) => rest.replaceAll(command, ''), text)
    .replace(/[\w-]{8,}/g, (word) => (isId(word) ? '#' : word))
    .replace(/\d+(?:[.:]\d+)*/g, (number) => (/^0+$/.test(number) ? '0' : '#'))
    .split('\n')
    .map((one) => one.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
  return lines.length === 0 ? [''] : lines;
}

/** A text of an input that is long enough to be found again in a result. */
const LEAF = 8;

/** The texts in the inputs of calls, also as JSON has them. */
function commandsIn(items: readonly HistoryItem[]): readonly string[] {
  const leaves: string[] = [];
  const keep = (_key: string, value: unknown): unknown => {
    if (typeof value === 'string' && value.length >= LEAF) leaves.push(JSON.stringify(value).slice(1, -1), value);
    return value;
  };
  for (const { kind, text } of items) {
    if (kind !== 'call') continue;
    try {
      JSON.parse(text, keep);
    } catch {
      leaves.push(text); // an input that is no JSON
    }
  }
  return leaves.sort((one, other) => other.length - one.length);
}

/** Its lines without what the person has said. */
function linesOf(text: string, said: readonly string[]): readonly string[] {
  const rest = said.reduce((left, words) => left.replaceAll(words, '\n'), text);
  return rest.split('\n').map((one) => one.trim());
}

/** The results of some calls of a turn: by their ids, and in their order where the protocol has none. */
function resultsOf(turn: readonly HistoryItem[], from: number, to: number): readonly HistoryItem[] {
  const ids = turn.filter(({ kind }) => kind === 'call').map(({ callId }) => callId);
  const chosen = new Set(ids.slice(from, to));
  const results = turn.filter(({ kind }) => kind === 'result');
  return results.filter(({ callId }, index) =>
    callId === undefined ? index >= from && index < to : chosen.has(callId),
  );
}

/** Where the person's words begin. */
const placeOf = (history: readonly HistoryItem[], mark: string): number =>
  history.map(({ role, text }) => role === 'user' && text.includes(mark)).lastIndexOf(true);

/** What has been said since. */
function turnOf(history: readonly HistoryItem[], mark: string): readonly HistoryItem[] {
  const at = placeOf(history, mark);
  return at === -1 ? [] : history.slice(at);
}

/** The prompt with what stands around it. What stands before that was said in another turn, which may have been stopped as well. */
function aroundPrompt(history: readonly HistoryItem[], mark: string): readonly HistoryItem[] {
  const before = history.slice(0, Math.max(0, placeOf(history, mark)));
  return history.slice(before.map(({ role }) => role === 'assistant').lastIndexOf(true) + 1);
}

/**
 * Reads the history of the request after a stop.
 *
 * @param history All of it.
 * @param mark Words of the prompt whose turn was stopped.
 * @param earlier The history of a request before the stop: what is said in the same words around the prompt there is no word of the
 * stop; its calls were not stopped, and a result in the very words of theirs is that of a finished one, in any language.
 * @param said What the person has said.
 * @param stopped How many calls of the turn were stopped, the first ones behind those; by default all.
 */
export function toldOf(
  history: readonly HistoryItem[],
  mark: string,
  earlier: readonly HistoryItem[] = [],
  said: readonly string[] = [],
  stopped: number = Infinity,
): Told {
  const turn = turnOf(history, mark);
  const before = turnOf(earlier, mark);
  const isResult = ({ kind }: HistoryItem): boolean => kind === 'result';
  const around = aroundPrompt(earlier, mark).filter((item) => !isResult(item));
  const known = new Set(around.flatMap(({ text }) => linesOf(text, said)).map(withoutNumbers));
  const commands = commandsIn(turn);
  const finished = new Set(before.filter(isResult).flatMap(({ text }) => comparable(text, commands)));
  const isOfFinished = (item: HistoryItem): boolean =>
    isResult(item) && comparable(item.text, commands).every((one) => finished.has(one));
  const speaks = (item: HistoryItem): boolean =>
    item.isError ||
    (item.kind !== 'call' &&
      item.kind !== 'thinking' &&
      !isOfFinished(item) &&
      linesOf(item.text, said).some(
        (one) => !known.has(withoutNumbers(one)) && stopWords.test(one.replace(denials, ' ')),
      ));
  // What one call says of itself corrects no other one.
  const isCorrected = (result: HistoryItem): boolean =>
    turn.slice(turn.indexOf(result) + 1).some((item) => !isResult(item) && speaks(item));
  const first = before.filter(({ kind }) => kind === 'call').length;
  const silent = resultsOf(turn, first, first + stopped).filter((result) => !speaks(result) && !isCorrected(result));
  return {
    isKept: turn.length > 0,
    isFalse: finished.size === 0 ? undefined : silent.some(isOfFinished),
    unclear: silent.find((result) => !isOfFinished(result) && result.text.trim() !== '')?.text,
    isTold: turn.some(speaks),
    words: turn.map(line),
  };
}
