/**
 * The messages of one agent over all its turns: queued, delivered, withdrawn, or given back.
 *
 * Invariants: a message is settled once; what nobody delivers goes where the policy of the agent it was sent to says, in
 * the order of sending; what a sub-agent did not deliver falls back to the agent it came from.
 *
 * @module
 */
import { isObject, requireOptions, show, type OptionNames } from '../../foundation/check.ts';
import { createReason, type CancelReason, type CancelReasonInit } from '../../foundation/reason.ts';
import { workingFor } from '../agent/subagents.ts';
import type { Effect } from '../machine.ts';
import type { TurnMessages } from './turn-messages.ts';
import type { AgentStatus } from '../agent/agent-status.ts';
import type { InterruptEventBody } from '../public-types/events.ts';
import type { Delivery, UndeliveredPolicy } from '../public-types/messages.ts';
import { stopTurns, type AimedAgent } from '../stops/stop-request.ts';
import { Message, requireDelivery } from './message.ts';

const interjectOptions: OptionNames<NonNullable<Parameters<AgentMessages['interject']>[1]>> = { delivery: 1 };

/** The agent that they are sent to. */
interface MessagedAgent extends AimedAgent {
  readonly status: AgentStatus;
  readonly messages: AgentMessages;
  readonly working: Iterable<MessagedAgent>;
  readonly link:
    | (NonNullable<AimedAgent['link']> & { readonly onParentInterject: 'forward' | 'finish' | 'stop' })
    | undefined;
  emit(event: InterruptEventBody): void;
  reasonOf(input: CancelReasonInit): CancelReason;
}

/** The turn that takes them. */
interface MessagedTurn {
  readonly id: number;
  readonly queue: TurnMessages;
  readonly stop: object | undefined;
  readonly modelCalls: number;
  /** Ends the model's output, and the tools that asked to hear of messages. */
  cutGeneration(): void;
  /** A message waits for the model. */
  messageWaits(reason: CancelReason): void;
}

/** The messages of one controller. */
export class AgentMessages {
  readonly #agent: MessagedAgent;
  readonly #policy: UndeliveredPolicy;
  #count = 0;
  #turn: MessagedTurn | undefined;
  #closed = false;
  /** With policy `keep`: what waits for the next turn. */
  #kept: Set<Message> | undefined;
  /** Sent to this agent, and not ended. */
  #open: Set<Message> | undefined;

  constructor(agent: MessagedAgent, policy: UndeliveredPolicy) {
    this.#agent = agent;
    this.#policy = policy;
  }

