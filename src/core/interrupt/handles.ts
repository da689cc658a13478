/**
 * What people hold: a controller per agent, a turn per prompt, a context per model or tool call.
 * In the interrupt room as the public face of `controller.ts`, `turn.ts` and `tool-calls.ts`; interfaces, so that the
 * classes stay internal. Types only; in one file, because each mentions the next.
 * Prior art: the hand-made interrupt managers of coding agents; the Agent Client Protocol's turns and permissions.
 *
 * @module
 */
import type { CancelContext } from '../combinators/context.ts';
import type { CancelReason, CancelReasonInit } from '../foundation/reason.ts';
import type { CancellationToken, Registration } from '../token/handles.ts';
import type { ModelOptions, ToolOptions, ToolsOptions } from './call-options.ts';
import type { InterruptEvent } from './events.ts';
import type { Delivery, Interjection } from './interjections.ts';
import type { InterruptState } from './machine.ts';
import type { ToolOutcome } from './outcomes.ts';
import type { OperationOutcome, StopReport } from './report.ts';
import type {
  AgentSnapshot,
  CancelTarget,
  Interruption,
  RunTurnOptions,
  StopReceipt,
  SubagentOptions,
  TurnReport,
  TurnTicket,
} from './turn-report.ts';

/**
 * One agent that can be told to stop, or told something new, while it works.
 *
 * @since 0.1.0
 */
