/**
 * How long work that was told to stop may take to do so, also where the work stands inside other work that stops.
 *
 * Everything that is inside its own grace *holds* the nearest work above it. A default grace does not run out while it is
 * held, and lasts at least half of itself after it was let go: so one deaf leaf is named, and the obedient work above it
 * has time to clean up. A grace that was given on the call itself is kept to the letter. Of either, the time in which work
 * held the event loop at its end is given back, once.
 *
 * Invariants: what is held is let go exactly once, when the holder below has ended or was given up; after the end nothing
 * of it is left in the clock or at the token.
 *
 * Prior art: Kubernetes' termination grace, which ends the whole pod at once; supervision trees, which stop leaves first.
 *
 * @module
 */
import type { Clock } from '../../foundation/clock.ts';
import type { Releasable } from '../../foundation/disposable.ts';
import { tokenOf } from '../../token/bridge/linked-tokens.ts';
import type { TokenLike } from '../../token/cancellation-token.ts';
import { listenKilled, type Registration } from '../../token/tree/listeners.ts';
import { extraOf, parentsOf, type GraceHolder, type Node } from '../../token/tree/node.ts';
import { givenBackMs } from './given-back.ts';

/** The grace of everything that was given none, in milliseconds. */
export const DEFAULT_GRACE_MS = 1000;

/** What a kill leaves to work above a commit, which has a grace of its own: half a default grace longer than that. */
const MOST_AFTER_KILL_MS = 1.5 * DEFAULT_GRACE_MS;

/** Says whose grace is held by everything on this token and below it. */
export function setHolder(token: Node, holder: GraceHolder): void {
  extraOf(token).holder = holder;
}

/** Takes back what {@link setHolder} said; another holder that came since stays. */
export function dropHolder({ extra }: Node, holder: GraceHolder): void {
  if (extra?.holder === holder) extra.holder = undefined;
}

/** The nearest work at a token or above it, on every way up; a foreign `AbortSignal.any` is the end of a way. */
function nearestHolders(start: Node, self: GraceHolder | undefined): ReadonlySet<GraceHolder> {
  const found = new Set<GraceHolder>();
  const seen = new Set<Node>();
  const open: Node[] = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    const holder = node.extra?.holder;
    if (holder !== undefined && holder !== self) found.add(holder);
    else for (const above of parentsOf(node)) open.push(above);
  }
  return found;
}

/** The work above waits with its own end until it is let go. */
function hold(token: Node, self?: GraceHolder): Releasable {
  const holders = nearestHolders(token, self);
  for (const holder of holders) holder.hold();
  let isHeld = true;
  return {
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      for (const holder of holders) holder.letGo();
    },
  };
}

/**
 * Says that something on this token was told to stop and is inside a grace of its own: the work above that was given a
 * default grace waits with its own end until this is released. For a ladder of signals to a process, from the first of
 * them until the process is gone; for a shield, a clean-up, an iterator that unwinds.
 *
 * @cleanup Release it when the thing has ended or was given up, whichever is first.
 */
export function holdGrace(token: TokenLike | null | undefined): Releasable {
  return hold(tokenOf(token));
}

/** When to give up one piece of work. An owner that decides itself when its work is given up has one of its own. */
export class Grace implements GraceHolder {
  readonly #clock: Clock;
  readonly #token: Node;
  readonly #ms: number;
  readonly #isExact: boolean;
  readonly #giveUp: () => void;
  readonly #self: GraceHolder;
  #above: Releasable | undefined;
  #timer: Releasable | undefined;
  #onKilled: Registration | undefined;
  #held = 0;
  #endsAt = Infinity;
  #isRunning = false;
  #isKilled = false;
  /** What a kill leaves is over then. */
  #killedAt = 0;
  #wasBlocked = false;

  /**
   * @param token The token of the work: what stands above it is held while the grace runs.
   * @param ms How long; `Infinity` for ever.
   * @param isExact It was given on the call itself, so nothing below makes it longer.
   * @param giveUp Called when it is over; more than once, if the owner was not able to give up yet.
   * @param self Who is named as the holder, if not the grace itself: nothing holds itself.
   */
  constructor(clock: Clock, token: Node, ms: number, isExact: boolean, giveUp: () => void, self?: GraceHolder) {
    this.#clock = clock;
    this.#token = token;
    this.#ms = ms;
    this.#isExact = isExact;
    this.#giveUp = giveUp;
    this.#self = self ?? this;
  }

  /** The instant at which it will be over, as far as it is known: while it is held, never. */
  get endsAt(): number {
    return this.#isWaiting() ? Infinity : this.#endsAt;
  }

  /** The work was told to stop, or killed: that it hears by itself. */
  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#above ??= hold(this.#token, this.#self);
    this.#onKilled = listenKilled(this.#token, () => {
      this.#kill();
    });
    if (this.#isKilled || this.#ms === Infinity) return;
    this.#endsAt = this.#clock.now() + this.#ms;
    this.#arm(this.#ms);
  }

  /**
   * The work is given up after what is left to it, mostly in the next turn of the event loop, or in that after the work
   * below it. Below, too, a kill leaves little.
   */
  #kill(): void {
    this.#isKilled = true;
    this.#killedAt = this.#clock.now() + (this.#self.killed?.() ?? 0);
    this.#armKill();
  }

  #armKill(): void {
    const heldMs = this.#isExact ? Math.min(this.#ms, MOST_AFTER_KILL_MS) : MOST_AFTER_KILL_MS;
    this.#arm(this.#held > 0 ? heldMs : Math.max(0, this.#killedAt - this.#clock.now()));
  }

  hold(): void {
    this.#held++;
    if (this.#isKilled) this.#armKill();
  }

  letGo(): void {
    if (--this.#held > 0) return;
    if (!this.#isRunning) {
      this.#above?.release();
      return;
    }
    if (this.#isKilled) this.#armKill();
    if (this.#isKilled || this.#isExact || this.#endsAt === Infinity) return;
    const now = this.#clock.now();
    this.#endsAt = Math.max(this.#endsAt, now + this.#ms / 2);
    this.#arm(this.#endsAt - now);
  }

  /** The work has ended or was given up. What is above is held while anything below still unwinds. */
  end(): void {
    this.#isRunning = false;
    this.#timer?.release();
    this.#onKilled?.unregister();
    if (this.#held === 0) this.#above?.release();
    else this.#above ??= hold(this.#token, this.#self);
  }

  /** Something below is inside its own grace, and has not used up what a kill leaves. */
  #isWaiting(): boolean {
    return this.#held > 0 && !this.#isExact && !this.#isKilled;
  }

  #arm(ms: number): void {
    this.#timer?.release();
    const dueAt = this.#clock.now() + ms;
    this.#timer = this.#clock.setTimer(
      () => {
        this.#timer = undefined;
        if (!this.#isWaiting()) this.#ring(givenBackMs(this.#clock, dueAt, this.#ms));
      },
      ms,
      { ref: true },
    );
  }

  /** What nobody could use of the grace is given back, once. */
  #ring(givenBack: number): void {
    if (givenBack === 0 || this.#isKilled || this.#wasBlocked) {
      this.#giveUp();
      return;
    }
    this.#wasBlocked = true;
    this.#endsAt = this.#clock.now() + givenBack;
    this.#arm(givenBack);
  }
}
