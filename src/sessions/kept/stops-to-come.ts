/**
 * Stops for what a session is still to start: one turn that was not accepted yet, or whatever comes first.
 *
 * Invariants:
 * - what was ended starts nothing more, and says why;
 * - each is kept once, the first of several, until it sticks or the session is closed;
 * - what is for whatever comes first is kept for a time, which the last of several may prolong;
 * - whoever asked hears what it stuck to, and not before.
 *
 * @module
 */
import type { Clock } from '../../core/foundation/clock.ts';
import type { Releasable } from '../../core/foundation/disposable.ts';
import type { CancelReason } from '../../core/foundation/reason.ts';
import type { StopsToCome } from '../../core/interrupt/turn/waiting/unstarted-turns.ts';

/** For how many single turns stops are kept, of one session. */
export const TURNS_AT_MOST = 100;

/** What a stop stuck to, which does not begin. */
export interface Stuck {
  readonly reason: CancelReason;
  /** `undefined` for background work. */
  readonly turnId: number | undefined;
}

interface Kept {
  readonly reason: CancelReason;
  until: number;
  timer: Releasable | undefined;
  readonly ended: Promise<Stuck | undefined>;
  readonly tell: (stuck: Stuck | undefined) => void;
}

/** Those of one session. */
export class KeptStops implements StopsToCome {
  readonly #clock: Clock;
  /** In the order in which they came: by turn, or for what starts first. */
  readonly #kept = new Map<number | 'first', Kept>();
  endedBy: CancelReason | undefined;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Keeps a stop for something that is still to come.
   *
   * @param aim The turn, or what starts first.
   * @param ms Milliseconds for which it is kept; `Infinity` for as long as the session is open.
   * @returns What it, or an earlier one with the same aim, has stuck to; `undefined` where it has missed that.
   */
  keep(aim: number | 'first', reason: CancelReason, ms: number): Promise<Stuck | undefined> {
    const before = this.#kept.get(aim);
    if (before !== undefined) {
      this.#until(aim, before, ms);
      return before.ended;
    }
    if (ms <= 0 || this.#isClosed || !this.hasRoomFor(aim)) return Promise.resolve(undefined);
    let tell: Kept['tell'] = () => undefined;
    const ended = new Promise<Stuck | undefined>((resolve) => {
      tell = resolve;
    });
    const kept: Kept = { reason, until: 0, timer: undefined, ended, tell };
    this.#kept.set(aim, kept);
    this.#until(aim, kept, ms);
    return ended;
  }

  #until(aim: number | 'first', kept: Kept, ms: number): void {
    const until = this.#clock.now() + ms;
    if (until <= kept.until) return;
    kept.until = until;
    kept.timer?.release();
    const isTooOld = (): void => {
      this.#over(aim, undefined);
    };
    kept.timer = ms === Infinity ? undefined : this.#clock.setTimer(isTooOld, ms, { ref: false });
  }

  /** Whether a stop of it can be kept. */
  hasRoomFor(aim: number | 'first'): boolean {
    const turns = this.#kept.size - Number(this.#kept.has('first'));
    return aim === 'first' || this.#kept.has(aim) || turns < TURNS_AT_MOST;
  }

  /** Nothing more starts, for this reason: where it was ended twice, the first. */
  end(reason: CancelReason): void {
    this.endedBy ??= reason;
  }

  /** Of two that stick to the same, the one that came first says why. */
  starts(turnId: number | undefined): CancelReason | undefined {
    const now = this.#clock.now();
    let stuck: Stuck | undefined;
    for (const [aim, { reason, until }] of [...this.#kept]) {
      if (aim !== 'first' && aim !== turnId) continue;
      // Its timer may be late.
      if (now < until) stuck ??= { reason, turnId };
      this.#over(aim, now < until ? stuck : undefined);
    }
    return stuck?.reason;
  }

  close(): void {
    this.#isClosed = true;
    for (const aim of [...this.#kept.keys()]) this.#over(aim, undefined);
  }

  #over(aim: number | 'first', stuck: Stuck | undefined): void {
    const kept = this.#kept.get(aim);
    this.#kept.delete(aim);
    kept?.timer?.release();
    kept?.tell(stuck);
  }
}
