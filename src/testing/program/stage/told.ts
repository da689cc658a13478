/**
 * What the next request tells the model of a stop: whether a call that was stopped is told as one that was finished, and the words.
 *
 * @module
 */
import type { HistoryItem } from '../../model-server/reading/history.ts';

/** Words that no result of a finished command has; whoever stops a call uses one of them, or marks the result as an error. */
const stopWords =
  /abort|cancel|interrupt|stopp|killed|terminat|\bsig(?:int|term|kill)\b|cut off|not (?:run|started|finished|complete|executed)|unfinished|incomplete|denied|rejected|timed out|error|fail|exit code:? ?(?!0\b)\d/i;

/** What was told. */
export interface Told {
  /** Whether the conversation of before is there at all. */
  readonly isKept: boolean;
  /** Whether a result speaks of a finished call, and nothing behind it corrects that. */
  readonly isFalse: boolean;
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

/**
 * Reads the history of the request after a stop.
 *
 * @param history All of it.
 * @param mark A word of the prompt whose turn was stopped.
 */
export function toldOf(history: readonly HistoryItem[], mark: string): Told {
  const at = history.map(({ role, text }) => role === 'user' && text.includes(mark)).lastIndexOf(true);
  const turn = at === -1 ? [] : history.slice(at);
  const results = turn.filter(({ kind }) => kind === 'result');
  const speaks = ({ text, isError, kind }: HistoryItem): boolean =>
    isError || (kind !== 'call' && kind !== 'thinking' && stopWords.test(text));
  const isTold = turn.some(speaks);
  return { isKept: at !== -1, isFalse: results.length > 0 && !isTold, isTold, words: turn.map(line) };
}
