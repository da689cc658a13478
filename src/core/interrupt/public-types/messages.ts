/**
 * A message that a person sends while a turn runs, as the sender sees it.
 *
 * @module
 */

/**
 * When a message is to reach the model.
 *
 * `now` the model's stream is cut, running tools finish · `after-current-tool` the rest of the batch is skipped ·
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
 * What became of a message. `delivered` a model call has seen it · `undelivered` it was given back · `withdrawn` its
 * sender took it back.
 *
 * @since 0.1.0
 */
export type InterjectionEnd = 'delivered' | 'undelivered' | 'withdrawn';

/**
 * A message on its way.
 *
 * @since 0.1.0
 */
export interface Interjection<M = unknown> {
  /** Counts the messages of one controller, from 1. */
  readonly id: number;
  readonly message: M;
  readonly delivery: Delivery;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly status: 'queued' | InterjectionEnd;
  /** Resolves when the message was delivered, given back or withdrawn; never rejects. */
  readonly settled: Promise<InterjectionEnd>;
  /**
   * Takes the message back. What it has cut already stays cut.
   *
   * @returns Whether it will not be delivered: `false` once a model call has it.
   */
  readonly withdraw: () => boolean;
}
