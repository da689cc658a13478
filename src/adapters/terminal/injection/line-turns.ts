/**
 * Finds whose turn the keyboard is by the gate of a watcher, so that a line for the running turn and a prompt do not have
 * it together and no line outlives its keys, without a word of that in what a watcher offers.
 *
 * @module
 */
import type { Releasable } from '../../../core/inside.ts';
import type { StdinOwner } from '../../internal/keyboard/stdin-owner.ts';

interface Watched {
  readonly owner: Pick<StdinOwner, 'turns' | 'prompts'>;
  readonly lines: Set<() => void>;
  readonly typeAhead: (text: string) => void;
}

const gates = new WeakMap<object, Watched>();

/**
 * Says so of a watcher's gate; to be released when the watcher no longer has keys, which closes its lines.
 *
 * @param typeAhead Keeps text as if it had been typed while nobody asked.
 */
export function noteTurns(gate: object, owner: Watched['owner'], typeAhead: (text: string) => void): Releasable {
  const lines = new Set<() => void>();
  gates.set(gate, { owner, lines, typeAhead });
  return {
    release: () => {
      for (const close of [...lines]) close();
    },
  };
}

/**
 * Runs `fn` in its turn, and holds the process open meanwhile; at once with a gate that is no watcher's own. `close` ends it when
 * there are no keys any more.
 */
export async function inTurn<T>(gate: object, fn: () => Promise<T>, close: () => void): Promise<T> {
  const watched = gates.get(gate);
  if (watched === undefined) return fn();
  watched.lines.add(close);
  const alive = watched.owner.prompts.keepAlive();
  try {
    return await watched.owner.turns.run(fn);
  } finally {
    alive.release();
    watched.lines.delete(close);
  }
}

/** Keeps text for the next prompt, where the gate is a watcher's own; whether it is. A line feed would send it. */
export function keepForPrompt(gate: object, text: string): boolean {
  const watched = gates.get(gate);
  watched?.typeAhead(text.replaceAll('\n', ' '));
  return watched !== undefined;
}
