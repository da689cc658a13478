/**
 * Spreads the starts of processes over the turns of the event loop: each holds it up for some milliseconds.
 *
 * Invariant: no turn of the loop has more than {@link startsPerTurn} of them, and they start in the order of asking.
 *
 * Prior art: libuv's loop, which bounds what it reads of one socket in a turn.
 *
 * @module
 */

/** A start takes 3 ms of the loop, and three times that in a program with much memory. */
export const startsPerTurn = 4;

const waiting: (() => void)[] = [];
let left = startsPerTurn;
let turn: NodeJS.Immediate | undefined;

/** Resolves when a process may be started: at once, unless many are started at the same time. */
export function turnToStart(): Promise<void> {
  return new Promise((resolve) => {
    if (left > 0) {
      left -= 1;
      resolve();
    } else {
      waiting.push(resolve);
    }
    turn ??= setImmediate(next);
  });
}

function next(): void {
  const starting = waiting.splice(0, startsPerTurn);
  left = startsPerTurn - starting.length;
  turn = starting.length === 0 ? undefined : setImmediate(next);
  for (const start of starting) start();
}
