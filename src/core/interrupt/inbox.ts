/**
 * What becomes of a message: queued, delivered, or given back.
 * In the interrupt room between the controller and the queue of the running turn; runs the machine's effects of
 * messages.
 *
 * Invariants: a message is settled once; what nobody delivers goes where the policy says, in the order it came.
 *
 * @module
 */
import type { Clock } from '../foundation/clock.ts';
import { createReason } from '../foundation/reason.ts';
import type { EventHub } from './event-hub.ts';
import { Message, type Delivery, type UndeliveredPolicy } from './interjections.ts';
import type { Effect } from './machine.ts';
import type { InterruptStatus } from './status.ts';
import type { TurnState } from './turn-state.ts';

/** The messages of one controller, over all its turns. */
export class Inbox {
  readonly #status: InterruptStatus;
  readonly #events: EventHub;
  readonly #clock: Clock;
  readonly #policy: UndeliveredPolicy;
  #count = 0;
  /** With policy `keep`: what waits for the next turn. */
  #kept: Message[] = [];

  constructor(status: InterruptStatus, events: EventHub, clock: Clock, policy: UndeliveredPolicy) {
    this.#status = status;
    this.#events = events;
    this.#clock = clock;
    this.#policy = policy;
  }

  /** Hands a new message to the running turn; without one it comes back at once. */
  post(turn: TurnState | undefined, text: unknown, delivery: Delivery): Message {
    const message = new Message(++this.#count, text, delivery, this.#clock.now());
    if (turn === undefined) message.settle('undelivered');
    else this.#take(turn, message);
    return message;
  }

  /** A turn has started: what was kept is for it. */
  opened(turn: TurnState): void {
    for (const message of this.#kept.splice(0)) this.#take(turn, message);
  }

  /** Messages were given out to a model call. */
  delivered(messages: readonly Message[]): void {
    for (const interjection of messages) this.#events.emit({ type: 'interjection-delivered', interjection });
    if (messages.length > 0) this.#status.apply('delivered');
  }

  /** A stop came: what waits will not be delivered in this turn. */
  giveBack(turn: TurnState): void {
    turn.queue.refuseAll();
    this.#settleRefused(turn);
  }

  /** A turn has ended: what its report returns. */
  closed(turn: TurnState): readonly Message[] {
    this.giveBack(turn);
    const refused = turn.queue.takeRefused();
    if (this.#policy === 'keep') this.#kept.push(...refused);
    return this.#policy === 'return' ? refused : [];
  }

  /** The agent is closed: nothing is kept for a next turn. */
  abandon(): void {
    for (const message of this.#kept.splice(0)) message.settle('undelivered');
  }

  #take(turn: TurnState, message: Message): void {
    for (const effect of this.#effectsOf(message)) {
      if (effect === 'refuse') {
        turn.queue.refuse(message);
        this.#settleRefused(turn);
      } else if (effect === 'queue') {
        turn.queue.add(message);
        const reason = createReason({ kind: 'interjection', at: message.at });
        if (this.#status.state === 'interjecting') this.#status.note('interjection', reason, message.at);
        this.#events.emit({ type: 'interrupt-requested', kind: 'interjection', reason });
        this.#events.emit({ type: 'interjection-queued', interjection: message });
      } else if (effect === 'cut-generation') turn.cutGeneration();
    }
  }

  #effectsOf(message: Message): readonly Effect[] {
    const { state } = this.#status;
    // What is meant for the next prompt interrupts nothing.
    if (message.delivery === 'after-turn' && (state === 'running' || state === 'interjecting')) return ['queue'];
    return this.#status.apply(message.delivery === 'now' ? 'interject-now' : 'interject');
  }

  #settleRefused(turn: TurnState): void {
    if (this.#policy !== 'keep') for (const message of turn.queue.refused) message.settle('undelivered');
  }
}
