/**
 * A process that somebody else started, known by its pid alone, stopped with everything it started.
 * In the inner room because protocol doors hold the pids of their SDKs' servers and agents, and no more.
 *
 * Its identity is taken when it is first seen, so a pid that has a new owner by the time of the stop is spared. It is not
 * the head of a group of its own, so its descendants are found by their parents.
 *
 * Prior art: psutil's `Process.children(recursive=True)`.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import type { LiveProcess, StoppableFamily } from './process-tree-family.ts';
import { hostFamily } from './process-tree-host.ts';
import { StopLadder, rungsOf } from './stop-ladder.ts';

/** One process of somebody else's. */
export class StoppableProcess {
  readonly pid: number;
  readonly #family: StoppableFamily;

  /**
   * @param pid Alive now, or the stop will do nothing.
   * @param family What is known of it and what it started; the environment of neither carries a mark of ours.
   */
  constructor(pid: number, family: StoppableFamily = hostFamily(pid, () => undefined)) {
    this.pid = pid;
    this.#family = family;
  }

  /**
   * SIGTERM now, SIGKILL to whoever is left when the grace is over.
   *
   * @param graceMs Milliseconds between the two.
   * @param clock Measures them.
   * @returns Who is alive all the same.
   */
  async stop(graceMs: number, clock: Clock): Promise<readonly LiveProcess[]> {
    const family = this.#family;
    const target = {
      signal: (signal: NodeJS.Signals): void => {
        family.signal(signal);
      },
      isAnyoneAlive: () => family.hasKnownAlive(),
      look: () => family.members().length > 0,
    };
    await new StopLadder(target, rungsOf(['SIGTERM', 'SIGKILL'], graceMs), graceMs, clock).done;
    return family.describe(family.members());
  }
}