  /** What was sent to this agent and is not ended, in the order of sending. */
  get queued(): readonly Message[] {
    return [...(this.#open ?? [])];
  }

  /** A new message, which the innermost working agent gets. */
  interject(text: unknown, options: { readonly delivery?: Delivery | undefined } = {}): Message {
    if (!isObject(options)) {
      throw new TypeError(`options must be an object such as { delivery: 'now' }, got ${show(options)}`);
    }
    requireOptions(options, interjectOptions);
    const delivery = requireDelivery(options.delivery);
    const message = new Message(++this.#count, text, delivery, this.#agent.clock.now(), this);
    (this.#open ??= new Set()).add(message);
    this.#agent.status.personSpoke();
    this.#forward(message);
    return message;
  }

  #forward(message: Message): void {
    const child = workingFor(this.#agent);
    const policy = child?.link?.onParentInterject;
    if (child !== undefined && policy === 'stop') stopTurns(child, 'cancel', child.reasonOf({ kind: 'interjection' }));
    if (child !== undefined && policy === 'forward') child.messages.#forward(message);
    else this.take(message);
  }

  /** A message of this agent has ended. */
  ended(message: Message): void {
    this.#open?.delete(message);
  }

  /** Takes a message: into the running turn, or where the policy says. */
  take(message: Message): void {
    message.take(this);
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

  /** Whether what a sub-agent did not deliver is delivered here, or kept, or dropped. */
  get takesBack(): boolean {
    return this.#turn !== undefined || this.#policy !== 'return';
  }

  /** A turn takes messages from here on. */
  opened(turn: MessagedTurn): void {
    this.#turn = turn;
  }

  /** What was kept for this turn goes into it. */
  takeKept(): void {
    // There are none as a rule, and each turn asks.
    if (this.#kept === undefined) return;
    for (const message of this.#takeKept()) {
      message.due();
      this.take(message);
    }
  }

  /** Messages were given out to a model call; to the next one, if none has read them yet. */
  delivered(turn: MessagedTurn, messages: readonly Message[], modelCall: number = turn.modelCalls + 1): void {
    for (const interjection of messages) {
      this.#agent.emit({ type: 'interjection-delivered', interjection, turnId: turn.id, modelCall });
    }
    // A listener may have sent the next one.
    if (messages.length > 0 && turn.queue.isAnswered) this.#agent.status.apply('delivered');
  }

  /** A model call that had read messages has failed. */
  putBack(turn: MessagedTurn, messages: readonly Message[]): void {
    turn.queue.putBack(messages);
    if (turn.stop !== undefined) this.giveBack(turn);
  }

  /** Takes a message out again for its sender; returns whether no model call had it. */
  withdraw(message: Message): boolean {
    if (message.status !== 'queued') return false;
    const turn = this.#turn;
    if (turn?.queue.remove(message) !== true && this.#kept?.delete(message) !== true) return false;
    message.end('withdrawn');
    if (turn?.queue.isAnswered === true) this.#agent.status.apply('delivered');
    return true;
  }

  /** A stop came: what waits will not be delivered in this turn. */
  giveBack(turn: MessagedTurn): void {
    for (const message of turn.queue.takeAll()) this.#refuse(turn, message);
  }

  /** A turn has ended: what its report returns. */
  closed(turn: MessagedTurn): readonly Message[] {
    this.giveBack(turn);
    this.#turn = undefined;
    this.#leftOver(turn.queue.refused);
    return this.returned(turn);
  }

  /** What the report of a turn returns. */
  returned(turn: MessagedTurn): readonly Message[] {
    return this.#policy === 'return' ? turn.queue.refused : [];
  }

  /** The agent is closed: nothing is kept for a next turn. */
  close(): void {
    this.#closed = true;
    for (const message of this.#takeKept()) message.end('undelivered');
  }

  #takeKept(): Iterable<Message> {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    return kept;
  }

  #leftOver(messages: readonly Message[]): void {
    for (const message of messages) {
      if (this.#policy === 'keep' && !this.#closed) (this.#kept ??= new Set()).add(message);
      else message.end('undelivered');
    }
  }

  #refuse(turn: MessagedTurn, message: Message): void {
    const { origin } = message;
    // One from above may still be delivered there, and is returned there if it is not.
    if (origin !== this && origin.takesBack) {
      origin.take(message);
      return;
    }
    turn.queue.refuse(message);
    // One from above is this turn's to give back, in its report: its sender, who sees no turn, would take it for his at once.
    if (origin === this && this.#policy !== 'keep') message.end('undelivered');
  }

  #queue(turn: MessagedTurn, message: Message): void {
    turn.queue.add(message);
    const { status } = this.#agent;
    const reason = createReason({ kind: 'interjection', at: message.at });
    if (status.state === 'interjecting') status.note('interjection', reason, message.at);
    this.#agent.emit({ type: 'interrupt-requested', kind: 'interjection', reason });
    this.#agent.emit({ type: 'interjection-queued', interjection: message });
    if (turn.queue.isWaiting) turn.messageWaits(reason);
  }

  #effectsOf(message: Message): readonly Effect[] {
    const { status } = this.#agent;
    // What is meant for the next prompt interrupts nothing.
    const waits = message.delivery === 'after-turn' && !message.isDue;
    if (waits && status.takesMessages) return ['queue'];
    return status.apply(message.delivery === 'now' ? 'interject-now' : 'interject');
  }
}
