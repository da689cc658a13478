/**
 * Looks at runs for as long as anybody listens: once per run and round, however many listen to it.
 *
 * Invariants: nothing is looked at for nobody; a look that takes long is not overtaken by the next.
 *
 * @module
 */
import type { Clock, Releasable } from '../../../core/inside.ts';

/** What the feed works with. */
export interface StatusFeedParts {
  readonly clock: Clock;
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  /** What there is to be told of a run, as text without line breaks, and whether it is the last. Never rejects. */
  readonly look: (runId: string) => Promise<Sight>;
}

/** What was seen of a run. */
export interface Sight {
  readonly data: string;
  readonly isLast: boolean;
}

type Listener = (sight: Sight) => void;

/** One run that somebody listens to. */
class Watch {
  readonly listeners = new Set<Listener>();
  last: Sight | undefined;
  readonly #runId: string;
  readonly #parts: StatusFeedParts;
  #timer: Releasable | undefined;
  #isOver = false;

  constructor(runId: string, parts: StatusFeedParts) {
    this.#runId = runId;
    this.#parts = parts;
    void this.#look();
  }

  end(): void {
    this.#isOver = true;
    this.#timer?.release();
  }

  #isWanted(): boolean {
    return !this.#isOver;
  }

  async #look(): Promise<void> {
    const { look, clock, everyMs } = this.#parts;
    const sight = await look(this.#runId);
    if (!this.#isWanted()) return;
    if (sight.data !== this.last?.data) {
      this.last = sight;
      for (const listener of [...this.listeners]) listener(sight);
    }
    // A listener may have left, and taken the watch with it.
    if (this.#isWanted()) this.#timer = clock.setTimer(() => void this.#look(), everyMs, { ref: false });
  }
}

/** The runs that somebody listens to. */
export class StatusFeed {
  readonly #parts: StatusFeedParts;
  readonly #watches = new Map<string, Watch>();

  constructor(parts: StatusFeedParts) {
    this.#parts = parts;
  }

  /** Calls `listener` with what is known, and with everything new. */
  listen(runId: string, listener: Listener): Releasable {
    const watch = this.#watches.get(runId) ?? new Watch(runId, this.#parts);
    this.#watches.set(runId, watch);
    watch.listeners.add(listener);
    if (watch.last !== undefined) listener(watch.last);
    return {
      release: () => {
        if (!watch.listeners.delete(listener) || watch.listeners.size > 0) return;
        watch.end();
        this.#watches.delete(runId);
      },
    };
  }
}
