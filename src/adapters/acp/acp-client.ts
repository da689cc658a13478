/**
 * The client's side of ACP: a prompt that a person can stop, whatever the agent makes of it.
 *
 * Invariants:
 * - **C1** A cancel is one `session/cancel`; a prompt that is cancelled before it is sent is not sent.
 * - **C2** The promise of a prompt settles within its grace; who has not answered by then is stopped, not waited for.
 *
 * Prior art: the editors that speak ACP; the SDK's `stopWaitingOnCancel`.
 *
 * @module
 */
import {
  callSafely,
  type CancellationToken,
  type CancelReason,
  type Clock,
  DEFAULT_GRACE_MS,
  isCancelledError,
  isDeadlineExceededError,
  requireFunction,
  requireMs,
  requireOptions,
  show,
  systemClock,
  type TokenLike,
  tokenOf,
  withCancellation,
} from '../../core/inside.ts';
import type { Survivors } from '../internal/process/stoppable-process.ts';
import { AgentProcess, type AcpAgentStop } from './agent-process.ts';
import {
  answerUnlessCancelled,
  attempt,
  ClientTurn,
  errorOfPrompt,
  type AcpSessionNotification,
} from './client-turn.ts';
import { optionNames, promptNames } from './client-names.ts';

/**
 * The agent at the other end, as the SDK's connection hands it out.
 *
 * @since 0.1.0
 */
export interface AcpAgentPeer {
  /** Asks the agent something. */
  request(method: string, params?: unknown): Promise<unknown>;
  /** Tells the agent something; may say when that has been done. */
  notify(method: string, params?: unknown): unknown;
}

/**
 * What a prompt came to.
 *
 * @since 0.1.0
 */
export interface AcpPromptResult {
  /** Of the agent's answer. */
  readonly stopReason: string;
  /** The agent's answer, as it came. */
  readonly response: unknown;
  /** Present if the person stopped it, even if the agent had finished by then. */
  readonly stoppedBy: CancelReason | undefined;
  /** Tool calls that had begun and not ended: mark them as cancelled. */
  readonly unfinishedToolCalls: readonly string[];
}

/**
 * Options of one prompt.
 *
 * @since 0.1.0
 */
export interface AcpPromptOptions {
  /** Milliseconds the agent may take to answer after `session/cancel`; that of the client by default. */
  readonly graceMs?: number | undefined;
  /** Milliseconds for the whole prompt. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds without any update of the session; needs `observe`. */
  readonly idleMs?: number | undefined;
}

/**
 * Options of {@link acpClient}.
 *
 * @since 0.1.0
 */
export interface AcpClientOptions {
  /** The agent's process: closing the connection does not end it. A `ChildProcess` will do. */
  readonly agentProcess?: { readonly pid?: number | undefined } | undefined;
  /**
   * The environment the agent was started with, if `markedEnvironment()` of `desist/child-process` is in it: so its daemons
   * are found although it ended before it could be asked.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Milliseconds an agent may take to answer after a cancel, and again between SIGTERM and SIGKILL; 1,000 by default. */
  readonly graceMs?: number | undefined;
  /** Told at the cancel, before the agent can say anything: the tool calls to be shown as cancelled. */
  readonly onToolCallsCancelled?: ((sessionId: string, toolCallIds: readonly string[]) => void) | undefined;
  /** Told of an agent that was given up, when its process is gone, or is not. */
  readonly onAgentStopped?: ((stop: AcpAgentStop) => void) | undefined;
  /** Measures the graces. */
  readonly clock?: Clock | undefined;
}

/**
 * What the SDK gives the handler of `session/request_permission`.
 *
 * @since 0.1.0
 */
export interface AcpPermissionContext {
  readonly params: { readonly sessionId: string };
  readonly signal: AbortSignal;
}

/**
 * The client's side of one agent. The functions are bound.
 *
 * @since 0.1.0
 */
