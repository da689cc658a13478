/**
 * What can be said about a model call or a tool call.
 * In the interrupt room beside `handles.ts`, whose methods take it. Types only.
 *
 * @module
 */
import type { TokenLike } from '../token/handles.ts';
import type { CallIdentity } from './call-identity.ts';

/**
 * Options of `turn.model`.
 *
 * @since 0.1.0
 */
export interface ModelOptions {
  /** Names the call in reports; `model` by default. */
  readonly name?: string | undefined;
  /** Milliseconds without progress; time in which a tool runs or a person is asked does not count. */
  readonly idleMs?: number | undefined;
  /** How often a call that was cut for its silence is made again, with a `continuation`; 0 by default. */
  readonly recover?: number | undefined;
  /** Milliseconds the call may take to end after it was cut. */
  readonly graceMs?: number | undefined;
  /** The caller's own: its cancel ends this call, which then rejects with it, and nothing else of the turn. */
  readonly token?: TokenLike | null | undefined;
}

/**
 * Options of `turn.tool`, and of each call of `turn.tools`.
 *
 * @since 0.1.0
 */
export interface ToolOptions<C> {
  /** Says id and name of a call in a shape we do not know. */
  readonly identify?: ((call: C) => CallIdentity) | undefined;
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
