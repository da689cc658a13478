/**
 * A process that somebody else started, known by its pid alone, stopped with everything it started.
 *
 * Its identity is taken when it is first seen, so a pid that has a new owner by the time of the stop is spared. It need
 * not be the head of a group of its own: then its descendants are found by their parents, and by the marker that it was
 * started with, if any.
 *
 * Prior art: psutil's `Process.children(recursive=True)`.
 *
 * @module
 */
import type { Clock } from '../../../core/inside.ts';
import { StopLadder, rungsOf, type Rung } from './stop-ladder.ts';
import type { FamilyLook, LiveProcess, StoppableFamily } from './process-table.ts';
import { carriedMarker, hostFamily } from './tree-host.ts';

/**
 * Who is alive after a stop; `unknown` if that could not be found out: there was no descriptor left to look with, or
 * somebody holds the run's pipe and shows nothing else of itself.
 *
 * @since 0.1.0
 */
export type Survivors = readonly LiveProcess[] | 'unknown';

/** One process of somebody else's. */
export class StoppableProcess {
  readonly pid: number;
  readonly #family: StoppableFamily;

  /**
   * @param pid Alive now, or the stop will do nothing.
   * @param family What is known of it and what it started.
   */
  constructor(pid: number, family: StoppableFamily = hostFamily(pid, () => carriedMarker(pid))) {
    this.pid = pid;
    this.#family = family;
  }

  /**
   * SIGTERM now, SIGKILL to whoever is left when the grace is over.
   *
   * @param graceMs Milliseconds between the two.
   * @param clock Measures them.
   * @returns Who is alive all the same; `unknown` if that could not be found out.
   */
  stop(graceMs: number, clock: Clock): Promise<Survivors> {
    return stopFamily(this.#family, rungsOf(['SIGTERM', 'SIGKILL'], graceMs), graceMs, clock);
  }

  /** For the end of our own process: see {@link killFamily}. */
  killNow(): () => void {
    return killFamily(this.#family);
  }
}

/**
 * SIGKILL to everybody, synchronously: for the end of our own process.
 *
 * @returns What is to be done when all others were told as well: one look then serves them all.
 */
export function killFamily(family: StoppableFamily): () => void {
  family.killNow();
  return () => {
    family.killNewcomers();
  };
}

/**
 * Stops a family that nobody else watches.
 *
 * @returns Who is alive all the same.
 */
export async function stopFamily(
  family: StoppableFamily,
  rungs: readonly Rung[],
  graceMs: number,
  clock: Clock,
): Promise<Survivors> {
  const target = {
    signal: (signal: NodeJS.Signals) => family.signal(signal) !== 'some',
    isAnyoneAlive: () => family.hasKnownAlive(),
    look: async () => verdictOf(await family.look()),
  };
  const isEmpty = await new StopLadder(target, rungs, graceMs, clock).done;
  return isEmpty ? [] : survivorsIn(family, await family.look('report'));
}

/** What a look means for a stop. */
export function verdictOf({ alive, isSure }: FamilyLook): 'nobody' | 'somebody' | 'unknown' {
  if (alive.length > 0) return 'somebody';
  return isSure ? 'nobody' : 'unknown';
}

/** What a look means for a report. */
export function survivorsIn(family: StoppableFamily, { alive, isSure }: FamilyLook): Survivors {
  return isSure ? family.describe(alive) : 'unknown';
}