export interface AcpClient {
  /**
   * Sends a prompt, and waits for its answer.
   *
   * A stop answers the open permissions, sends `session/cancel`, and waits for the agent: its answer is a result, usually
   * with `stopReason: 'cancelled'`.
   *
   * @checkpoint always, before; the prompt is not sent if the token is cancelled
   * @throws CancelledError – as a rejection: cancelled before it was sent; or, with `abandoned`, the agent did not answer
   * within the grace of this prompt or of another, and its process has been stopped. DeadlineExceededError – as a rejection: likewise, for a limit of
   * this prompt. TypeError – as a rejection: this session has a prompt already. Error – as a rejection: the agent's own.
   */
  readonly prompt: (
    token: TokenLike | null | undefined,
    send: {
      /** The SDK's handle of the agent: `connection.agent`, or what `connectWith` hands over. */
      readonly agent: AcpAgentPeer;
      /** Those of `session/prompt`. */
      readonly params: { readonly sessionId: string; readonly prompt: readonly unknown[] };
    },
    options?: AcpPromptOptions,
  ) => Promise<AcpPromptResult>;
  /** Takes note of a `session/update`; call it first in the handler of that notification. */
  readonly observe: (notification: AcpSessionNotification) => void;
  /**
   * Handles `session/request_permission`: asks the person, and answers `cancelled` once the prompt is cancelled.
   *
   * @param context What the SDK gives the handler.
   * @param ask Shows the question; the token says when to take it back.
   */
  readonly permission: <R>(
    context: AcpPermissionContext,
    ask: (token: CancellationToken) => R | PromiseLike<R>,
  ) => Promise<R | { outcome: { outcome: 'cancelled' } }>;
  /**
   * Stops the agent's process with everything it started, and gives back the hook that would kill it at the end of our
   * program. Resolves at once where no process was given.
   *
   * @returns Who is alive all the same.
   */
  readonly close: () => Promise<Survivors>;
}

const name = 'acp prompt';

/** What has happened to a prompt on its way. */
interface Progress {
  unfinished: readonly string[];
}

class Client {
  readonly #options: AcpClientOptions;
  readonly #graceMs: number;
  readonly #clock: Clock;
  readonly #process: AgentProcess | undefined;
  readonly #turns = new Map<string, ClientTurn>();

  constructor(options: AcpClientOptions) {
    requireOptions(options, optionNames);
    const { agentProcess, env, graceMs = DEFAULT_GRACE_MS, onToolCallsCancelled, onAgentStopped, clock } = options;
    if (onToolCallsCancelled !== undefined) requireFunction('onToolCallsCancelled', onToolCallsCancelled);
    if (onAgentStopped !== undefined) requireFunction('onAgentStopped', onAgentStopped);
    this.#options = options;
    this.#graceMs = requireMs('graceMs', graceMs, 'finite');
    this.#clock = clock ?? systemClock;
    if (agentProcess !== undefined) this.#process = new AgentProcess(agentProcess, env);
  }

  close(): Promise<Survivors> {
    return this.#process?.stop(this.#graceMs, this.#clock) ?? Promise.resolve([]);
  }

