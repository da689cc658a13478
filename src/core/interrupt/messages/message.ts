/**
 * One message on its way to a model call.
 *
 * Invariant: it is `queued` and then exactly one of `delivered`, `undelivered`, `withdrawn`.
 *
 * @module
 */
import { requireOneOf } from '../../foundation/check.ts';
import type { Delivery, Interjection, InterjectionEnd } from '../public-types/messages.ts';

const deliveries = ['now', 'after-current-tool', 'next-model-call', 'after-turn'] as const;

/** Refuses anything but a delivery; `next-model-call` if nothing was said. */
export function requireDelivery(value: unknown): Delivery {
  return value === undefined ? 'next-model-call' : requireOneOf('delivery', value, deliveries);
}

/** The messages of one agent, as one of them sees it. */
interface MessageKeeper {
  /** Whether it can still do something with a message that a sub-agent did not deliver. */
  readonly takesBack: boolean;
  take(message: Message): void;
  withdraw(message: Message): boolean;
  ended(message: Message): void;
}

/** A message and the right to end it. Its sender holds it, so what may change, and what leads to the agent, is private. */
export class Message implements Interjection {
  readonly id: number;
  readonly message: unknown;
  readonly delivery: Delivery;
  readonly at: number;
  readonly settled: Promise<InterjectionEnd>;
  readonly withdraw = (): boolean => this.#holder.withdraw(this);
  readonly #origin: MessageKeeper;
  /** The messages it is among now. */
  #holder: MessageKeeper;
  #isDue = false;
  #wasOffered = false;
  #status: 'queued' | InterjectionEnd = 'queued';
  #resolve: (end: InterjectionEnd) => void = () => undefined;

  constructor(id: number, message: unknown, delivery: Delivery, at: number, origin: MessageKeeper) {
    this.#origin = origin;
    this.#holder = origin;
    this.id = id;
    this.message = message;
    this.delivery = delivery;
    this.at = at;
    this.settled = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** The messages of the agent it was sent to; it falls back there when a sub-agent could not deliver it. */
  get origin(): MessageKeeper {
    return this.#origin;
  }

  take(holder: MessageKeeper): void {
    this.#holder = holder;
  }

  /** It waited for a turn to end, and this is the next one. */
  get isDue(): boolean {
    return this.#isDue;
  }

  due(): void {
    this.#isDue = true;
  }

  /** A model call has started since it came: it holds back no tools any more. */
  get wasOffered(): boolean {
    return this.#wasOffered;
  }

  offered(): void {
    this.#wasOffered = true;
  }

  get status(): 'queued' | InterjectionEnd {
    return this.#status;
  }

  /** The first end counts. */
  end(end: InterjectionEnd): void {
    if (this.#status !== 'queued') return;
    this.#status = end;
    this.#origin.ended(this);
    this.#resolve(end);
  }
}
