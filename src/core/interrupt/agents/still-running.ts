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
import type { Operation } from '../ledger/operation-list.ts';

/** The operations of one agent, and of the agents below it, that did not end in time. */
export class StillRunning {
  readonly #above: StillRunning | undefined;
  readonly #operations = new Map<Operation, Source | undefined>();

  constructor(above: StillRunning | undefined) {
    this.#above = above;
  }

  /** It was given up; its source, if it has one of its own, is how a kill still reaches it. */
  add(operation: Operation, source?: Source): void {
    this.#operations.set(operation, source);
    this.#above?.add(operation, source);
  }

  /** It has ended after all. */
  ended(operation: Operation): void {
    this.#operations.delete(operation);
    this.#above?.ended(operation);
  }

  list(): readonly Operation[] {
    return [...this.#operations.keys()];
  }

  /** Returns whether it was news to anything. */
  kill(reason: CancelReason): boolean {
    let isNews = false;
    for (const source of [...this.#operations.values()]) isNews = source?.kill(reason) === true || isNews;
    return isNews;
  }
}
