/**
 * What the loop of an agent holds: model calls, tool calls and messages of one prompt.
 *
 * @module
 */
import type { CancellationToken } from '../../token/cancellation-token.ts';
import type { CallIdentity } from '../calls/call-identity.ts';
import type { ModelContext } from '../calls/model-context.ts';
import type { CancelTurn } from '../calls/operation-context.ts';
import type { ToolContext } from './tool-context.ts';
import type { TrackedOperation } from '../ledger/tracked-work.ts';
import type { ModelOptions, StepOptions, ToolOptions, ToolsOptions } from './call-options.ts';
import type { Interjection } from './messages.ts';
import type { ModelOutcome, ToolOutcome } from './outcomes.ts';

/**
 * One prompt with its model and tool rounds. Every function is bound. When the body has returned, the turn starts
 * nothing more: `tool` and `tools` answer `not-started`, `model` rejects, both with kind `ended`.
 *
 * @since 0.1.0
 */
export interface Turn<M = unknown> {
  readonly id: number;
  /** Ends with the turn's cancel; a message does not touch it. */
  readonly token: CancellationToken;
  readonly signal: AbortSignal;
  /**
   * Calls the model under a fresh generation token, which a message with delivery `now` ends as well.
   *
   * @checkpoint always, before and after
   * @throws CancelledError – as a rejection: the turn was cancelled.
   * @throws DeadlineExceededError – as a rejection: `idleMs` or `timeoutMs` of this call passed, on the last attempt.
   * @throws TypeError – as a rejection: the call returned a live stream; consume it inside the call. What only holds streams,
   * as the result of the AI SDK's `streamText` does, counts as a value, and its text is not kept.
   */
  readonly model: <T>(
    call: (context: ModelContext<M>) => T | PromiseLike<T>,
    options?: ModelOptions,
  ) => Promise<ModelOutcome<T, M>>;
  /**
   * Runs one tool call and gives its one outcome; never rejects for what the tool does.
   *
   * @checkpoint always, before
   * @throws TypeError – as a rejection: a call without id or name that `identify` does not know either.
   */
  readonly tool: <C, R>(
    call: C,
    run: (call: C, context: ToolContext<C>) => R | PromiseLike<R>,
    options?: ToolOptions<C>,
  ) => Promise<ToolOutcome<R, C>>;
  /** Runs a batch: exactly one outcome per call, in call order. */
  readonly tools: <C, R>(
    calls: readonly C[],
    run: (call: C, context: ToolContext<C>) => R | PromiseLike<R>,
    options?: ToolsOptions<C>,
  ) => Promise<ToolOutcome<R, C>[]>;
  /**
   * Runs work of the program that no model asked for: a hook, a check, a compaction. It is stopped like a call, alone by
   * `agent.cancelCall` with its name, and has a row of kind `step` in the stop report and one in `report.steps`; but it is no
   * call: it is in no `report.calls`, and no conversation tells the model of it. Never rejects for what the work does.
   *
   * @checkpoint always, before
   * @throws TypeError – at the call: no name, or no function.
   */
  readonly step: <R>(
    name: string,
    run: (context: ToolContext<CallIdentity>) => R | PromiseLike<R>,
    options?: StepOptions,
  ) => Promise<ToolOutcome<R, CallIdentity>>;
  /**
   * Gives something the turn started beside its calls a row of its own in the stop report.
   *
   * @throws TypeError – at the call: an operation without a kind or a name, or work that is no promise.
   */
  readonly track: <T>(operation: TrackedOperation<T>, work: PromiseLike<T>) => Promise<T>;
  /** Whether a message waits for the next model call of this turn. */
  readonly hasInterjections: boolean;
  /**
   * Takes the messages for the next model call, at once and as delivered. `ctx.readInterjections()` of the model call is the better
   * way: it gives them back if the call fails.
   */
  readonly takeInterjections: () => readonly Interjection<M>[];
  /** @checkpoint always */
  readonly checkpoint: () => void;
  /**
   * Stops this turn and no other, with kind `unknown` if you do not say. The body may await the receipt: its report
   * waits for the calls, and says `caller` of the turn. In a call, `cancelTurn` of its context does the same.
   */
  readonly cancel: CancelTurn;
}
