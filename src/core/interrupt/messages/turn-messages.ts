/**
 * The messages of one turn that no model call has answered yet.
 *
 * Invariants: a message stands in one queue at a time, in the order of its arrival there; nothing is lost and nothing is
 * given out twice.
 *
 * Prior art: the "steering" queues of coding agents.
 *
 * @module
 */
import type { Message } from './message.ts';

const NONE: readonly Message[] = /* @__PURE__ */ Object.freeze([]);

/** Whether this turn may deliver the message. */
function isForNow(message: Message): boolean {
  return message.delivery !== 'after-turn' || message.isDue;
}

/** The messages of one turn. */
export class TurnMessages {
  #queued: Message[] = [];
  /** Read by a model call that has not returned. */
  #read: Message[] | undefined;
  #refused: Message[] | undefined;

  add(message: Message): void {
    this.#queued.push(message);
  }

  /** Whether a message waits for the next model call. */
  get isWaiting(): boolean {
    return this.#queued.some(isForNow);
  }

  /** Whether every message that this turn may deliver was delivered. */
  get isAnswered(): boolean {
    return !this.#read?.length && !this.isWaiting;
  }

  /** Whether the rest of a batch is to be skipped: a message that wants it waits, and no model call started since. */
  get skipsTools(): boolean {
    return this.#queued.some(({ delivery, wasOffered }) => delivery === 'after-current-tool' && !wasOffered);
  }

  /** A model call starts. */
  offered(): void {
    for (const message of this.#queued) if (isForNow(message)) message.wasOffered = true;
  }

  /** Gives a model call what waits for it; the call delivers it or puts it back. */
  read(): Message[] {
    const read = this.#takeForNow();
    if (read.length > 0) this.#read = [...(this.#read ?? []), ...read];
    return read;
  }

  /**
   * Gives out, once, what belongs into the next model call; or, of what a call has read and answered, whatever a stop has
   * not given back meanwhile.
   */
  deliver(answered?: readonly Message[]): readonly Message[] {
    const messages = answered?.filter((message) => this.#release(message)) ?? this.#takeForNow();
    for (const message of messages) message.settle('delivered');
    return messages;
  }

  /** The other end of `read`: the call failed, and the next attempt has to show them again. */
  putBack(messages: readonly Message[]): void {
    const mine = messages.filter((message) => this.#release(message));
    this.#queued = [...mine, ...this.#queued];
  }

  /** Whether the message still waited here. */
  remove(message: Message): boolean {
    const before = this.#queued.length;
    this.#queued = this.#queued.filter((each) => each !== message);
    return this.#queued.length < before;
  }

  /** Takes out everything that no call has delivered: no model call will see it. */
  takeAll(): readonly Message[] {
    if (this.#read === undefined && this.#queued.length === 0) return NONE;
    const all = [...(this.#read ?? []), ...this.#queued.splice(0)];
    this.#read = undefined;
    return all;
  }

  /** Keeps a message that this turn will not deliver, for its end. */
  refuse(message: Message): void {
    (this.#refused ??= []).push(message);
  }

  /** What was refused and not withdrawn since, in the order in which it was sent. */
  get refused(): readonly Message[] {
    if (this.#refused === undefined) return NONE;
    return this.#refused.filter(({ status }) => status !== 'withdrawn').sort((a, b) => a.id - b.id);
  }

  /** Takes a message away from the call that has read it; returns whether one had. */
  #release(message: Message): boolean {
    const before = this.#read;
    this.#read = before?.filter((each) => each !== message);
    return this.#read?.length !== before?.length;
  }

  #takeForNow(): Message[] {
    const taken = this.#queued.filter(isForNow);
    this.#queued = this.#queued.filter((message) => !isForNow(message));
    return taken;
  }
}
