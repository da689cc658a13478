/**
 * What can be said about a model call, a tool call, or a question.
 *
 * @module
 */
import type { OptionsOnly } from '../../foundation/check.ts';
import type { TokenLike } from '../../token/cancellation-token.ts';
import type { CallIdentity } from '../calls/call-identity.ts';

/**
 * How a model call that ran into its own limit is made again.
 *
 * @since 0.1.0
 */
export interface RecoverOptions {
  /** How often it is made again, with a `continuation`. */
  readonly attempts: number;
  /** Milliseconds before each new attempt; 0 by default. */
  readonly backoffMs?: number | undefined;
}

/**
 * Options of `turn.model`.
 *
 * @since 0.1.0
 */
export interface ModelOptions extends OptionsOnly {
  /** Names the call in reports; `model` by default. */
  readonly name?: string | undefined;
  /** Milliseconds without progress; time in which a tool runs or a person is asked does not count. */
  readonly idleMs?: number | undefined;
  /** Milliseconds for each attempt. */
  readonly timeoutMs?: number | undefined;
  /** Whether, and how, a call that ran into `idleMs` or `timeoutMs` is made again; it is not, by default. */
  readonly recover?: RecoverOptions | undefined;
  /** Milliseconds the call may take to end after it was cut. */
  readonly graceMs?: number | undefined;
  /** The caller's own: its cancel ends this call, which then rejects with it, and nothing else of the turn. */
  readonly token?: TokenLike | null | undefined;
  /**
   * Whether the call is not of the conversation: a summary, a title, a judge. It is in the report and the timeline, and
   * counts for the budget; but it reads no messages and is cut by none, and what it says is in no `partials`.
   */
  readonly aside?: boolean | undefined;
  /** Recognises the error with which the client answers an abort, where it is not an abort error. */
  readonly isStop?: ((error: unknown) => boolean) | undefined;
}

/**
 * Options of `turn.tool`, and of each call of `turn.tools`.
 *
 * @since 0.1.0
 */
export interface ToolOptions<C> extends OptionsOnly {
  /** Says id and name of a call in a shape we do not know. */
  readonly identify?: ((call: C) => CallIdentity) | undefined;
  /** Milliseconds the call may run; after that it is told to stop, with kind `deadline`. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds the tool may take to end after the stop. */
  readonly graceMs?: number | undefined;
  /**
   * The caller's own: its cancel stops these calls and nothing else of the turn. One of kind `interjection` does not:
   * what a message does, `onInterject` says.
   */
  readonly token?: TokenLike | null | undefined;
  /**
   * What a message does to the running tool: nothing, the default; `cancel` stops it for a message with delivery `now`;
   * `yield` ends its `ctx.wait`, for any message that this turn delivers.
   */
  readonly onInterject?: 'finish' | 'cancel' | 'yield' | undefined;
  /** Whether a model asked for it that was asked aside: a message for the turn does not skip the call. */
  readonly aside?: boolean | undefined;
  /** Whether the running call may be sent to the background; it may not, by default. */
  readonly canDetach?: boolean | undefined;
  /** Recognises the error with which the tool answers an abort, where it is not an abort error. */
  readonly isStop?: ((error: unknown) => boolean) | undefined;
}

/**
 * Options of `turn.tools`.
 *
 * @since 0.1.0
 */
export interface ToolsOptions<C> extends ToolOptions<C> {
  /** All at once, or one after the other; `parallel` by default. */
  readonly mode?: 'parallel' | 'sequential' | undefined;
}

/**
 * Options of `turn.step`.
 *
 * @since 0.1.0
 */
export interface StepOptions
  extends OptionsOnly, Pick<ToolOptions<unknown>, 'timeoutMs' | 'graceMs' | 'token' | 'isStop'> {
  /** What `agent.cancelCall` stops it by; its name by default. */
  readonly id?: string | undefined;
}

/**
 * Options of `ctx.ask`.
 *
 * @since 0.1.0
 */
export interface AskOptions extends OptionsOnly {
  /** Milliseconds to wait for the answer; after that the question rejects with `DeadlineExceededError`. */
  readonly timeoutMs?: number | undefined;
}