  async prompt(
    token: TokenLike | null | undefined,
    { agent, params }: Parameters<AcpClient['prompt']>[1],
    options: AcpPromptOptions = {},
  ): Promise<AcpPromptResult> {
    requireOptions(options, promptNames);
    const { sessionId } = params;
    const { graceMs = this.#graceMs, timeoutMs, idleMs } = options;
    if (this.#turns.has(sessionId)) throw new TypeError(`session ${show(sessionId)} has a prompt already`);
    const progress: Progress = { unfinished: [] };
    try {
      return await withCancellation(
        token,
        async (context) => {
          const turn = new ClientTurn(context.token, context.progress);
          this.#turns.set(sessionId, turn);
          context.token.onCancelled(() => this.#tell(agent, sessionId, turn, progress));
          const response = await attempt(() => agent.request('session/prompt', params)).catch((error: unknown) => {
            throw errorOfPrompt(error, context.token, { name, isStopping: this.#process?.isStopping === true });
          });
          const { stopReason } = response as { stopReason: string };
          const stoppedBy = context.token.reason;
          return { stopReason, response, stoppedBy, unfinishedToolCalls: progress.unfinished };
        },
        { graceMs, timeoutMs, idleMs, name, clock: this.#options.clock },
      );
    } catch (error) {
      const isOurs = isCancelledError(error) || isDeadlineExceededError(error);
      if (isOurs && error.abandoned !== undefined) await this.#giveUp(sessionId);
      throw error;
    } finally {
      this.#turns.delete(sessionId);
    }
  }

  observe({ sessionId, update }: AcpSessionNotification): void {
    this.#turns.get(sessionId)?.observe(update);
  }

  permission<R>(
    { params, signal }: AcpPermissionContext,
    ask: (token: CancellationToken) => R | PromiseLike<R>,
  ): ReturnType<typeof answerUnlessCancelled<R>> {
    requireFunction('ask', ask);
    const turn = this.#turns.get(params.sessionId);
    return answerUnlessCancelled(turn === undefined ? [signal] : [turn.token, signal], ask);
  }

  /** C1. */
  #tell(agent: AcpAgentPeer, sessionId: string, turn: ClientTurn, progress: Progress): void {
    progress.unfinished = turn.openToolCalls;
    callSafely(tokenOf(turn.token), this.#options.onToolCallsCancelled, sessionId, progress.unfinished);
    // A connection that is closed has nobody to tell, and says so to whoever waits for the answer.
    attempt(() => agent.notify('session/cancel', { sessionId })).catch(() => undefined);
  }

  /** C2. */
  async #giveUp(sessionId: string): Promise<void> {
    const survivors = await this.close();
    callSafely(tokenOf(null), this.#options.onAgentStopped, { sessionId, pid: this.#process?.pid, survivors });
  }
}

/**
 * Sends prompts to an ACP agent that a person can really stop.
 *
 * The SDK alone sends a prompt whose signal is aborted already, leaves permission requests open that keep the agent
 * waiting for ever, and waits for ever for an agent that is deaf. Here a stop is one `session/cancel`, every question of
 * the turn is answered, the tool calls that are left are named at once, and an agent that does not answer within the grace
 * is given up and its process stopped, with everything it started.
 *
 * @checkpoint never: see `prompt`
 * @cleanup Nothing of a prompt is left on its token when its promise settles. If this process ends first, the agent is
 * killed; the hook for that goes with the agent's exit, or with `close()`.
 * @param options The agent's process; graces in milliseconds.
 * @returns Handlers for the SDK, and `prompt`.
 * @throws TypeError, RangeError – options that make no sense.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { acpClient } from 'desist/acp'
 *
 * const client = acpClient() // with a process: { agentProcess: child }
 * const stop = new CancellationTokenSource()
 * const sent: string[] = []
 * const agent = { // with the SDK: connection.agent
 *   request: async (method: string) => (sent.push(method), { stopReason: 'cancelled' }),
 *   notify: async (method: string) => void sent.push(method),
 * }
 * const answer = client.prompt(stop.token, { agent, params: { sessionId: 's1', prompt: [] } })
 * stop.cancel('user')
 * const { stopReason } = await answer
 * stopReason // => 'cancelled'
 * sent // => ['session/prompt', 'session/cancel']
 * ```
 * @source Agent Client Protocol, "Prompt Turn: Cancellation"
 * @since 0.1.0
 */
export function acpClient(options: AcpClientOptions = {}): AcpClient {
  const client = new Client(options);
  return {
    prompt: (token, send, promptOptions) => client.prompt(token, send, promptOptions),
    observe: (notification) => {
      client.observe(notification);
    },
    permission: (context, ask) => client.permission(context, ask),
    close: () => client.close(),
  };
}
