/**
 * What the user says while pi's loop runs, put where its next request takes it from.
 *
 * Invariant: the queue of the agent has the mode that its owner gave it, but between the message and the next request.
 *
 * @module
 */
import { messageText, type Turn } from '../../core/inside.ts';

/** Where an agent of pi is told something. */
export interface Steered {
  /** How much of its queue the loop takes for one request: all, or by default the first of it. */
  steeringMode?: unknown;
  /** Puts something into its queue. */
  steer(message: object): void;
}

/** The messages of one run. */
export class UserMessages {
  readonly #turn: Turn;
  readonly #agent: Steered;
  /** The mode of the queue, while it has another. */
  #mode: unknown;

  constructor(turn: Turn, agent: Steered) {
    this.#turn = turn;
    this.#agent = agent;
  }

  /** Says to the loop what the user said meanwhile; returns whether there was anything. */
  tell(): boolean {
    const told = this.#turn.takeInterjections().map(({ message }) => messageText(message));
    if (told.length === 0) return false;
    const agent = this.#agent;
    // What the program has steered stands before it, and the loop would take one of them a request.
    this.#mode ??= agent.steeringMode;
    if (this.#mode !== undefined) agent.steeringMode = 'all';
    agent.steer({ role: 'user', content: told.join('\n\n'), timestamp: Date.now() });
    return true;
  }

  /** The loop has taken what it was told, or will not. */
  taken(): void {
    if (this.#mode !== undefined && this.#agent.steeringMode === 'all') this.#agent.steeringMode = this.#mode;
    this.#mode = undefined;
  }
}
