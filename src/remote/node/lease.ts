/**
 * The heartbeat of a node: it keeps the lease, and brings what no wake-up brought.
 *
 * Invariants:
 * - D2: one operation renews the lease and returns what is in the inbox; one at a time is under way, with a deadline.
 * - D6: one lease per node, renewed every third of it, and only while the node has something to be told.
 * - D8: a node that cannot renew knows by its own clock, from the last renewal that it *sent*, when nobody may trust it.
 * - D12: what an engine may have lost is a level, not an edge: it is looked at again until all of it is known to be there.
 *
 * Prior art: Chubby's session lease and jeopardy.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import type { Releasable } from '../../core/foundation/disposable.ts';
import type { StopPull } from '../backend.ts';
import { Marks } from './engine/marks.ts';

/** What the lease works with, and whom it tells. */
export interface LeaseParts {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly newId: () => string;
  readonly pull: (leaseMs: number, mark: string) => Promise<StopPull>;
  /** A heartbeat brought these. */
  readonly pending: (pull: StopPull) => void;
  /**
   * Looks at what this node wrote: at what is new since the heartbeat before, or at everything, where the engine may have lost it.
   * Rejects if it could not be written again.
   */
  readonly assert: (isAll: boolean) => Promise<void>;
  /** The engine has lost a lease before its time, and what else nobody knows. */
  readonly dataLost: () => void;
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
  readonly #marks = new Marks();
  /** How often the engine may have lost something, and how much of that was looked after. */
  #doubts = 0;
  #settled = 0;
  #waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];
  /** Those who want to know what the next heartbeat finds. */
  #asking: ((isAnswered: boolean) => void)[] = [];

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** Whether there is a heartbeat. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Whether others may rely on this node. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Where a node is woken; empty where it is not, since it listens as long as it wants a lease. */
  addressOf(node: string): string {
    return this.#isWanted ? node : '';
  }

  /** Starts the heartbeat; resolves when the lease is held, and rejects where a heartbeat fails before. */
  held(): Promise<void> {
    this.#isWanted = true;
    if (this.#isHeld) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#waiting.length === 1 && !this.#isBeating) this.beat();
    });
  }

  /**
   * Finds out by a heartbeat that begins now whether the engine has lost the lease, and tells `dataLost` first. At once where there
   * is none to lose.
   *
   * @returns `false` if the engine does not say.
   */
  checked(): Promise<boolean> {
    if (!this.#isHeld) return Promise.resolve(true);
    return new Promise((resolve) => {
      this.#asking.push(resolve);
      this.beat();
    });
  }

  /** Nothing has to be told to this node any more: the lease is left to lapse. */
  rest(): void {
    this.#isWanted = false;
    this.#isHeld = false;
    this.#marks.forget();
    this.#settled = this.#doubts;
    this.#goodAt = -Infinity;
    this.#next?.release();
    this.#fence?.release();
    // Whoever waited finds out that there is nothing to wait for.
    for (const { resolve } of this.#waiting.splice(0)) resolve();
    for (const resolve of this.#asking.splice(0)) resolve(true);
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
    const mark = newId();
    const asking = this.#asking.splice(0);
    let isAnswered = false;
    this.#marks.sent(mark);
    try {
      const answer = await pull(leaseMs, mark);
      isAnswered = true;
      if (!this.#isWanted) return third;
      this.#remember(mark, answer.previous);
      this.#renewed(sentAt);
      if (!this.#isHeld) return 0;
      this.#parts.pending(answer);
      void this.#assert();
      this.#parts.renewed();
      return Math.max(0, sentAt + third - clock.now());
    } catch (error) {
      this.#parts.failed(error);
      // Whoever has gone meanwhile asks no more: an engine may be away for long.
      for (const { reject } of this.#waiting.splice(0)) reject(error);
      return leaseMs / 10;
    } finally {
      for (const resolve of asking) resolve(isAnswered);
    }
  }

  #remember(mark: string, previous: string | undefined): void {
    const { clock, leaseMs, dataLost } = this.#parts;
    const memory = this.#marks.found(mark, previous);
    if (memory !== 'whole') this.#doubts++;
    if (memory === 'lost' && this.#isHeld && clock.now() < this.#goodAt + leaseMs) dataLost();
  }

  /** Beside the heartbeat, which must not wait for it. */
  async #assert(): Promise<void> {
    if (this.#isAsserting) return;
    this.#isAsserting = true;
    const doubts = this.#doubts;
    try {
      await this.#parts.assert(doubts !== this.#settled);
      // Only now: until everything is written, each heartbeat looks again.
      this.#settled = doubts;
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
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  #lose(): void {
    this.#fence?.release();
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#parts.lost();
  }
}