export interface InterruptController {
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
  /** The agent's life; background work hangs here. */
  readonly token: CancellationToken;
  readonly lastReport: StopReport | undefined;
  /** The reason of the last cancelled turn, once: for the note that tells the model. */
  consumeWasInterrupted(): CancelReason | undefined;
  /** What has to be remembered over a restart: `wasInterrupted`. */
  snapshot(): AgentSnapshot;
  /**
   * Takes over what another process remembered.
   *
   * @throws TypeError – not a snapshot.
   */
  restore(snapshot: AgentSnapshot): void;
  /** A prompt exists from here on: a cancel before `runTurn` sticks to it. */
  accept(): TurnTicket;
  /**
   * Runs one turn. Rejects only for misuse: what happens to the turn is in the report.
   *
   * @checkpoint always, before: a turn that was cancelled early runs nothing
   * @throws TypeError – as a rejection: a ticket used twice or of another controller, a turn running (`reject`), a
   * closed controller.
   */
  runTurn<T>(body: (turn: Turn) => T | PromiseLike<T>, options?: RunTurnOptions): Promise<TurnReport<T>>;
  /**
   * Asks the running turn, and every accepted one, to stop. While nothing runs and nothing is accepted it does nothing.
   *
   * @param reason Kind `user`, "User cancelled" if you do not say.
   * @param target One turn, one call, or `all`: with the detached work.
   */
  cancel(reason?: CancelReasonInit | string, target?: CancelTarget): StopReceipt;
  /** `cancel` and `interject` under one name; `cancel` by default. */
  interrupt(kind?: 'cancel', reason?: CancelReasonInit | string): StopReceipt;
  /** A message for the running turn. */
  interrupt(kind: 'interjection', message: unknown): Interjection;
  /** The forceful rung: graces end now, and what earlier turns left behind is told by `onKilled`. */
  kill(reason?: CancelReasonInit | string): StopReceipt;
  /** Hands a message to the running turn: the innermost one, if sub-agents work. After a cancel it is refused. */
  interject(message: unknown, options?: { readonly delivery?: Delivery | undefined }): Interjection;
  /** A sub-agent of this one. */
  child(name: string, options?: SubagentOptions): InterruptController;
  /** Calls `fn` with everything that happens here and in sub-agents, synchronously and in order. */
  onEvent(fn: (event: InterruptEvent) => void): Registration;
  /** Cancels everything, with kind `shutdown` if you do not say, and takes no more turns. */
  close(reason?: CancelReasonInit | string): Promise<StopReport>;
  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * What a model call is given.
 *
 * @since 0.1.0
 */
export interface ModelContext extends CancelContext {
  /** Keeps what has come so far; the next value replaces it. Also counts as progress. */
  readonly partial: (value: unknown) => void;
  /** Tells how many output tokens the call has produced so far, for the turn's budget; the highest number counts. */
  readonly usage: (usage: { readonly outputTokens?: number | undefined }) => void;
  /**
   * Stops the turn from within this call. The receipt may be awaited here: its report waits for everything else, and
   * says `caller` of this call.
   */
  readonly cancelTurn: (reason?: CancelReasonInit | string) => StopReceipt;
  /** The budget is used up, and this is one of the calls to end with: give the model no tools, and say so. */
  readonly isWrapUp: boolean;
  /** The call before this one was cut for its silence: what it had produced, and a note to go on from there. */
  readonly continuation: Continuation | undefined;
}

/**
 * What a recovered model call goes on from.
 *
 * @since 0.1.0
 */
export interface Continuation {
  /** What `partial` was given last, or what the cut call returned. */
  readonly partial: unknown;
  readonly reason: CancelReason;
  /** One bracketed sentence for the model. */
  readonly note: string;
}

/**
 * What a model call came to.
 *
 * @since 0.1.0
 */
export type ModelOutcome<T> =
  | { readonly status: 'completed'; readonly value: T }
  | {
      /** A message came first: the output is cut, and nothing in it is to be run. */
      readonly status: 'interjected';
      /** What `partial` was given last, or what the cut call returned. */
      readonly partial: unknown;
      readonly reason: CancelReason;
    };

/**
 * What a tool is given.
 *
 * @since 0.1.0
 */
export interface ToolContext<C = unknown> extends CancelContext {
  readonly call: C;
  /** Keeps what has been produced so far, for the outcome of a stopped call. */
  readonly partial: (value: unknown) => void;
  /** Asks a person; a stop settles it as cancelled, never as denied: the call is `stopped`, unless it committed. */
  readonly ask: <T>(open: (respond: Responder<T>) => void) => Promise<Answer<T>>;
  /**
   * Waits for work that is not this call's: with `onInterject: 'yield'` a message ends the wait, and never the work.
   *
   * @throws CancelledError – as a rejection: the call was stopped. The work's own error – it failed.
   */
  readonly wait: <T>(work: PromiseLike<T>) => Promise<Waited<T>>;
  /**
   * Stops the turn from within this call. The receipt may be awaited here: its report waits for everything else, and
   * says `caller` of this call.
   */
  readonly cancelTurn: (reason?: CancelReasonInit | string) => StopReceipt;
  /** Ends the call as declined: the person said no to it. */
  readonly decline: (message?: string) => never;
  /** A sub-agent that hangs on this call. */
  readonly subagent: (name: string, options?: SubagentOptions) => InterruptController;
  /** Gives something this call started – a process, a request – a row of its own in the stop report. */
  readonly track: <T>(operation: TrackedOperation<T>, work: PromiseLike<T>) => Promise<T>;
}

/**
 * How a tracked piece of work stands in the report.
 *
 * @since 0.1.0
 */
export interface TrackedOperation<T = unknown> {
  /** For example `process`, `mcp`. */
  readonly kind: string;
  readonly name: string;
  /** What a result means, where a resolved promise does not mean `completed`. */
  readonly outcomeOf?: ((value: T) => OperationOutcome) | undefined;
}

/**
 * What a wait came to: the work's value, or a message that is more urgent than waiting.
 *
 * @since 0.1.0
 */
export type Waited<T> =
  | { readonly status: 'completed'; readonly value: T }
  | { readonly status: 'interjected'; readonly reason: CancelReason };

/**
 * What a person answered.
 *
 * @since 0.1.0
 */
export type Answer<T> =
  { readonly status: 'answered'; readonly value: T } | { readonly status: 'cancelled'; readonly reason: CancelReason };

/**
 * Takes the one answer; returns whether it counted.
 *
 * @since 0.1.0
 */
export type Responder<T> = (value: T) => boolean;

/**
 * One prompt with its model and tool rounds. Every function is bound.
 *
 * @since 0.1.0
 */
export interface Turn {
  readonly id: number;
  /** Ends with the turn's cancel; a message does not touch it. */
  readonly token: CancellationToken;
  readonly signal: AbortSignal;
  /**
   * Calls the model under a fresh generation token, which a message with delivery `now` ends as well.
   *
   * @checkpoint always, before and after
   * @throws CancelledError – as a rejection: the turn was cancelled.
   * @throws TypeError – as a rejection: the call returned a live stream; consume it inside the call.
   */
  readonly model: <T>(
    call: (context: ModelContext) => T | PromiseLike<T>,
    options?: ModelOptions,
  ) => Promise<ModelOutcome<T>>;
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
   * Asks a person. In a tool use its own `ask`: this one knows whose question it is only up to the tool's first `await`.
   *
   * @checkpoint always, before
   */
  readonly ask: <T>(open: (respond: Responder<T>) => void) => Promise<Answer<T>>;
  /** The messages to put into the next model call; each is given out once. */
  readonly takeInterjections: () => Interjection[];
  /** @checkpoint always */
  readonly checkpoint: () => void;
  /**
   * Stops this turn and no other. The body may await the receipt: its report waits for the calls, and says `caller` of
   * the turn. In a call, `cancelTurn` of its context does the same.
   */
  readonly cancel: (reason?: CancelReasonInit | string) => StopReceipt;
}
