/**
 * What the next request tells the model of a stop: whether a call that was stopped is told as one that was finished, and the words.
 *
 * @module
 */
import type { HistoryItem } from '../../model-server/reading/history.ts';
import { callIn, resultIn, type GivenCall } from './handed-out.ts';
import { learnLikeness } from './likeness.ts';

/** What says of a call that it has not come to its end. */
const undone =
  /(?:\bnot|n['’]t) (?:be |been )?(?:run|started|finished|completed?|executed)\b|\b(?:did not|didn['’]t|not allowed to) (?:finish|complete)\b/i;

/** Words of a stop, in whatever is said to the model; that a result is marked as an error is one as well. */
const ended =
  /abort|cancel|interrupt|stopp|skipp|halt|killed|terminat|\bsig(?:int|term|kill)\b|cut off|unfinished|incomplete|prematur|declin|denied|rejected|timed out|error|fail|\^C|ended (?:early )?by the user|cut short|(?:pressed|hit) esc|(?:exit(?:ed)?|return(?:ed)?)[ _-]?(?:with )?(?:code|status)["':= ]*(?!0\b)-?\d/i;

const stem = '(?:abort|cancel|interrupt|stopp|skipp|halt|kill|terminat|signal|timed|error|fail|unfinish|incomplet)';
const quote = `(?:\\\\?["'])?`;
const nothing = `[\\\\"'([{]{0,3}(?:false|null|none|nil|undefined|empty|no|off|n/a|0)?[\\\\"')\\]}]{0,3}`;
const acts = '(?:abort|cancel|interrupt|stop|skip|halt|kill|terminate)';
const negation = `(?:\\b(?:no|not|nothing|nobody|none|never|neither|nor|without|cannot)|n['’]t)\\b`;
/** Up to where a clause may end. */
const inClause = `(?:(?! - |\\b(?:because|since|as|when|after|before|but|and|so|until|by|due)\\b)[^.,;:!?()[\\]{}|\\n—–])`;

/** What says that there was none, or that there could be one: a word of a stop behind a “not”, in its clause, is none. */
const denials = new RegExp(
  [
    // A field that is false or empty, or a count of nothing: in JSON, in Python, as `name=value`, as an element, in a table.
    `${quote}\\b[\\w-]*${stem}[\\w -]*${quote}[ \\t]*[:=][ \\t]*${nothing}(?=[ \\t]*(?:[,;}\\]\\n]|$)|[ \\t]+[\\w-]+[:=])`,
    `<[\\w-]*${stem}[\\w-]*>\\s*${nothing}\\s*</[\\w-]*>`,
    `\\|[ \\t]*[\\w -]*${stem}[\\w -]*\\|[ \\t]*${nothing}[ \\t]*\\|`,
    `${negation}${inClause}{0,80}?${stem}\\w*`,
    `\\b(?:0 |un)${stem}\\w*`,
    // What a person may do is not what they did.
    `\\b(?:can|could|may|might) (?:\\w+ )?${acts}`,
    `\\b(?:press|hit|use|type)\\b[^.\\n]{0,20}? to ${acts}`,
  ].join('|'),
  'gi',
);

const saysStop = (line: string): boolean => undone.test(line) || ended.test(line.replace(denials, ' '));

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
  return leaves;
}

/** So many letters of a text are there in another one from a place on. */
function commonLength(text: string, at: number, words: string): number {
  let length = 0;
  while (length < words.length && text[at + length] === words[length]) length++;
  return length;
}

/** A text without what it quotes of inputs, as far as it goes on with one: many cut a long command short. */
function withoutQuotes(text: string, inputs: readonly string[]): string {
  let rest = '';
  for (let at = 0; at < text.length;) {
    const length = Math.max(0, ...inputs.map((words) => commonLength(text, at, words)));
    if (length < LEAF) rest += text[at] ?? '';
    at += length < LEAF ? 1 : length;
  }
  return rest;
}

/** Its lines without what others have said. */
export function linesOf(text: string, said: readonly string[]): readonly string[] {
  const rest = said.reduce((left, words) => left.replaceAll(words, '\n'), text);
  return rest.split('\n').map((one) => one.trim());
}

