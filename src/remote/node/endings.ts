/**
 * The hostings of a node that end, until that is written, and their stops are over.
 *
 * @module
 */
import type { SessionHost } from '../../sessions/stop-bus.ts';
import type { Held } from '../record/transitions.ts';
import { LIVE_MS } from './engine/exchange.ts';
import type { HostedRunParts } from './hosted-run-parts.ts';

/** Whoever has left is told nothing, and need not be remembered for as long as an end waits for its engine. */
export const nobody: SessionHost = { deliver: () => new Promise(() => undefined) };

/** A hosting whose end was to be written. */
export interface EndedRun {
  /** Whether it is, or nothing was to be written. */
  readonly isWritten: boolean;
  /** Resolves when its stops have come to their end as well, or nobody writes that any more. */
  readonly over: Promise<void>;
}

/** Writes an end for as long as its record may be there. */
export function writeEnd(
  { lull, persistence, loss, clock }: HostedRunParts,
  write: () => Promise<Held | 'early'>,
): { readonly isWritten: Promise<boolean>; readonly over: Promise<void> } {
  // D11: by then it is gone by itself, and there is nothing to be written.
  const goneAt = clock.now() + LIVE_MS;
  const isGone = (): boolean => clock.now() >= goneAt;
  let isEarly = false;
  const writeOnce = async (): Promise<boolean> => (isEarly = (await write()) === 'early');
  const writeIt = async (): Promise<boolean> => (await persistence.until(writeOnce, isGone)) || isGone();
  const isWritten = lull.passed().then(writeIt);
  const endStops = async (): Promise<void> => {
    // D5: as long as a loss is recent the run has ended, and its stops have not.
    for (let isKnown = await isWritten; isKnown && isEarly && !isGone(); isKnown = await writeIt()) await loss.passed();
  };
  return { isWritten, over: endStops() };
}

/** The hostings that end. */
export class Endings {
  readonly #all = new Set<Promise<void>>();
  readonly #changed: () => void;

  /** @param changed Called when one is over. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Keeps an end until it is over; the promise says whether it was written. */
  add(ending: Promise<EndedRun>): Promise<boolean> {
    const over = ending
      .then((ended) => ended.over)
      .finally(() => {
        this.#all.delete(over);
        this.#changed();
      });
    this.#all.add(over);
    return ending.then(({ isWritten }) => isWritten);
  }

  /** Resolves when all are over. */
  async allOver(): Promise<void> {
    await Promise.all(this.#all);
  }
}
