/**
 * Finds whose turn the keyboard is by the gate of a watcher, so that a line for the running turn and a prompt do not have
 * it together and no line outlives its keys, without a word of that in what a watcher offers.
 *
 * @module
 */
import type { Releasable } from '../../../core/inside.ts';
import type { KeyboardTurns } from '../../internal/keyboard/keyboard-turns.ts';

interface Watched {
  readonly turns: KeyboardTurns;
  readonly lines: Set<() => void>;
}

const gates = new WeakMap<object, Watched>();

/** Says so of a watcher's gate; to be released when the watcher no longer has keys, which closes its lines. */
export function noteTurns(gate: object, turns: KeyboardTurns): Releasable {
  const lines = new Set<() => void>();
  gates.set(gate, { turns, lines });
  return {
    release: () => {
      for (const close of [...lines]) close();
    },
  };
}

/** Runs `fn` in its turn; at once with a gate that is no watcher's own. `close` ends it when there are no keys any more. */
export async function inTurn<T>(gate: object, fn: () => Promise<T>, close: () => void): Promise<T> {
  const watched = gates.get(gate);
  if (watched === undefined) return fn();
  watched.lines.add(close);
  try {
    return await watched.turns.run(fn);
  } finally {
    watched.lines.delete(close);
  }
}
