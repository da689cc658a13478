/**
 * What a running tool is given.
 *
 * @module
 */
import type { CancelContext } from '../../combinators/engine/work-context.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import type { Responder } from '../calls/approvals.ts';
import type { CancelTurn } from '../calls/operation-context.ts';
import type { TrackedOperation } from '../ledger/tracked-work.ts';
import type { SubagentOptions } from './agent-options.ts';
import type { AskOptions } from './call-options.ts';
import type { Controller } from './controller.ts';

/**
 * What a wait came to: the work's value, or a message that is more urgent than waiting.
 *
 * @since 0.1.0
 */
export type Waited<T> =
  | { readonly status: 'completed'; readonly value: T }
  | { readonly status: 'interjected'; readonly reason: CancelReason };

/**
 * What a tool is given.
 *
 * @since 0.1.0
 */
export interface ToolContext<C = unknown> extends CancelContext {
  readonly call: C;
  /** Aborted when a message waits for the model (with any delivery but `after-turn`): a passive wait may end then. */
  readonly interjected: AbortSignal;
  /** Keeps what has been produced so far, for the outcome of a stopped call. */
  readonly partial: (value: unknown) => void;
  /**
   * Asks a person whether the call may begin, and resolves with the answer. A stop is none: it rejects, and the call that ends with that
   * is `not-started`, unless an answer came before, or it told of something it did: by `partial`, `progress`, `commit`, `track`,
   * `wait` or a sub-agent. So ask first; or say what was done before. A call that catches it and returns is `stopped`, with what it returned.
   *
   * @throws CancelledError – as a rejection: the call was stopped, or has ended. DeadlineExceededError – `timeoutMs` passed.
   */
  readonly ask: <T>(open: (respond: Responder<T>) => void, options?: AskOptions) => Promise<T>;
  /**
   * Waits for work that is not this call's: with `onInterject: 'yield'` a message ends the wait, and never the work.
   *
   * @throws CancelledError – as a rejection: the call was stopped. The work's own error – it failed.
   */
  readonly wait: <T>(work: PromiseLike<T>) => Promise<Waited<T>>;
  /**
   * Stops the turn from within this call, with kind `unknown` if you do not say. The receipt may be awaited here: its
   * report waits for everything else, and says `caller` of this call.
   */
  readonly cancelTurn: CancelTurn;
  /**
   * Ends the call as declined: the person said no to it. `userMessage` is what the person said, and the model reads it as
   * their words; what the program has to say of a call is its result, or an error.
   *
   * @throws TypeError – at the call: `userMessage` is no text.
   */
  readonly decline: (userMessage?: string) => never;
  /** A sub-agent that hangs on this call. */
  readonly subagent: <M = string>(name: string, options?: SubagentOptions) => Controller<M>;
  /**
   * Gives something this call started – a process, a request – a row of its own in the stop report.
   *
   * @throws TypeError – at the call: an operation without a kind or a name, or work that is no promise.
   */
  readonly track: <T>(operation: TrackedOperation<T>, work: PromiseLike<T>) => Promise<T>;
}
