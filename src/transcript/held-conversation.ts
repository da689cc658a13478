/**
 * Conversations that the provider's server holds: what is known to be there, and what has to follow it. Prior art:
 * `previous_response_id` and `conversation` of the Responses API.
 *
 * @module
 */

/**
 * One response of the server; the API's own response object is one.
 *
 * @since 0.1.0
 */
export interface HeldResponse {
  readonly id: string;
  /** As the API says it. One that was cut, cancelled or failed is not there to go on from. */
  readonly status?: string | undefined;
  /** The response that it had gone on from, as the API says it; tells what was there before a turn that is dropped. */
  readonly previous_response_id?: string | null | undefined;
  /** What it said. Tells how much of the transcript the server holds; without it, all of the transcript. */
  readonly output?: readonly object[] | undefined;
}

/**
 * What the server holds.
 *
 * @since 0.1.0
 */
export interface HeldState {
  /** The responses that are known, oldest first; the last one is enough, an earlier one is what can be branched from. */
  readonly responses: readonly HeldResponse[];
  /** The conversation they belong to, if they are not chained by their ids. */
  readonly conversation?: string | undefined;
}

/**
 * What `heldByServer` returns, for `repair`.
 *
 * @since 0.1.0
 */
export interface HeldByServer extends HeldState {
  /** @internal What is done about it; it may change with every version. */
  readonly read: object;
}

/**
 * What to send so that a conversation on the server can go on; spread it into the next request, and give that request a
 * signal of its own.
 *
 * @since 0.1.0
 */
export interface Submission<M> {
  /** The response to go on from: the last one that the server has whole. */
  readonly previous_response_id?: string;
  /** The conversation to go on with. */
  readonly conversation?: string;
  /** The outputs that it waits for, then what it does not have yet. Empty if nothing is missing. */
  readonly input: M[];
}
