/**
 * What ended turns left behind: work that did not stop in time, and may still be at it.
 * In the interrupt room below the controller, whose kill still reaches it.
 *
 * Invariant: when a turn is added, no earlier one is kept below whose token nobody listens any more: they do not add up.
 *
 * @module
 */
import type { CancelReason } from '../foundation/reason.ts';
import { isWatched } from './place.ts';
import type { TurnRun } from './turn-run.ts';

/** The ended turns of one agent that did not end whole. */
export class LeftBehind {
  readonly #runs = new Set<TurnRun>();

  /** Called when a turn has ended; lets go of earlier ones whose work has ended since. */
  add(run: TurnRun): void {
    for (const each of this.#runs) {
      if (isWatched(each.token)) continue;
      this.#runs.delete(each);
      each.letGo();
    }
    this.#runs.add(run);
  }

  /** Whether there was anything that a kill was news to. */
  kill(reason: CancelReason): boolean {
    let isNews = false;
    for (const run of this.#runs) {
      isNews = run.source.kill(reason) || isNews;
      run.letGo();
    }
    this.#runs.clear();
    return isNews;
  }
}
