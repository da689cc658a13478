/**
 * What people do with an agent, and with a sub-agent that a tool is given.
 *
 * @module
 */
import type { OptionsOnly } from '../../foundation/check.ts';
import type { CancelContext } from '../../combinators/engine/work-context.ts';
import type { CancelReason, CancelReasonLike } from '../../foundation/reason.ts';
import type { CancellationToken } from '../../token/cancellation-token.ts';
import type { Registration } from '../../token/tree/listeners.ts';
import type { InterruptState } from '../machine.ts';
import type {
  AgentSnapshot,
  Background,
  BackgroundOptions,
  Interruption,
  RunTurnOptions,
  SubagentOptions,
  TurnTicket,
} from './agent-options.ts';
import type { EventOptions, InterruptEvent } from './events.ts';
import type { Delivery, Interjection } from './messages.ts';
import type { LateToolOutcome } from './outcomes.ts';
import type { StopReceipt, StopReport } from './stop-report.ts';
import type { TurnReport } from './turn-report.ts';
import type { Turn } from './turn.ts';

/**
 * What a sub-agent is, and an `InterruptController` that a program makes itself: its members, each function bound.
 *
 * @since 0.1.0
 */
export interface Controller<M = string> {
  readonly name: string;
  /** Tells instances apart that share a name. */
  readonly instanceId: string;
  readonly state: InterruptState;
  /** Now: set by the interrupt, cleared when the turn ends, or when the message was delivered. */
  readonly interrupted: boolean;
  /** The last turn was cancelled, and the model has not been told yet. */
  readonly wasInterrupted: boolean;
  /** What is going on, while `interrupted`. */
  readonly interruption: Interruption | undefined;
  /** The agent's token: everything of it hangs here. Not for a request or a tool: a cancel of the turn does not end it. */
  readonly lifetime: CancellationToken;
  /** The report of the last stop. */
  readonly lastReport: StopReport | undefined;
  /** What was sent and is neither delivered nor given back. */
  readonly queued: readonly Interjection<M>[];
  /** The reason of the last cancelled turn, once: for the note that tells the model. */
  readonly consumeWasInterrupted: () => CancelReason | undefined;
  /** What became of calls that were `unknown` or `detached` and have ended since, each once; `lateNote` words them. */
  readonly takeLateOutcomes: () => readonly LateToolOutcome[];
  /** What has to be remembered over a restart: `wasInterrupted`, a person's stop that holds automatic turns, late outcomes. */
  readonly snapshot: () => AgentSnapshot;
  /**
   * Takes over what another process remembered.
   *
   * @throws TypeError – not a snapshot.
   */
  readonly restore: (snapshot: AgentSnapshot) => void;
  /** A prompt exists from here on: a cancel before `runTurn` sticks to it. */
  readonly accept: () => TurnTicket;
  /**
   * Runs one turn. Rejects only for misuse: what happens to the turn is in the report.
   *
   * @checkpoint always, before: a turn that was cancelled early runs nothing
   * @throws TypeError – as a rejection: a ticket used twice or of another controller, a turn running (`reject`; the
   * error has the code `ERR_AGENT_BUSY`), a closed controller. CancelledError – as a rejection: an automatic turn after a person's stop, with its reason.
   */
  readonly runTurn: <T>(
    body: (turn: Turn<M>) => T | PromiseLike<T>,
    options?: RunTurnOptions,
  ) => Promise<TurnReport<T, M>>;
  /**
   * Asks the running turn, and every accepted one, to stop. Background work goes on. While nothing runs and nothing is
   * accepted it does nothing. Repeated, it answers with the same report, until another turn starts or something that the
   * report names ends.
   *
   * Never throws: what is no reason cancels with kind `unknown` and the value as `cause`, and is reported as misuse.
   *
   * @param reason Kind `user`, "User cancelled" if you do not say; `unknown` on a sub-agent, in words that are no kind, and of an error.
   */
  readonly cancel: (reason?: CancelReasonLike) => StopReceipt;
  /** Stops the call of that id, or each that goes by it, here or in a sub-agent, and nothing beside. */
  readonly cancelCall: (callId: string, reason?: CancelReasonLike) => StopReceipt;
  /** Stops everything that runs now: turns, background work, detached sub-agents. Later turns are accepted. */
  readonly cancelAll: (reason?: CancelReasonLike) => StopReceipt;
  /**
   * The forceful rung: graces end now, and what earlier stops gave up is told by `onKilled`. With `all`, everything that
   * `cancelAll` reaches.
   */
  readonly kill: (
    reason?: CancelReasonLike,
    options?: { readonly all?: boolean | undefined } & OptionsOnly,
  ) => StopReceipt;
  /** Hands a message to the running turn: the innermost one, if sub-agents work. After a cancel it is refused. */
  readonly interject: (
    message: M,
    options?: { readonly delivery?: Delivery | undefined } & OptionsOnly,
  ) => Interjection<M>;
  /**
   * Runs work beside the turns: a cancel spares it, and `cancelAll`, `close` and a drain wait for it or name it.
   *
   * @throws TypeError, RangeError – not a function, an option that makes no sense, a closed controller.
   */
  readonly background: <R>(
    name: string,
    work: (context: CancelContext) => R | PromiseLike<R>,
    options?: BackgroundOptions,
  ) => Background<R>;
  /**
   * Sends a running call to the background, if its tool said `canDetach`: the call is answered `detached` now, and its
   * work goes on under the same signal. After a stop of its turn it is stopped with the turn. That of a sub-agent belongs to
   * the nearest agent that outlives it.
   *
   * @returns Whether there was such a call, and no stop of it came first.
   */
  readonly sendToBackground: (callId: string) => boolean;
  /** A sub-agent of this one. */
  readonly child: (name: string, options?: SubagentOptions) => Controller<M>;
  /**
   * Calls `fn` with everything that happens here and in sub-agents, synchronously and in order; the way of each
   * operation only with `operations: true`.
   */
  readonly onEvent: (fn: (event: InterruptEvent) => void, options?: EventOptions) => Registration;
  /** Stops everything, with kind `shutdown` if you say none (words and errors are `unknown`), and takes no more turns. */
  readonly close: (reason?: CancelReasonLike) => Promise<StopReport>;
  /** `close()`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}
