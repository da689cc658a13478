/**
 * What a model call that has ended had said, for as long as nobody went on from it: a turn that is stopped right then
 * has it among its partials, because the person may have read it.
 *
 * Invariant: a turn has at most one listener of this kind, none once the next call has begun.
 *
 * @module
 */
import { keepWords, type Registration, type Turn } from '../../../core/inside.ts';

const kept = new WeakMap<Turn, Registration>();

/** Remembers the words of a call that has ended; `undefined` if it said nothing to a person. */
export function keepLastWords(turn: Turn, words: unknown): void {
  forgetLastWords(turn);
  if (words === undefined || turn.token.isCancelled) return;
  const { token } = turn;
  kept.set(
    turn,
    token.onCancelled(() => {
      keepWords(token, words);
    }),
  );
}

/** The framework has gone on from there. */
export function forgetLastWords(turn: Turn): void {
  kept.get(turn)?.unregister();
  kept.delete(turn);
}
