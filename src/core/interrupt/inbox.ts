/**
 * What becomes of a message: queued, delivered, or given back.
 * In the interrupt room between the controller and the queue of the running turn; runs the machine's effects of
 * messages.
 *
 * Invariants: a message is settled once; what nobody delivers goes where the policy of the agent it was meant for says,
 * in the order it came; what a sub-agent did not deliver falls back to the agent it came from.
 *
 * @module
 */
import { createReason } from '../foundation/reason.ts';
import type { AgentView } from './agent-view.ts';
import { Message, type Delivery, type UndeliveredPolicy } from './interjections.ts';
import type { Effect } from './machine.ts';
import type { TurnState } from './turn-state.ts';

/** What the inbox needs of its controller. */
type InboxOwner = Pick<AgentView, 'state' | 'apply' | 'note' | 'emit' | 'clock'>;

/** The messages of one controller, over all its turns. */
export class Inbox {
  readonly #agent: InboxOwner;
  readonly #policy: UndeliveredPolicy;
  #count = 0;
  #turn: TurnState | undefined;
  #closed = false;
  /** With policy `keep`: what waits for the next turn. */
  #kept: Message[] = [];

  constructor(agent: InboxOwner, policy: UndeliveredPolicy) {
    this.#agent = agent;
    this.#policy = policy;
  }

  /** A new message of this agent. */
  create(text: unknown, delivery: Delivery): Message {
    return new Message(++this.#count, text, delivery, this.#agent.clock.now(), this);
  }

  /** Takes a message: into the running turn, or where the policy says. */
  take(message: Message): void {
    const turn = this.#turn;
    if (turn === undefined) {
      this.#leftOver([message]);
      return;
    }
    for (const effect of this.#effectsOf(message)) {
      if (effect === 'refuse') this.#refuse(turn, message);
      else if (effect === 'queue') this.#queue(turn, message);
      else if (effect === 'cut-generation') turn.cutGeneration();
    }
  }

  /** A turn has started: what was kept is for it. */
  opened(turn: TurnState): void {
    this.#turn = turn;
    for (const message of this.#kept.splice(0)) {
      message.isDue = true;
      this.take(message);
    }
  }

  /** Messages were given out to a model call. */
  delivered(turn: TurnState, messages: readonly Message[]): void {
    for (const interjection of messages) this.#agent.emit({ type: 'interjection-delivered', interjection });
    // A listener may have sent the next one.
    if (messages.length > 0 && !turn.queue.isWaiting) this.#agent.apply('delivered');
  }

  /** A stop came: what waits will not be delivered in this turn. */
  giveBack(turn: TurnState): void {
    for (const message of turn.queue.takeAll()) this.#refuse(turn, message);
  }

  /** A turn has ended: what its report returns. */
  closed(turn: TurnState): readonly Message[] {
    this.giveBack(turn);
    this.#turn = undefined;
    this.#leftOver(turn.queue.refused);
    return this.returned(turn);
  }

  /** What the report of a turn returns. */
  returned(turn: TurnState): readonly Message[] {
    return this.#policy === 'return' ? turn.queue.refused : [];
  }

  /** The agent is closed: nothing is kept for a next turn. */
  close(): void {
    this.#closed = true;
    for (const message of this.#kept.splice(0)) message.settle('undelivered');
  }

  #leftOver(messages: readonly Message[]): void {
    if (this.#policy === 'keep' && !this.#closed) this.#kept.push(...messages);
    else for (const message of messages) message.settle('undelivered');
  }

  #refuse(turn: TurnState, message: Message): void {
    // One from above may still be delivered there.
    if (message.origin !== this) {
      message.origin.take(message);
      return;
    }
    turn.queue.refuse(message);
    if (this.#policy !== 'keep') message.settle('undelivered');
  }

  #queue(turn: TurnState, message: Message): void {
    turn.queue.add(message);
    const reason = createReason({ kind: 'interjection', at: message.at });
    if (this.#agent.state === 'interjecting') this.#agent.note('interjection', reason, message.at);
    this.#agent.emit({ type: 'interrupt-requested', kind: 'interjection', reason });
    this.#agent.emit({ type: 'interjection-queued', interjection: message });
    if (turn.queue.isWaiting) turn.endWaits(reason);
  }

  #effectsOf(message: Message): readonly Effect[] {
    const { state } = this.#agent;
    // What is meant for the next prompt interrupts nothing.
    const waits = message.delivery === 'after-turn' && !message.isDue;
    if (waits && (state === 'running' || state === 'interjecting')) return ['queue'];
    return this.#agent.apply(message.delivery === 'now' ? 'interject-now' : 'interject');
  }
}
