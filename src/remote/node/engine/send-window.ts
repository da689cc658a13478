/**
 * How much is under way to the engine at once. What a process sends in one go – ten thousand claims after a restart – would
 * otherwise be late for its own deadlines, be sent again on top of what the engine still has, and so never be done.
 *
 * Invariants: a place comes back when its operation has settled or its socket was given up, not when nobody waits any more;
 * first come, first sent, and what is urgent before what is not; what nobody wants any more is not sent; the size follows
 * how long the engine takes.
 *
 * Prior art: TCP's slow start and AIMD; TCP Vegas and Netflix' concurrency-limits, which take the time of an answer for the
 * length of the queue.
 *
 * @module
 */

/** How much is under way at most where the engine does not say. */
const MOST_AT_ONCE = 1_000;
/** How much is under way before anything was learned. */
const FIRST_AT_ONCE = 64;
/** An answer that takes so many times the best one waited in a queue for most of it. */
const QUEUED = 2;

/** What a window is made of. */
export interface SendWindowParts {
  /** Milliseconds since anything. */
  readonly now: () => number;
  /** Milliseconds that an answer may take without that being too long. */
  readonly briefMs: number;
  /** The most that the engine takes at once. */
  readonly most?: number | undefined;
}

/** How something is sent. */
export interface SendOptions {
  /** A stop goes before what is there to be found by one. */
  readonly isUrgent?: boolean | undefined;
  /** Asked when its turn comes. */
  readonly isWanted?: (() => boolean) | undefined;
}

/** Times one operation, from when it is sent to its answer. */
export type Timed = <T>(send: () => Promise<T>) => Promise<T>;

/** Something that waits for its turn. */
interface Waiting {
  readonly begin: () => void;
  readonly refuse: (error: unknown) => void;
  readonly isWanted: () => boolean;
  next: Waiting | undefined;
}

/** In the order in which they came. */
class Line {
  #first: Waiting | undefined;
  #last: Waiting | undefined;

  add(waiting: Waiting): void {
    if (this.#last === undefined) this.#first = waiting;
    else this.#last.next = waiting;
    this.#last = waiting;
  }

  take(): Waiting | undefined {
    const taken = this.#first;
    this.#first = taken?.next;
    if (this.#first === undefined) this.#last = undefined;
    return taken;
  }
}

/** Nobody waited any more when its turn came. */
export class NotWantedError extends Error {
  constructor() {
    super('nobody waits for it any more');
    this.name = 'NotWantedError';
  }
}

/** The operations of one node, heartbeats apart. */
export class SendWindow {
  readonly #parts: SendWindowParts;
  readonly #most: number;
  readonly #urgent = new Line();
  readonly #other = new Line();
  #waiting = 0;
  #underWay = 0;
  #size: number;
  /** Below it the window doubles with each round trip, above it one is added. */
  #threshold: number;
  /** What was sent before it says nothing of the size there is now. */
  #cutAt = -Infinity;
  #bestMs = Infinity;
  /** Counts sockets: what is on one that was given up has no place any more. */
  #socket = 0;

  constructor(parts: SendWindowParts) {
    this.#parts = parts;
    this.#most = Math.max(1, Math.trunc(parts.most ?? MOST_AT_ONCE));
    this.#size = Math.min(FIRST_AT_ONCE, this.#most);
    this.#threshold = this.#most;
  }

  /** How much may be under way. */
  get size(): number {
    return Math.trunc(this.#size);
  }

  /** How much waits for its turn. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Does `work` when its turn comes: everything that belongs together, with one place for all of it.
   *
   * @param work Gets what times each of its operations.
   * @returns What it returns; rejects with {@link NotWantedError} where nobody wants it any more.
   */
  run<T>(work: (timed: Timed) => Promise<T>, { isUrgent = false, isWanted = always }: SendOptions = {}): Promise<T> {
    if (this.#waiting === 0 && this.#underWay < this.size)
      return isWanted() ? this.#begin(work) : Promise.reject(new NotWantedError());
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        void this.#begin(work).then(resolve, reject);
      };
      this.#waiting++;
      (isUrgent ? this.#urgent : this.#other).add({ begin, refuse: reject, isWanted, next: undefined });
      this.#fill();
    });
  }

  /** The engine does not answer: nobody waits to find that out again. */
  refuseWaiting(error: unknown): void {
    for (let next = this.#take(); next !== undefined; next = this.#take()) next.refuse(error);
  }

  /** What is under way is on a socket that was given up: it holds up nothing on the new one. */
  giveUp(): void {
    this.#socket++;
    this.#underWay = 0;
    this.#fill();
  }

  #begin<T>(work: (timed: Timed) => Promise<T>): Promise<T> {
    const socket = this.#socket;
    // The work, and what it has sent: whoever waited may have given up before the engine has, which still works at it.
    let open = 1;
    this.#underWay++;
    const leave = (): void => {
      if (--open > 0 || socket !== this.#socket) return;
      this.#underWay--;
      this.#fill();
    };
    const done = work((send) => {
      const sentAt = this.#parts.now();
      const answer = send();
      open++;
      // An engine that refuses says nothing of how much it can take.
      answer.then(() => {
        this.#learn(sentAt);
        leave();
      }, leave);
      return answer;
    });
    done.then(leave, leave);
    return done;
  }

  #learn(sentAt: number): void {
    const tookMs = this.#parts.now() - sentAt;
    // What is alone waits behind nothing of ours: the line may have become a longer one.
    const isAlone = this.size === 1 && sentAt >= this.#cutAt;
    this.#bestMs = isAlone ? tookMs : Math.min(this.#bestMs, tookMs);
    if (tookMs > Math.max(this.#parts.briefMs, this.#bestMs * QUEUED)) {
      if (sentAt < this.#cutAt) return;
      this.#cutAt = this.#parts.now();
      this.#size = this.#threshold = Math.max(1, this.#size / 2);
    } else if (this.#waiting > 0) {
      const more = this.#size < this.#threshold ? 1 : 1 / this.#size;
      this.#size = Math.min(this.#most, this.#size + more);
    }
  }

  #take(): Waiting | undefined {
    const next = this.#urgent.take() ?? this.#other.take();
    if (next !== undefined) this.#waiting--;
    return next;
  }

  #fill(): void {
    while (this.#underWay < this.size) {
      const next = this.#take();
      if (next === undefined) return;
      if (next.isWanted()) next.begin();
      else next.refuse(new NotWantedError());
    }
  }
}

function always(): boolean {
  return true;
}