const isResult = ({ kind }: HistoryItem): boolean => kind === 'result';
const isOfSystem = ({ role }: HistoryItem): boolean => role === 'system';
const isNote = ({ kind }: HistoryItem): boolean => kind === 'text';

/** A turn that was stopped. */
export interface StoppedTurn {
  /** Words of its prompt. */
  readonly prompt: string;
  /**
   * The histories of the requests before the stop. What they say beside the calls is no word of the stop, and a result in them is one of a call
   * that had finished: who says nothing else of a stopped one tells it as finished, in any language.
   */
  readonly earlier: readonly (readonly HistoryItem[])[];
  /** What the person and the model have said: no words of the program's. */
  readonly said: readonly string[];
  /** All calls that the model has handed out, and those of them that were stopped. */
  readonly calls: readonly GivenCall[];
  readonly stopped: readonly GivenCall[];
}

/**
 * Where the turn begins: at the person's words – a program may say them again later, to remind the model –, or at the first call of it, where a
 * program has left the prompt out.
 */
function beginOf(history: readonly HistoryItem[], { prompt, calls }: StoppedTurn): number {
  const at = history.findIndex(({ role, text }) => role === 'user' && text.includes(prompt));
  if (at !== -1) return at;
  const own = calls.flatMap((call) => [callIn(history, call) ?? [], resultIn(history, call) ?? []].flat());
  return history.findIndex((item) => own.includes(item));
}

/** What has been said since. */
function turnOf(history: readonly HistoryItem[], stop: StoppedTurn): readonly HistoryItem[] {
  const at = beginOf(history, stop);
  return at === -1 ? [] : history.slice(at);
}

/** What stands around a turn. What stands before that was said in another one, which may have been stopped as well. */
function aroundTurn(history: readonly HistoryItem[], stop: StoppedTurn): readonly HistoryItem[] {
  const before = history.slice(0, Math.max(0, beginOf(history, stop)));
  const last = before.map(({ role }) => role === 'assistant').lastIndexOf(true);
  return [...history.slice(last + 1), ...history.filter(isOfSystem)].filter((item) => !isResult(item));
}

/**
 * Reads the history of the request after a stop.
 *
 * @param history All of it.
 * @param stop What is known of the turn.
 */
export function toldOf(history: readonly HistoryItem[], stop: StoppedTurn): Told {
  const { earlier, said, stopped } = stop;
  const turn = turnOf(history, stop);
  const commands = commandsIn([...turn, ...earlier.flat()]);
  const plain = ({ text }: HistoryItem): string => withoutQuotes(text, commands);
  const others = stop.calls.filter((call) => !stopped.includes(call));
  const finished = others.flatMap((call) => earlier.flatMap((one) => resultIn(one, call) ?? []).slice(0, 1));
  const saysFinished = learnLikeness(finished.map(plain));
  const isOfFinished = (item: HistoryItem): boolean =>
    finished.length > 0 && isResult(item) && saysFinished(plain(item));
  // Where finished calls have it as well, it says nothing.
  const isMarked = ({ isError }: HistoryItem): boolean => isError && !finished.some((one) => one.isError);

  const around = earlier.flatMap((one) => aroundTurn(one, stop));
  const known = new Set(around.flatMap(({ text }) => linesOf(text, said)).map(withoutNumbers));
  const newIn = ({ text }: HistoryItem): readonly string[] =>
    linesOf(text, said).filter((one) => one !== '' && !known.has(withoutNumbers(one)));
  const speaks = (item: HistoryItem): boolean =>
    isMarked(item) ||
    (item.kind !== 'call' && item.kind !== 'thinking' && !isOfFinished(item) && newIn(item).some(saysStop));
  /** What one call says of itself corrects no other one. */
  const notesBehind = (result: HistoryItem): readonly HistoryItem[] =>
    turn.slice(turn.indexOf(result) + 1).filter(isNote);
  const instructions = earlier.length === 0 ? [] : history.filter(isOfSystem);
  const results = stopped.flatMap((call) => resultIn(turn, call) ?? []);
  const silent = results.filter((result) => ![result, ...notesBehind(result), ...instructions].some(speaks));
  /** What is said of it that a finished one does not say. */
  const saidOf = (result: HistoryItem): string =>
    [isOfFinished(result) ? '' : result.text, ...notesBehind(result).flatMap(newIn)].join('\n').trim();
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
