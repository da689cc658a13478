/**
 * One model call of a loop that a framework owns, as a call of a turn: it does not start after a stop, what had come is
 * kept, and a message that cuts it is told to the model in the same call, of which the framework sees nothing.
 * In the adapters' inner room: the AI SDK and OpenAI Agents have the same loop around different models.
 *
 * Prior art: the repeated calls of `turn.model` in a hand-written loop, which this is, inside one call.
 *
 * @module
 */
import { requireMs, show } from '../../core/foundation/check.ts';
import type { ModelOptions } from '../../core/interrupt/call-options.ts';
import type { Turn } from '../../core/interrupt/handles.ts';
import type { Interjection } from '../../core/interrupt/interjections.ts';
import { priorityMessage } from '../../core/interrupt/texts.ts';
import type { CancellationToken } from '../../core/token/handles.ts';
import { tokenOf } from '../../core/token/link.ts';
import { CancellationTokenSource as Sources } from '../../core/token/token.ts';

/** One attempt: the first, or the next after a message cut the one before. */
export interface Round {
  /** Ends with the turn, a message that cuts, and the framework's own signal. */
  readonly token: CancellationToken;
  readonly signal: AbortSignal;
  /** Keeps what has come so far. */
  readonly partial: (value: unknown) => void;
  /** What the user said since the last call; to be told in this one. */
  readonly news: readonly Interjection[];
  /** What the attempt before had produced. */
  readonly cut: unknown;
}

/** @throws TypeError – not a turn. */
export function requireTurn(turn: unknown): asserts turn is Turn {
  const model: unknown = typeof turn === 'object' && turn !== null ? (turn as { model?: unknown }).model : undefined;
  if (typeof model !== 'function') throw new TypeError(`turn must be a turn of runTurn(), got ${show(turn)}`);
}

/** What all adapters over a turn may be told about model calls. */
export type ModelCallOptions = Pick<ModelOptions, 'name' | 'idleMs' | 'graceMs'>;

/** @throws TypeError, RangeError – a limit that makes no sense. */
export function requireModelOptions({ idleMs, graceMs }: ModelCallOptions): void {
  if (idleMs !== undefined) requireMs('idleMs', idleMs, 'infinity-allowed');
  if (graceMs !== undefined) requireMs('graceMs', graceMs, 'infinity-allowed');
}

/**
 * Calls the model until an attempt was not cut by a message.
 *
 * @param theirs The framework's signal, which may stop this call alone.
 */
export async function callUnderTurn<T>(
  turn: Turn,
  theirs: AbortSignal | undefined,
  call: (round: Round) => T | PromiseLike<T>,
  options: ModelCallOptions,
): Promise<T> {
  for (let cut: unknown; ;) {
    const news = turn.takeInterjections();
    const outcome = await turn.model(async ({ token, partial }) => {
      const own = new Sources({ parent: theirs === undefined ? token : [token, tokenOf(theirs)] });
      try {
        return await call({ token: own.token, signal: own.signal, partial, news, cut });
      } finally {
        own.release();
      }
    }, options);
    if (outcome.status === 'completed') return outcome.value;
    cut = outcome.partial;
  }
}

/** A message as text: a text as the user typed it, marked as such; anything else as JSON. */
export function textOf({ message }: Interjection): string {
  return priorityMessage(typeof message === 'string' ? message : JSON.stringify(message));
}
