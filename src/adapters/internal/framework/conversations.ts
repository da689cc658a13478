/**
 * The messages that a framework keeps to itself while its loop runs, as a door has seen them pass: what the model was
 * asked last, and what it answered. A turn that is stopped hands none of them back, but the next request needs them.
 *
 * @module
 */
import { show, type Turn } from '../../../core/inside.ts';

/** The conversations of one door, each forgotten with its turn. */
export class Conversations<M> {
  readonly #byTurn = new WeakMap<Turn, readonly M[]>();

  /** The model is asked; what it is asked replaces what was asked before. */
  asked(turn: Turn, messages: readonly M[]): void {
    this.#byTurn.set(turn, [...messages]);
  }

  /** The model answered in full. */
  answered(turn: Turn, ...replies: readonly M[]): void {
    this.#byTurn.set(turn, [...(this.#byTurn.get(turn) ?? []), ...replies]);
  }

  /** @throws TypeError – not a turn. */
  of(turn: Turn): M[] {
    if (typeof turn !== 'object' || (turn as unknown) === null || !('model' in turn)) {
      throw new TypeError(`turn must be a turn of runTurn(), got ${show(turn)}`);
    }
    return [...(this.#byTurn.get(turn) ?? [])];
  }
}
