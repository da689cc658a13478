/**
 * What the model is told about work that did not complete: one short sentence per cause and outcome.
 *
 * Three promises hold in every cell, and the tests read the whole table for them:
 * - only a cancel by the user says that the user did it, and only that one tells the model not to retry;
 * - a call that ran, or may have run, is never called refused or not started;
 * - the text holds nothing that changes from run to run, so a provider's prompt cache survives.
 *
 * @module
 */
import type { CancelKind, ToolStatus } from '../from-core.ts';
import type { ReplyEnd } from '../../core/foundation/reply-end.ts';
import { requireFunction, requireOneOf, wrongType } from '../../core/foundation/check.ts';
import { isRecord } from '../reading/fields.ts';
import type { StandardCancelKind } from '../../core/foundation/cancel-kind.ts';
import { causeOf, causes, isKind } from './causes.ts';

/**
 * What there are words for: the outcomes of the tool ledger that have no result of their own, and six of the
 * transcript. `unrecorded` a call of the transcript about which nobody kept a record · `after-stop` it completed after it
 * had been told to stop · `over-limit` the model's reply reached its limit inside the call, whatever ended the turn ·
 * `half` it ended inside the call for another reason, such as a filter · `cut` the model's own reply ended before its end · `interrupted` the turn ended before its work was done.
 *
 * @since 0.1.0
 */
export type WordingOutcome =
  | Exclude<ToolStatus, 'completed' | 'failed'>
  | 'unrecorded'
  | 'after-stop'
  | 'over-limit'
  | 'half'
  | 'cut'
  | 'interrupted';

/**
 * What a wording function is told about one cell.
 *
 * @since 0.1.0
 */
export interface WordingCell {
  /** Why the work was stopped; `unknown` where nobody said. */
  readonly cause: CancelKind;
  /** What happened to it. */
  readonly outcome: WordingOutcome;
  /** The tool's name; left out for a cut reply and a cut turn. */
  readonly name?: string;
  /** Only this call was stopped, and the turn went on. */
  readonly alone?: true;
  /** The built-in text. */
  readonly text: string;
}

/**
 * Your words in place of ours: a function of the cell, or a table with only the cells you want to change. `undefined`
 * keeps ours.
 *
 * @since 0.1.0
 */
export type Wording =
  | ((cell: WordingCell) => string | undefined)
  | { readonly [K in StandardCancelKind]?: { readonly [O in WordingOutcome]?: string | undefined } | undefined };

/** `%` stands for the cause. */
const outcomes: Readonly<Record<WordingOutcome, string>> = {
  'not-started': 'This call was not started, so nothing happened: %.',
  stopped: 'This call was stopped part-way: %. What it had already done may remain.',
  skipped: 'This call was skipped, so nothing happened: %. It was not refused.',
  declined: 'The user declined this call, so it did not run. Do not repeat it unchanged.',
  unknown:
    'This call did not end when it was told to stop: %. ' +
    'It may still complete, or have completed: check before you repeat it.',
  detached: 'This call was sent to the background and goes on there; its result comes later. Do not repeat it.',
  unrecorded: 'No result was recorded for this call: %. It may have run: check before you repeat it.',
  'after-stop':
    'This call returned after it had been told to stop: %. ' +
    'What it returned says how far it came; what it did is real: do not repeat that.',
  'over-limit': 'This call was not started, so nothing happened: the reply reached its limit inside it.',
  half: 'This call was not started, so nothing happened: the reply ended inside it.',
  cut: '[This reply was cut off before its end: %.]',
  interrupted: '[This turn was interrupted before its work was done: %.]',
};

const directive = ' Do not retry it; wait for instructions.';
/** What follows in its place where the turn went on: nobody is to be waited for. */
const directiveAlone = ' Do not retry it unless you are asked to.';

/** The run goes on then. */
const unknownAlone = 'only this call was interrupted';

/** What states a fact and ends nothing: no instruction follows it. */
const statements: ReadonlySet<WordingOutcome> = new Set([
  'cut',
  'interrupted',
  'detached',
  'after-stop',
  'over-limit',
  'half',
]);

