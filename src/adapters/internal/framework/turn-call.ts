/**
 * One model call of a loop that a framework owns, as a call of a turn: it does not start after a stop, what had come
 * is kept, and a message that cuts it is told to the model in the same call, of which the framework sees nothing.
 *
 * Prior art: the repeated calls of `turn.model` in a hand-written loop, which this is, inside one call.
 *
 * @module
 */
import {
  type CancellationToken,
  CancellationTokenSource as Sources,
  type Interjection,
  isObject,
  keepWords,
  type LoopRecorder,
  type ModelContext,
  type ModelOptions,
  type ModelOutcome,
  type RecordedReply,
  requireMs,
  requireOptionsOf,
  tokenOf,
  type Turn,
} from '../../../core/inside.ts';
import { InterjectedError } from './interjected-error.ts';
import { forgetLastWords, keepLastWords } from './last-words.ts';
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
export type ModelCallOptions = Pick<ModelOptions, 'name' | 'idleMs' | 'graceMs'>;

/**
 * @param what Which options they are.
 * @param known Every name that the door takes.
 * @throws TypeError, RangeError – no object, a name that there is not, or a limit that makes no sense.
 */
export function requireModelOptions(what: string, options: ModelCallOptions, known: Readonly<Record<string, 1>>): void {
  requireOptionsOf(what, options, known);
  const { idleMs, graceMs } = options;
  if (idleMs !== undefined) requireMs('idleMs', idleMs, 'infinity-allowed');
  if (graceMs !== undefined) requireMs('graceMs', graceMs, 'infinity-allowed');
}

/** What else there is to a call, if it is streamed. */
export interface CallEnds<T> {
  /** What of an answer a person may have read, if nothing follows it. */
  readonly wordsOf?: ((answer: T) => unknown) | undefined;
  /** Whether an answer that a message cut cannot be followed by another: the call then fails, and the message waits. */
  readonly isFinal?: (() => boolean) | undefined;
  /** Whether a tool of the turn asks the model, once that has been asked: its words are no reply of the conversation. */
  readonly isOfTool?: (() => boolean) | undefined;
  /** An answer that a message cut, where it has to stay the answer: the message waits for the next call. */
  readonly cutAnswer?: (() => { readonly value: T } | undefined) | undefined;
  /** Whose conversation takes the answer, and as what. */
  readonly record?: { readonly recorder: LoopRecorder; readonly reply: RecordedReply<T> } | undefined;
}

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
  { wordsOf, isFinal, isOfTool, cutAnswer, record }: CallEnds<T> = {},
): Promise<T> {
  const ask = (run: (context: ModelContext) => Promise<T>): Promise<ModelOutcome<T>> =>
    record === undefined ? turn.model(run, options) : record.recorder.model(run, options, record.reply);
  const ofWhom = (said: unknown): unknown =>
    isOfTool?.() === true && isObject(said) ? { ...said, message: undefined, isOfTool: true } : said;
  for (let cut: unknown; ;) {
    forgetLastWords(turn);
    let last: unknown;
    const interjections = turn.takeInterjections();
    const outcome = await ask(async ({ token, partial, progress, usage }) => {
      const own = new Sources({ parent: theirs === undefined ? token : [token, tokenOf(theirs)] });
      try {
        // No words yet are no partial output; they are a sign of life all the same.
        const keep = (said: unknown): void => {
          last = said ?? last;
          if (said === undefined) progress();
          else partial(ofWhom(said));
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
        if (last !== undefined && own.reason !== undefined) keepWords(turn.token, ofWhom(last), own.reason);
        throw error;
      } finally {
        own.release();
      }
    }).finally(() => {
      // Told or not, they are delivered.
      record?.recorder.read(interjections);
    });
    if (outcome.status === 'completed') {
      keepLastWords(turn, ofWhom(wordsOf?.(outcome.value)));
      return outcome.value;
    }
    const answer = cutAnswer?.();
    if (answer !== undefined) return answer.value;
    if (isFinal?.() === true) throw new InterjectedError(outcome.reason);
    cut = last;
  }
}
