/**
 * The commits of one piece of work: what must not be cut in half, and what it has made. Made when the first of them is
 * entered, for most work has none. Prior art: the critical sections of a database's two-phase commit.
 *
 * @module
 */

/** What a commit has made; a value of any kind, `undefined` too. */
export interface Committed {
  readonly value: unknown;
}

/** Those that were made before any stop. */
const earlier = /* @__PURE__ */ new WeakSet<Committed>();

/**
 * What was being committed when the stop came, if anything was: it stands for the work. What had been made before is a
 * part of it.
 */
export function madeInStop(completed: Committed | undefined): Committed | undefined {
  return completed === undefined || earlier.has(completed) ? undefined : completed;
}

/** Several may be open at once. */
export class Commits {
  /** How many are: the work is not left behind meanwhile. */
  open = 0;
  /** How many of them run something, which the work does not end before. */
  running = 0;
  /** How long the stop waits for those that are open, in milliseconds from the stop: of several limits the longest. */
  limitMs = 0;
  /** What the last of them that made something has made. */
  committed: Committed | undefined;
  /** The work itself has ended, and is over when the last that runs something has. */
  finish: (() => void) | undefined;

  enter(limitMs: number): void {
    this.running++;
    this.begin(limitMs);
  }

  /** Like a commit that runs nothing: the work may end before it is let go. */
  begin(limitMs: number = Infinity): void {
    this.open++;
    this.limitMs = Math.max(this.limitMs, limitMs);
  }

  /**
   * @param committed `undefined` if the commit failed.
   * @param isStopped The work was told to stop while it ran.
   */
  leave(committed: Committed | undefined, isStopped: boolean): void {
    this.running--;
    if (committed !== undefined && !isStopped) earlier.add(committed);
    this.committed = committed ?? this.committed;
    this.end();
  }

  end(): void {
    if (--this.open === 0) this.limitMs = 0;
  }
}
