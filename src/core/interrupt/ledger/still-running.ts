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
import type { Operation } from './operation-list.ts';

/** One of them. */
interface Left {
  /** How a kill still reaches it, if it has a source of its own. */
  readonly source: Source | undefined;
  /** Of the agent whose operation it is. */
  readonly owner: StillRunning;
}

const NONE: readonly Operation[] = /* @__PURE__ */ Object.freeze([]);

/** The operations of one agent, and of the agents below it, that did not end in time. */
export class StillRunning {
  readonly #above: StillRunning | undefined;
  readonly #isDetached: boolean;
  /** Made with the first: mostly everything ends in time. */
  #operations: Map<Operation, Left> | undefined;
  /** How many have ended after all: a report that was made before names what does not run any more. */
  ends = 0;

  constructor(above?: StillRunning, isDetached = false) {
    this.#above = above;
    this.#isDetached = isDetached;
  }

  /** It was given up; its source, if it has one of its own, is how a kill still reaches it. */
  add(operation: Operation, source?: Source): void {
    this.#add(operation, { source, owner: this });
  }

  #add(operation: Operation, left: Left): void {
    (this.#operations ??= new Map()).set(operation, left);
    if (this.#above !== undefined) this.#above.#add(operation, left);
  }

  /** It has ended after all. */
  ended(operation: Operation): void {
    if (this.#operations?.delete(operation) === true) this.ends++;
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
    if (this.#operations === undefined) return NONE;
    return [...this.#operations]
      .filter(([, left]) => this.#isBeside(left) === isBeside)
      .map(([operation]) => operation);
  }

  /** It belongs to a detached sub-agent: only a stop of everything names and reaches it. */
  #isBeside({ owner }: Left): boolean {
    for (let each: StillRunning | undefined = owner; each !== undefined && each !== this; each = each.#above)
      if (each.#isDetached) return true;
    return false;
  }

  /** Kills what runs; returns whether anything of it had not been killed before. */
  kill(reason: CancelReason, all = false): boolean {
    let isNew = false;
    for (const left of [...(this.#operations?.values() ?? [])]) {
      if (all || !this.#isBeside(left)) isNew = left.source?.kill(reason) === true || isNew;
    }
    return isNew;
  }
}
