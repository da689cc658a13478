/**
 * The turns that run now, for questions that no token answers: whether a guarded tool that belongs to none should have
 * belonged to one. Under a registered symbol, so that all copies of the package in a process see the same.
 *
 * @module
 */
/** One of them. */
interface RunningTurn {
  /** Where it stands in the list. */
  runningPlace: number;
  /** A guarded tool was called, and belongs to no turn. */
  unledgered(name: string): void;
}

const runningKey: unique symbol = Symbol.for('desist.running-turns.1') as never;

/**
 * In no order. A list and not a set, which is made anew again and again by one turn that enters and leaves; each turn
 * knows its place.
 */
export const runningTurns: RunningTurn[] = /* @__PURE__ */ shared();

/** A turn has started; returns its place. */
export function enterRunningTurns(turn: RunningTurn): number {
  return runningTurns.push(turn) - 1;
}

/** A turn has ended: the last one takes its place. */
export function leaveRunningTurns(turn: RunningTurn): void {
  if (runningTurns[turn.runningPlace] !== turn) return;
  const last = runningTurns.pop();
  if (last === undefined || last === turn) return;
  runningTurns[turn.runningPlace] = last;
  last.runningPlace = turn.runningPlace;
}

function shared(): RunningTurn[] {
  return ((globalThis as { [runningKey]?: RunningTurn[] | undefined })[runningKey] ??= []);
}
