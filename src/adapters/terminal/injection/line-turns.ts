/**
 * Finds whose turn the keyboard is by the gate of a watcher, so that a line for the running turn and a prompt do not have
 * it together, without a word of that in what a watcher offers.
 *
 * @module
 */
import type { KeyboardTurns } from '../../internal/keyboard/keyboard-turns.ts';

const turns = new WeakMap<object, KeyboardTurns>();

/** Says so of a watcher's gate. */
export function noteTurns(gate: object, of: KeyboardTurns): void {
  turns.set(gate, of);
}

/** Runs `fn` in its turn; at once with a gate that is no watcher's own. */
export function inTurn<T>(gate: object, fn: () => Promise<T>): Promise<T> {
  return turns.get(gate)?.run(fn) ?? fn();
}
