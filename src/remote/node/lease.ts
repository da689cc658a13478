/**
 * The heartbeat of a node: it keeps the lease, and brings what no wake-up brought.
 *
 * Invariants:
 * - D2: one operation renews the lease and returns what is in the inbox; one at a time is under way, with a deadline.
 * - D6: one lease per node, renewed every third of it, and only while the node has something to be told.
 * - D8: a node that cannot renew knows by its own clock, from the last renewal that it *sent*, when nobody may trust it.
 * - A lapse is a level, not an edge: the engine names each life of the lease, and the node compares names.
 *
 * Prior art: Chubby's session lease and jeopardy.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import type { Releasable } from '../../core/foundation/disposable.ts';
import type { StopPull } from '../backend.ts';

/** What the lease works with, and whom it tells. */
export interface LeaseParts {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly newId: () => string;
  readonly pull: (leaseMs: number, proposal: string, deadlineMs: number) => Promise<StopPull>;
  /** A heartbeat brought these. */
  readonly pending: (pull: StopPull) => void;
  /** The engine may have lost what this node wrote; rejects if it could not be written again. */
  readonly reassert: () => Promise<void>;
  /** Nobody may trust this node any more. */
  readonly lost: () => void;
  readonly failed: (error: unknown) => void;
  readonly renewed: () => void;
}

/** The lease of one node. */
export class Lease {
  readonly #parts: LeaseParts;
  #isWanted = false;
  #isBeating = false;
  #isAsserting = false;
  #again = false;
  #isHeld = false;
  #next: Releasable | undefined;
  #fence: Releasable | undefined;
  /** When the last renewal that was answered had been sent. */
  #goodAt = -Infinity;
  #generation: string | undefined;
  #waiting: (() => void)[] = [];

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** Whether others may rely on this node. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Starts the heartbeat; resolves when the lease is held. */
  held(): Promise<void> {
    this.#isWanted = true;
    if (this.#isHeld) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1 && !this.#isBeating) this.beat();
    });
  }

  /** Nothing has to be told to this node any more: the lease is left to lapse. */
  rest(): void {
    this.#isWanted = false;
    this.#isHeld = false;
    this.#generation = undefined;
    this.#goodAt = -Infinity;
    this.#next?.release();
    this.#fence?.release();
    // Whoever waited finds out that there is nothing to wait for.
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** A heartbeat now, or right after the one that is under way. */
  beat(): void {
    if (!this.#isWanted) return;
    if (this.#isBeating) {
      this.#again = true;
      return;
    }
    this.#next?.release();
    this.#isBeating = true;
    void this.#pull().then((delayMs) => {
      this.#isBeating = false;
      if (!this.#isWanted) return;
      const wait = this.#again ? 0 : delayMs;
      this.#again = false;
      this.#next = this.#parts.clock.setTimer(() => this.beat(), wait, { ref: false });
    });
  }

  /** One heartbeat; returns the milliseconds to the next. */
  async #pull(): Promise<number> {
    const { clock, leaseMs, newId, pull } = this.#parts;
    const third = leaseMs / 3;
    const sentAt = clock.now();
    try {
      const answer = await pull(leaseMs, newId(), third);
      if (!this.#isWanted) return third;
      this.#renewed(sentAt);
      if (!this.#isHeld) return 0;
      this.#parts.pending(answer);
      if (answer.generation !== this.#generation) void this.#reassert(answer.generation);
      this.#parts.renewed();
      return Math.max(0, sentAt + third - clock.now());
    } catch (error) {
      this.#parts.failed(error);
      return leaseMs / 10;
    }
  }

  /** Beside the heartbeat, which must not wait for it. */
  async #reassert(generation: string): Promise<void> {
    if (this.#isAsserting) return;
    this.#isAsserting = true;
    try {
      await this.#parts.reassert();
      // Only now: until everything is written, each heartbeat finds out again.
      this.#generation = generation;
    } catch (error) {
      this.#parts.failed(error);
    } finally {
      this.#isAsserting = false;
    }
  }

  #renewed(sentAt: number): void {
    const { clock, leaseMs } = this.#parts;
    const until = sentAt + leaseMs;
    // Paused for so long, on the way here, that this renewal is worth nothing.
    if (this.#isHeld && this.#goodAt + leaseMs < clock.now()) this.#lose();
    if (until <= clock.now()) return;
    this.#goodAt = sentAt;
    this.#isHeld = true;
    this.#fence?.release();
    this.#fence = clock.setTimer(() => this.#lose(), until - clock.now(), { ref: false });
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #lose(): void {
    this.#fence?.release();
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#parts.lost();
  }
}
