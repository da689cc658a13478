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

/** The messages of one turn. Sets, so that one of many is taken out without a search. */
export class TurnMessages {
  /** In the order of their arrival. */
  #queued: Set<Message> | undefined;
  /** Those among them that this turn may deliver. */
  #forNow: Set<Message> | undefined;
  /** Read by a model call that has not returned. */
  #read: Set<Message> | undefined;
  #refused: Set<Message> | undefined;

  add(message: Message): void {
    (this.#queued ??= new Set()).add(message);
    if (isForNow(message)) (this.#forNow ??= new Set()).add(message);
  }

  /** Whether a message waits for the next model call. */
  get isWaiting(): boolean {
    return this.#forNow !== undefined && this.#forNow.size > 0;
  }

  /** Whether every message that this turn may deliver was delivered. */
  get isAnswered(): boolean {
    return !this.#read?.size && !this.isWaiting;
  }

  /** Whether the rest of a batch is to be skipped: a message that wants it waits, and no model call started since. */
  get skipsTools(): boolean {
    // Asked for each call: nothing waits, as a rule.
    if (this.#forNow === undefined) return false;
    for (const { delivery, wasOffered } of this.#forNow) {
      if (delivery === 'after-current-tool' && !wasOffered) return true;
    }
    return false;
  }

  /** A model call starts. */
  offered(): void {
    if (this.#forNow === undefined) return;
    for (const message of this.#forNow) message.offered();
  }

  /** Gives a model call what waits for it; the call delivers it or puts it back. */
  read(): readonly Message[] {
    const read = this.#takeForNow();
    if (read.length > 0) this.#read ??= new Set();
    for (const message of read) this.#read?.add(message);
    return read;
  }

  /**
   * Gives out, once, what belongs into the next model call; or, of what a call has read and answered, whatever a stop has
   * not given back meanwhile.
   */
  deliver(answered?: readonly Message[]): readonly Message[] {
    const messages = answered === undefined ? this.#takeForNow() : this.#release(answered);
    for (const message of messages) message.end('delivered');
    return messages;
  }

  /** The other end of `read`: the call failed, and the next attempt has to show them again. */
  putBack(messages: readonly Message[]): void {
    const waiting = this.#queued ?? NONE;
    this.#queued = this.#forNow = undefined;
    for (const message of this.#release(messages)) this.add(message);
    for (const message of waiting) this.add(message);
  }

  /** Takes out a message that still waits here, or that this turn would give back; returns whether there was one. */
  remove(message: Message): boolean {
    this.#forNow?.delete(message);
    return this.#queued?.delete(message) === true || this.#refused?.delete(message) === true;
  }

  /** Takes out everything that no call has delivered: no model call will see it. */
  takeAll(): readonly Message[] {
    if (this.#read === undefined && this.#queued === undefined) return NONE;
    const all = [...(this.#read ?? NONE), ...(this.#queued ?? NONE)];
    this.#read = this.#queued = this.#forNow = undefined;
    return all;
  }

  /** Keeps a message that this turn will not deliver, for its end. */
  refuse(message: Message): void {
    (this.#refused ??= new Set()).add(message);
  }

  /** What was refused and not taken out since, in the order in which it was sent. */
  get refused(): readonly Message[] {
    return this.#refused === undefined ? NONE : [...this.#refused].sort((a, b) => a.id - b.id);
  }

  /** Takes messages away from the call that has read them; returns those that it still had. */
  #release(messages: readonly Message[]): readonly Message[] {
    return messages.filter((message) => this.#read?.delete(message));
  }

  #takeForNow(): readonly Message[] {
    if (this.#forNow === undefined) return NONE;
    const taken = [...this.#forNow];
    for (const message of taken) this.#queued?.delete(message);
    this.#forNow = undefined;
    return taken;
  }
}
