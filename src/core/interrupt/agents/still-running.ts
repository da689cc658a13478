/**
 * What was given up and still runs: a tool that did not react within its grace, a stream that was cut and never ended, a
 * process that a call left behind. Every later stop names it, and a kill tells it again, until it ends.
 *
 * Invariant: an operation stands here from the moment it is given up until it ends, at its agent and at every agent that
 * waits for it.
 *
 * @module
 */
import type { CancelReason } from '../../foundation/reason.ts';
import type { Source } from '../../token/source.ts';
import type { Operation } from '../calls/operation-list.ts';

/** One of them. */
interface Left {
  /** How a kill still reaches it, if it has a source of its own. */
  readonly source: Source | undefined;
  /** It belongs to a detached sub-agent: only a stop of everything names and reaches it. */
  readonly isBeside: boolean;
}

/** The operations of one agent, and of the agents below it, that did not end in time. */
export class StillRunning {
  readonly #above: StillRunning | undefined;
  readonly #isDetached: boolean;
  readonly #operations = new Map<Operation, Left>();

  constructor(above?: StillRunning, isDetached = false) {
    this.#above = above;
    this.#isDetached = isDetached;
  }

  /** It was given up; its source, if it has one of its own, is how a kill still reaches it. */
  add(operation: Operation, source?: Source, isBeside = false): void {
    this.#operations.set(operation, { source, isBeside });
    this.#above?.add(operation, source, isBeside || this.#isDetached);
  }

  /** It has ended after all. */
  ended(operation: Operation): void {
    this.#operations.delete(operation);
    this.#above?.ended(operation);
  }

  /** Its own, and those of the agents that its turns wait for. */
  list(): readonly Operation[] {
    return this.#listed(false);
  }

  /** Those of the detached agents below. */
  listBeside(): readonly Operation[] {
    return this.#listed(true);
  }

  #listed(isBeside: boolean): readonly Operation[] {
    return [...this.#operations].filter(([, left]) => left.isBeside === isBeside).map(([operation]) => operation);
  }

  /** Returns whether it was news to anything. */
  kill(reason: CancelReason, all = false): boolean {
    let isNews = false;
    for (const { source, isBeside } of [...this.#operations.values()]) {
      if (all || !isBeside) isNews = source?.kill(reason) === true || isNews;
    }
    return isNews;
  }
}
