/**
 * Times in which silence of the model is expected: a tool runs that was called meanwhile, or a person is asked. What
 * began before a model call is no reason for its silence: it may be the very tool that waits for it.
 *
 * @module
 */

/** What is silent while something else runs: an attempt of a model call. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

/** What was paused: usually nothing, for tools run between the model calls. */
export type Paused = readonly Pausable[] | undefined;

/** Pauses the model calls of a turn that run. */
export class IdlePauses {
  /** Mostly one; the list is replaced and not changed, so that it can be handed out. */
  #running: Paused;

  begin(attempt: Pausable): void {
    this.#running = this.#running === undefined ? [attempt] : [...this.#running, attempt];
  }

  end(attempt: Pausable): void {
    const left = this.#running?.filter((each) => each !== attempt);
    this.#running = left?.length === 0 ? undefined : left;
  }

  /** Something begins that is waited for; hand what this returns to `resume` when it is over. */
  pause(): Paused {
    const paused = this.#running;
    if (paused !== undefined) for (const attempt of paused) attempt.pause();
    return paused;
  }

  resume(paused: Paused): void {
    if (paused !== undefined) for (const attempt of paused) attempt.resume();
  }
}
