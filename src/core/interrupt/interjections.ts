/**
 * Messages that arrive while a turn runs, each delivered once or given back.
 * In the interrupt room below the turn, which owns one queue.
 *
 * Invariants: a message is `queued` and then exactly one of `delivered`, `undelivered`; nothing is lost, nothing is
 * given out twice.
 *
 * Prior art: the "steering" queues of coding agents.
 *
 * @module
 */
import { requireOneOf } from '../foundation/check.ts';

/**
 * When a message is to reach the model.
 *
 * `now` the stream is cut, running tools finish · `after-current-tool` the rest of the batch is skipped ·
 * `next-model-call` nothing is cut · `after-turn` it becomes the next prompt.
 *
 * @since 0.1.0
 */
export type Delivery = 'now' | 'after-current-tool' | 'next-model-call' | 'after-turn';

/**
 * What becomes of messages that no model call saw: `return` them in the report, `keep` them for the next turn, `drop`
 * them.
 *
 * @since 0.1.0
 */
export type UndeliveredPolicy = 'return' | 'keep' | 'drop';

/**
 * A message on its way.
 *
 * @since 0.1.0
 */
export interface Interjection {
  /** Counts the messages of one controller, from 1. */
  readonly id: number;
  readonly message: unknown;
  readonly delivery: Delivery;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly status: 'queued' | 'delivered' | 'undelivered';
  /** Resolves when it was given out or given back; never rejects. */
  readonly settled: Promise<'delivered' | 'undelivered'>;
}

const deliveries = ['now', 'after-current-tool', 'next-model-call', 'after-turn'] as const;

/** Refuses anything but a delivery; `next-model-call` if nothing was said. */
export function requireDelivery(value: unknown): Delivery {
  return value === undefined ? 'next-model-call' : requireOneOf('delivery', value, deliveries);
}

/** Where a message came from, and falls back to when a sub-agent could not deliver it. */
export interface MessageOrigin {
  take(message: Message): void;
}

/** A message and the right to settle it. */
export class Message implements Interjection {
  readonly origin: MessageOrigin;
  /** It waited for a turn to end, and this is the next one. */
  isDue = false;
  readonly id: number;
  readonly message: unknown;
  readonly delivery: Delivery;
  readonly at: number;
  readonly settled: Promise<'delivered' | 'undelivered'>;
  #status: 'queued' | 'delivered' | 'undelivered' = 'queued';
  #resolve: (status: 'delivered' | 'undelivered') => void = () => undefined;

  constructor(id: number, message: unknown, delivery: Delivery, at: number, origin: MessageOrigin) {
    this.origin = origin;
    this.id = id;
    this.message = message;
    this.delivery = delivery;
    this.at = at;
    this.settled = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get status(): 'queued' | 'delivered' | 'undelivered' {
    return this.#status;
  }

  /** The first word counts. */
  settle(status: 'delivered' | 'undelivered'): void {
    if (this.#status !== 'queued') return;
    this.#status = status;
    this.#resolve(status);
  }
}

/** Whether this turn may deliver the message. */
function isForNow(message: Message): boolean {
  return message.delivery !== 'after-turn' || message.isDue;
}

/** The messages of one turn. */
export class InterjectionQueue {
  #queued: Message[] = [];
  readonly #refused: Message[] = [];

  add(message: Message): void {
    this.#queued.push(message);
  }

  /** Whether one waits that this turn can still deliver. */
  get isWaiting(): boolean {
    return this.#queued.some(isForNow);
  }

  /** Whether one waits that was sent with this delivery. */
  has(delivery: Delivery): boolean {
    return this.#queued.some((message) => message.delivery === delivery);
  }

  /** Gives out, once, what belongs into the next model call. */
  take(): Message[] {
    const taken = this.#queued.filter(isForNow);
    this.#queued = this.#queued.filter((message) => !isForNow(message));
    for (const message of taken) message.settle('delivered');
    return taken;
  }

  /** Takes out everything that waits: no model call will see it. */
  takeAll(): Message[] {
    return this.#queued.splice(0);
  }

  /** Keeps a message that this turn will not deliver, for its end. */
  refuse(message: Message): void {
    this.#refused.push(message);
  }

  /** What was refused, in the order in which it was sent. */
  get refused(): readonly Message[] {
    return [...this.#refused].sort((a, b) => a.id - b.id);
  }
}
