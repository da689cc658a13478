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
import type { ProcessTable } from './process-tree.ts';
import { ProcessFamily, type LiveProcess } from './process-tree-family.ts';
import { hostProcessTable } from './process-tree-host.ts';
import { StopLadder, rungsOf, type StopTarget } from './stop-ladder.ts';

/** No process carries it: the environment of one that others started has no mark of ours. */
const noMarker = '\0';

/** What there is on a system whose process tree cannot be read: the one process. */
function targetByPid(pid: number): StopTarget {
  const send = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(pid, signal);
    } catch {
      return false; // Gone, or not ours to signal.
    }
  };
  return { signal: send, isAnyoneAlive: () => send(0), look: () => send(0) };
}

/** One process of somebody else's. */
export class StoppableProcess {
  readonly pid: number;
  readonly #family: ProcessFamily | undefined;
  readonly #target: StopTarget;

  /**
   * @param pid Alive now, or the stop will do nothing.
   * @param table Where to look; `null` where the process tree cannot be read.
   */
  constructor(pid: number, table: ProcessTable | null = hostProcessTable() ?? null) {
    this.pid = pid;
    const family = table === null ? undefined : new ProcessFamily(table, pid, noMarker);
    this.#family = family;
    this.#target =
      family === undefined
        ? targetByPid(pid)
        : {
            signal: (signal) => {
              family.signal(signal);
            },
            isAnyoneAlive: () => family.hasKnownAlive(),
            look: () => family.members().length > 0,
          };
  }

  /**
   * SIGTERM now, SIGKILL to whoever is left when the grace is over.
   *
   * @param graceMs Milliseconds between the two.
   * @param clock Measures them.
   * @returns Who is alive all the same.
   */
  async stop(graceMs: number, clock: Clock): Promise<readonly LiveProcess[]> {
    await new StopLadder(this.#target, rungsOf(['SIGTERM', 'SIGKILL'], graceMs), graceMs, clock).done;
    if (this.#family !== undefined) return this.#family.describe(this.#family.members());
    return this.#target.look() ? [{ pid: this.pid, command: '' }] : [];
  }
}
