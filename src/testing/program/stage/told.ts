/**
 * What the next request tells the model of a stop: whether a call that was stopped is told as one that was finished, and the words.
 *
 * @module
 */
import type { HistoryItem } from '../../model-server/reading/history.ts';
import { learnLikeness } from './likeness.ts';

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
   * Whether a stopped call has a result that says nothing but what those of finished ones say, and nothing new is said behind it; `undefined`
   * if no call was seen to finish, or none of the stopped ones is there.
   */
  readonly isFalse: boolean | undefined;
  /** What is said of a stopped call instead, where none of it is known as words of a stop. */
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

/** Its lines without what others have said. */
function linesOf(text: string, said: readonly string[]): readonly string[] {
  const rest = said.reduce((left, words) => left.replaceAll(words, '\n'), text);
  return rest.split('\n').map((one) => one.trim());
}

const isResult = ({ kind }: HistoryItem): boolean => kind === 'result';
const isOfSystem = ({ role }: HistoryItem): boolean => role === 'system';
const isNote = ({ kind }: HistoryItem): boolean => kind === 'text';

/** The results of some calls of a turn: by their ids, and in their order where the protocol has none. */
function resultsOf(turn: readonly HistoryItem[], from: number, to: number): readonly HistoryItem[] {
  const ids = turn.filter(({ kind }) => kind === 'call').map(({ callId }) => callId);
  const chosen = new Set(ids.slice(from, to));
  const results = turn.filter(isResult);
  return results.filter(({ callId }, index) =>
    callId === undefined ? index >= from && index < to : chosen.has(callId),
  );
}

/** Where the person's words begin; a program may say them again later, to remind the model. */
const placeOf = (history: readonly HistoryItem[], mark: string): number =>
  history.findIndex(({ role, text }) => role === 'user' && text.includes(mark));

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
 * @param earlier The history of a request before the stop. Its calls were not stopped: a result that says nothing but what theirs say is that
 * of a finished one, in any language, and what is said beside them there is no word of the stop.
 * @param said What the person and the model have said: no words of the program's.
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
  const commands = commandsIn(turn);
  const plain = ({ text }: HistoryItem): string => commands.reduce((rest, one) => rest.replaceAll(one, ''), text);
  const finished = before.filter(isResult);
  const saysFinished = learnLikeness(finished.map(plain));
  const isOfFinished = (item: HistoryItem): boolean =>
    finished.length > 0 && isResult(item) && saysFinished(plain(item));
  // Where finished calls have it as well, it says nothing.
  const isMarked = ({ isError }: HistoryItem): boolean => isError && !finished.some((one) => one.isError);

  const around = [...aroundPrompt(earlier, mark), ...before, ...earlier.filter(isOfSystem)].filter(
    (item) => !isResult(item),
  );
  const known = new Set(around.flatMap(({ text }) => linesOf(text, said)).map(withoutNumbers));
  const newIn = ({ text }: HistoryItem): readonly string[] =>
    linesOf(text, said).filter((one) => one !== '' && !known.has(withoutNumbers(one)));
  const speaks = (item: HistoryItem): boolean =>
    isMarked(item) ||
    (item.kind !== 'call' &&
      item.kind !== 'thinking' &&
      !isOfFinished(item) &&
      newIn(item).some((one) => stopWords.test(one.replace(denials, ' '))));
  // What one call says of itself corrects no other one.
  const behind = (result: HistoryItem): readonly HistoryItem[] => [
    ...turn.slice(turn.indexOf(result) + 1).filter(isNote),
    ...(earlier.length === 0 ? [] : history.filter(isOfSystem)),
  ];
  const first = before.filter(({ kind }) => kind === 'call').length;
  const results = resultsOf(turn, first, first + stopped);
  const silent = results.filter((result) => !speaks(result) && !behind(result).some(speaks));
  /** What is said of it that a finished one does not say. */
  const saidOf = (result: HistoryItem): string =>
    [
      isOfFinished(result) ? '' : result.text,
      ...turn
        .slice(turn.indexOf(result) + 1)
        .filter(isNote)
        .flatMap(newIn),
    ]
      .join('\n')
      .trim();
  return {
    isKept: turn.length > 0,
    isFalse:
      finished.length === 0 || results.length === 0
        ? undefined
        : silent.some((result) => isOfFinished(result) && saidOf(result) === ''),
    unclear: silent.map(saidOf).find((words) => words !== ''),
    isTold: turn.some(speaks) || history.filter(isOfSystem).some(speaks),
    words: turn.map(line),
  };
}