/** The cell of a call inside which its reply ended. */
export function halfBy(end: ReplyEnd | undefined): WordingOutcome {
  return end === 'limit' ? 'over-limit' : 'half';
}

/** What there are words for, in the order of the table. */
const wordingOutcomes = /* @__PURE__ */ Object.keys(outcomes) as readonly WordingOutcome[];
const wordingCauses = /* @__PURE__ */ Object.keys(causes) as readonly StandardCancelKind[];

function cell(cause: StandardCancelKind, outcome: WordingOutcome): string {
  const text = outcomes[outcome].replace('%', causes[cause]);
  // A mark stands in the model's own message: it states, it does not instruct.
  return cause === 'user' && !statements.has(outcome) ? text + directive : text;
}

/**
 * The built-in words, cause by outcome.
 *
 * @example What the model reads about a call that the user stopped before it ran
 * ```ts
 * import { wordingTable } from 'desist/transcript'
 *
 * wordingTable.user['not-started']
 * // => 'This call was not started, so nothing happened: the user cancelled. Do not retry it; wait for instructions.'
 * ```
 * @since 0.1.0
 */
export const wordingTable: Readonly<Record<StandardCancelKind, Readonly<Record<WordingOutcome, string>>>> =
  /* @__PURE__ */ tableOf(cell);

function tableOf(text: typeof cell): Readonly<Record<StandardCancelKind, Readonly<Record<WordingOutcome, string>>>> {
  const rowOf = (cause: StandardCancelKind): [string, object] => [
    cause,
    Object.freeze(Object.fromEntries(wordingOutcomes.map((outcome) => [outcome, text(cause, outcome)]))),
  ];
  return Object.freeze(Object.fromEntries(wordingCauses.map(rowOf))) as Record<
    StandardCancelKind,
    Record<WordingOutcome, string>
  >;
}

/** Looks up one cell, with somebody's own words laid over the table. */
export type Words = (cause: CancelKind, outcome: WordingOutcome, name?: string, isAlone?: boolean) => string;

/**
 * Lays a caller's words over the table.
 *
 * @throws TypeError – `wording` is neither a function nor a table of known causes and outcomes.
 * @throws TypeError – from the returned function: a cell's text is not a string, or is blank.
 */
export function createWords(wording: Wording | undefined): Words {
  if (typeof wording === 'function') requireFunction('wording', wording);
  else if (wording !== undefined) requireTable(wording);
  return (given, outcome, name, isAlone = false) => {
    // A ledger that another version of the package stored may name a kind that this one does not know.
    const cause = causeOf(given);
    const built = cell(cause, outcome);
    const text = isAlone ? built.replace(directive, directiveAlone).replace(causes.unknown, unknownAlone) : built;
    const own =
      typeof wording === 'function'
        ? wording({
            cause: isKind(given) ? given : 'unknown',
            outcome,
            text,
            ...(name === undefined ? {} : { name }),
            ...(isAlone ? { alone: true } : {}),
          })
        : wording?.[cause]?.[outcome];
    if (own === undefined) return text;
    // A provider refuses an error without a text: a blank cell would break what this door promises.
    if (typeof own !== 'string' || own.trim() === '') {
      throw wrongType(`wording for ${cause} and ${outcome}`, 'a text that is not blank', own);
    }
    // They may end a reply, and white space there is refused, or taken out by the next settling.
    return own.trimEnd();
  };
}

/** The built-in words. */
export const builtInWords: Words = /* @__PURE__ */ createWords(undefined);

function requireTable(wording: unknown): void {
  if (!isRecord(wording)) throw wrongType('wording', 'a function or a table', wording);
  for (const [cause, row] of Object.entries(wording)) {
    requireOneOf('a cause in wording', cause, wordingCauses);
    if (row === undefined) continue;
    if (!isRecord(row)) throw wrongType(`wording.${cause}`, 'a table of outcomes', row);
    for (const outcome of Object.keys(row)) {
      requireOneOf(`an outcome in wording.${cause}`, outcome, wordingOutcomes);
    }
  }
}
