/**
 * One model call of a loop that a framework owns, as a call of a turn: it does not start after a stop, what had come
 * is kept, and a message that cuts it is told to the model in the same call, of which the framework sees nothing.
 *
 * Prior art: the repeated calls of `turn.model` in a hand-written loop, which this is, inside one call.
 *
 * @module
 */
import {
  type CancelReason,
  type CancellationToken,
  CancellationTokenSource as Sources,
  type Interjection,
  isObject,
  keepWords,
  type ModelContext,
  type ModelOptions,
  type ModelOutcome,
  optionalFlag,
  requireMs,
  requireOptionsOf,
  tokenOf,
  type Turn,
} from '../../../core/inside.ts';
import { InterjectedError } from './interjected-error.ts';
import { forgetLastWords, keepLastWords } from './last-words.ts';
import type { Asker, TakenBy } from './loop-record.ts';
import { outputTokensOf } from './told-usage.ts';

/** One attempt: the first, or the next after a message cut the one before. */
export interface Round {
  /** Ends with the turn, a message that cuts, and the framework's own signal. */
  readonly token: CancellationToken;
  readonly signal: AbortSignal;
  /** Keeps what has come so far, if anything has. */
  readonly partial: (value: unknown) => void;
  /** Tells that silence of the model is not what is being waited for. */
  readonly progress: () => void;
  /** Counts what an answer, or a part of a stream, has cost. */
  readonly count: (told: unknown) => void;
  /** What the user said since the last call; to be told in this one. */
  readonly interjections: readonly Interjection[];
  /** What the attempt before had produced. */
  readonly cut: unknown;
}

/** What all adapters over a turn may be told about model calls. */
export type ModelCallOptions = Pick<ModelOptions, 'name' | 'idleMs' | 'graceMs' | 'aside'>;

/**
 * @param what Which options they are.
 * @param known Every name that the door takes.
 * @throws TypeError, RangeError – no object, a name that there is not, a limit that makes no sense, or a flag that is none.
 */
export function requireModelOptions(what: string, options: ModelCallOptions, known: Readonly<Record<string, 1>>): void {
  requireOptionsOf(what, options, known);
  const { idleMs, graceMs, aside } = options;
  optionalFlag('aside', aside);
  if (idleMs !== undefined) requireMs('idleMs', idleMs, 'infinity-allowed');
  if (graceMs !== undefined) requireMs('graceMs', graceMs, 'infinity-allowed');
}

/** What else there is to a call, if it is streamed. */
export interface CallEnds<T> {
  /** What of an answer a person may have read, if nothing follows it. */
  readonly wordsOf?: ((answer: T) => unknown) | undefined;
  /** Whether an answer that a message cut cannot be followed by another: the call then fails, and the message waits. */
  readonly isFinal?: (() => boolean) | undefined;
  /** An answer that a message cut, where it has to stay the answer: the message waits for the next call. */
  readonly cutAnswer?: (() => { readonly value: T } | undefined) | undefined;
  /** Who asks, and who takes the answer; by default a loop whose answers nobody takes. */
  readonly record?: TakenBy<T> | undefined;
}

/** What the partials of the turn have of words. Those of a tool are no reply, so they come without the message. */
const keptOf: Readonly<Record<Asker, (said: unknown) => unknown>> = {
  loop: (said) => said,
  tool: (said) => (isObject(said) ? { ...said, message: undefined, isOfTool: true } : said),
  aside: () => undefined,
};

/**
 * Calls the model until an attempt was not cut by a message. Whatever a client throws once its call was cut is the cut:
 * clients have a dozen errors for it, and some say only that no answer came.
 *
 * @param theirs The framework's signal, which may stop this call alone.
 */
export async function callUnderTurn<T>(
  turn: Turn,
  theirs: AbortSignal | undefined,
  call: (round: Round) => T | PromiseLike<T>,
  options: ModelCallOptions,
  { wordsOf, isFinal, cutAnswer, record }: CallEnds<T> = {},
): Promise<T> {
  const { asker = 'loop', recorder, reply } = record ?? {};
  const isLoop = asker === 'loop';
  // A message of the person is for the loop: nobody else reads one, or is cut by one.
  const asked = { ...options, aside: !isLoop };
  const ask = (run: (context: ModelContext) => Promise<T>): Promise<ModelOutcome<T>> =>
    recorder === undefined || reply === undefined ? turn.model(run, asked) : recorder.model(run, asked, reply);
  const keptWords = keptOf[asker];
  for (let cut: unknown; ;) {
    if (asker !== 'aside') forgetLastWords(turn);
    let last: unknown;
    const keepLast = (reason: CancelReason): void => {
      const words = keptWords(last);
      if (words !== undefined) keepWords(turn.token, words, reason);
    };
    const interjections = isLoop ? turn.takeInterjections() : [];
    const outcome = await ask(async ({ token, partial, progress, usage }) => {
      const own = new Sources({ parent: theirs === undefined ? token : [token, tokenOf(theirs)] });
      // The turn itself keeps what the loop's own calls had said.
      if (!isLoop) own.token.onCancelled(keepLast);
      try {
        // No words yet are no partial output; they are a sign of life all the same.
        const keep = (said: unknown): void => {
          last = said ?? last;
          if (said === undefined) progress();
          else partial(said);
        };
        const count = (told: unknown): void => {
          usage({ outputTokens: outputTokensOf(told) });
        };
        const answer = await call({
          ...{ token: own.token, signal: own.signal, partial: keep, progress, count, interjections, cut },
        });
        count(answer);
        return answer;
      } catch (error) {
        token.throwIfCancelled();
        if (isLoop && own.reason !== undefined) keepLast(own.reason);
        throw error;
      } finally {
        own.release();
      }
    }).finally(() => {
      // Told or not, they are delivered.
      recorder?.read(interjections);
    });
    if (outcome.status === 'completed') {
      const words = wordsOf?.(outcome.value);
      if (asker !== 'aside') keepLastWords(turn, keptWords(words));
      return outcome.value;
    }
    const answer = cutAnswer?.();
    if (answer !== undefined) return answer.value;
    if (isFinal?.() === true) throw new InterjectedError(outcome.reason);
    cut = last;
  }
}
