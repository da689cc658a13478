/**
 * What the next request tells the model of a stop: whether a call that was stopped is told as one that was finished, and the words.
 *
 * @module
 */
import type { HistoryItem } from '../../model-server/reading/history.ts';

/** Words that no result of a finished command has; whoever stops a call uses one of them, or marks the result as an error. */
const stopWords =
  /abort|cancel|interrupt|stopp|skipp|halt|killed|terminat|\bsig(?:int|term|kill)\b|cut off|not (?:run|started|finished|complete|executed)|unfinished|incomplete|prematur|declin|denied|rejected|timed out|error|fail|\^C|ended (?:early )?by the user|cut short|(?:pressed|hit) esc|(?:did not|not allowed to) finish|(?:exit(?:ed)?|return)[ _-]?(?:with )?(?:code|status)["':= ]*(?!0\b)-?\d/i;

/** How a command ended, as a number that is none of a good end; elsewhere than in a result it may be the number of anything. */
const codes =
  /(?:signal|exit(?:ed)?|return(?:ed)?|code|status)\b[ _-]?(?:with )?(?:code|status)?["':= ]*-?[1-9]|returncode ?-?[1-9]/i;

/** What is said of a good end: a number, and words where nothing takes them back. */
const goodCodes = /(?:code|status|exit)["':= ]*0\b/i;
const finishWords = /complet|finish|success|succeed|done\b|\bok\b/i;
const takenBack =
  /<[\w-]+>\s*(?:false|no|none|null)\s*<\/[\w-]+>|\b[\w-]+["']?[ \t]*[:=][ \t]*["']?(?:false|no|none|null)\b/gi;
const saysFinished = (text: string): boolean => goodCodes.test(text) || finishWords.test(text.replace(takenBack, ' '));

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
  /** Whether the result of a stopped call speaks of a finished one, and no words behind it correct that. */
  readonly isFalse: boolean;
  /** What is said of a stopped call in words that are neither those of a stop nor those of a good end. */
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

/** The same of the numbers alone; nought is a good end, and no other number is like it. What stands at one, as in `130,yes`, is a word. */
const withoutDigits = (text: string): string =>
  text.replace(/\d[\d.]*/g, (number) => (Number(number) === 0 ? '0' : '#'));

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
  const linesIn = (items: readonly HistoryItem[]): readonly string[] =>
    items.flatMap(({ text }) => linesOf(text, said));
  const around = aroundPrompt(earlier, mark).filter(({ kind }) => kind !== 'result');
  const known = new Set(linesIn(around).map(withoutNumbers));
  const before = turnOf(earlier, mark);
  const finished = new Set(linesIn(before.filter(({ kind }) => kind === 'result')).map(withoutDigits));
  const turn = turnOf(history, mark);
  const isOfFinished = ({ text, kind }: HistoryItem): boolean =>
    kind === 'result' && linesOf(text, said).every((one) => finished.has(withoutDigits(one)));
  const isOfStop = (one: string, kind: HistoryItem['kind']): boolean =>
    stopWords.test(one.replace(denials, ' ')) || (kind === 'result' && codes.test(one));
  const speaks = (item: HistoryItem): boolean =>
    item.isError ||
    (item.kind !== 'call' &&
      item.kind !== 'thinking' &&
      !isOfFinished(item) &&
      linesOf(item.text, said).some((one) => !known.has(withoutNumbers(one)) && isOfStop(one, item.kind)));
  // What one call says of itself corrects no other one.
  const isCorrected = (result: HistoryItem): boolean =>
    turn.slice(turn.indexOf(result) + 1).some((item) => item.kind !== 'result' && speaks(item));
  const first = before.filter(({ kind }) => kind === 'call').length;
  const results = resultsOf(turn, first, first + stopped);
  const silent = results.filter((result) => !speaks(result) && !isCorrected(result));
  // Of a program that was not seen to finish one it is not known how it would say that.
  const isUnclear = (result: HistoryItem): boolean =>
    finished.size > 0 && result.text.trim() !== '' && !isOfFinished(result) && !saysFinished(result.text);
  return {
    isKept: turn.length > 0,
    isFalse: !silent.every(isUnclear),
    unclear: silent.find(isUnclear)?.text,
    isTold: turn.some(speaks),
    words: turn.map(line),
  };
}
