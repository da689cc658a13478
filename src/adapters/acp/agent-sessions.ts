/**
 * The agent's side of ACP: a session is an agent that can be told to stop, a prompt is its turn.
 *
 * Invariants:
 * - **A1** A prompt is answered once, after everything its body has sent.
 * - **A2** A prompt that `session/cancel` stopped is answered `cancelled`, whatever its body threw or returned.
 *
 * Prior art: ACP's "Cancellation"; the SDK's dispatch, whose `ctx.signal` hears only `$/cancel_request`.
 *
 * @module
 */
import {
  callSafely,
  CancellationTokenSource,
  type CancelReason,
  type CancelReasonInit,
  type Clock,
  createCancelledError,
  type InterruptController,
  InterruptController as Controllers,
  type OptionNames,
  type OptionsOnly,
  type Releasable,
  requireFunction,
  requireOptions,
  type RunTurnOptions,
  show,
  type StopReceipt,
  type StopReport,
  type TokenLike,
  tokenOf,
  type Turn,
  type TurnReport,
} from '../../core/inside.ts';
import { AgentTurn, type AcpClientPeer, type AcpTurn } from './agent-turn.ts';

/**
 * What the SDK gives the handler of `session/prompt`.
 *
 * @since 0.1.0
 */
export interface AcpPromptContext {
  readonly params: { readonly sessionId: string };
  readonly signal: AbortSignal;
  readonly client: AcpClientPeer;
}

/**
 * An answer to a prompt; the SDK's `PromptResponse` is one.
 *
 * @since 0.1.0
 */
export interface AcpPromptResponse {
  readonly stopReason: 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled';
}

/**
 * What `session/cancel` says: the SDK's handler context, or the parameters alone.
 *
 * @since 0.1.0
 */
export type AcpCancelContext = { readonly params: { readonly sessionId: string } } | { readonly sessionId: string };

/**
 * Options of {@link acpSessions}.
 *
 * @since 0.1.0
 */
export interface AcpSessionsOptions extends OptionsOnly {
  /** A cancel from outside for every session, such as the end of this process. */
  readonly token?: TokenLike | null | undefined;
  /** Milliseconds a call may take after the stop; 1,000 by default. */
  readonly graceMs?: number | undefined;
  /** What a second prompt of a busy session does; `reject` by default. */
  readonly whenBusy?: 'reject' | 'queue' | 'supersede' | undefined;
  /** Told of every turn, before it is answered: for the transcript, and for what a cancelled body threw. */
  readonly onTurnEnd?: ((sessionId: string, report: TurnReport<AcpPromptResponse>) => void) | undefined;
  /** Measures everything. */
  readonly clock?: Clock | undefined;
}

/**
 * Runs the turn of a prompt: `(agent, body, options) => chat.runTurn(agent, prompt, body, options)`, so that it is one of a
 * conversation.
 *
 * @since 0.1.0
 */
export type AcpRunTurn<T extends Pick<Turn, 'token'> = Turn> = <R>(
  agent: InterruptController,
  body: (turn: T) => R | PromiseLike<R>,
  options: RunTurnOptions,
) => Promise<TurnReport<R>>;

/**
 * The sessions of one agent process. The functions are bound: hand them to the SDK.
 *
 * @since 0.1.0
 */
export interface AcpSessions {
  /** The session's controller, made when first asked for: cancel it, hand it messages, watch its events. */
  readonly session: (sessionId: string) => InterruptController;
  /**
   * Handles `session/prompt`: runs the body as a turn of the session. Call it in the handler's first tick: before it is
   * called there is no turn, and a cancel finds nothing to stop.
   *
   * @checkpoint always, before: a prompt that was cancelled early runs nothing
   * @param runTurn Runs the turn in the place of `agent.runTurn`: for a prompt that is one of a conversation.
   * @returns The body's answer; `cancelled` if the session was told to stop, even if the body threw.
   * @throws CancelledError – as a rejection: the client cancelled the request itself (`$/cancel_request`); the SDK
   * answers −32800. TypeError – as a rejection: the session is busy. The body's own error.
   */
  readonly prompt: <R extends AcpPromptResponse, T extends Pick<Turn, 'token'> = Turn>(
    context: AcpPromptContext,
    body: (turn: AcpTurn<T>) => R | PromiseLike<R>,
    runTurn?: AcpRunTurn<T>,
  ) => Promise<R | { stopReason: 'cancelled' }>;
  /** Handles `session/cancel`. For a session that nobody knows, or that is idle, it does nothing. */
  readonly cancel: (context: AcpCancelContext) => StopReceipt | undefined;
  /** Stops a session for good, with kind `shutdown` if you do not say, and forgets it. */
  readonly close: (sessionId: string, reason?: CancelReasonInit | string) => Promise<StopReport | undefined>;
  /** Stops all of them; for the end of the connection: `connection.closed.then(() => sessions.closeAll('disconnect'))`. */
  readonly closeAll: (reason?: CancelReasonInit | string) => Promise<void>;
}

const byClient = { kind: 'user', message: 'User cancelled', by: 'client' } as const;

const optionNames: OptionNames<AcpSessionsOptions> = { token: 1, graceMs: 1, whenBusy: 1, onTurnEnd: 1, clock: 1 };

class Sessions {
  readonly #options: AcpSessionsOptions;
  readonly #controllers = new Map<string, InterruptController>();

  constructor(options: AcpSessionsOptions) {
    requireOptions(options, optionNames);
    const { onTurnEnd, token, graceMs, clock } = options;
    if (onTurnEnd !== undefined) requireFunction('onTurnEnd', onTurnEnd);
    new Controllers({ token, graceMs, clock }); // Refuses bad options here, not at the first prompt.
    this.#options = options;
  }

  session(sessionId: string): InterruptController {
    const known = this.#controllers.get(requireId(sessionId));
    if (known !== undefined) return known;
    const { token, graceMs, clock } = this.#options;
    const made = new Controllers({ name: sessionId, token, graceMs, clock });
    this.#controllers.set(sessionId, made);
    return made;
  }

  async prompt<R extends AcpPromptResponse, T extends Pick<Turn, 'token'>>(
    context: AcpPromptContext,
    body: (turn: AcpTurn<T>) => R | PromiseLike<R>,
    runTurn: AcpRunTurn<T> = runOwn as unknown as AcpRunTurn<T>,
  ): Promise<R | { stopReason: 'cancelled' }> {
    requireFunction('body', body);
    requireFunction('runTurn', runTurn);
    const { params, signal, client } = context;
    const { sessionId } = params;
    const controller = this.session(sessionId);
    const request = new RequestStop(signal);
    const turns: AgentTurn<T>[] = [];
    try {
      const report = await runTurn(
        controller,
        (turn) => {
          const own = new AgentTurn(sessionId, turn, client);
          turns.push(own);
          return body(own);
        },
        { token: request.token, whenBusy: this.#options.whenBusy },
      );
      callSafely(tokenOf(controller.lifetime), this.#options.onTurnEnd, sessionId, report);
      if (report.status === 'completed') return report.value;
      const stopped = report.status === 'cancelled' ? report.reason : report.stop?.reason;
      if (stopped === undefined) return report.unwrap();
      // The SDK answers -32800 to an error of this shape.
      if (stopped === request.reason) throw createCancelledError(stopped);
      return { stopReason: 'cancelled' }; // A2
    } finally {
      for (const turn of turns) turn.end(); // A1
      request.release();
    }
  }

  cancel(context: AcpCancelContext): StopReceipt | undefined {
    const { sessionId } = 'params' in context ? context.params : context;
    return this.#controllers.get(sessionId)?.cancel(byClient);
  }

  async close(sessionId: string, reason?: CancelReasonInit | string): Promise<StopReport | undefined> {
    const controller = this.#controllers.get(sessionId);
    this.#controllers.delete(sessionId);
    return await controller?.close(reason);
  }

  async closeAll(reason?: CancelReasonInit | string): Promise<void> {
    await Promise.all([...this.#controllers.keys()].map((sessionId) => this.close(sessionId, reason)));
  }
}

/** A turn of nothing but its agent. */
const runOwn: AcpRunTurn = (agent, body, options) => agent.runTurn(body, options);

/** The cancel of the request itself, as a token. */
class RequestStop implements Releasable {
  readonly #signal: AbortSignal;
  readonly #source = new CancellationTokenSource({ name: 'acp prompt' });

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  get token(): CancellationTokenSource['token'] {
    return this.#source.token;
  }

  get reason(): CancelReason | undefined {
    return this.#source.reason;
  }

  readonly #onAbort = (): void => {
    this.#source.cancel({ ...byClient, message: 'The client cancelled the request' });
  };

  release(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#source.release();
  }
}

function requireId(sessionId: unknown): string {
  if (typeof sessionId === 'string' && sessionId !== '') return sessionId;
  throw new TypeError(`sessionId must be a string with something in it, got ${show(sessionId)}`);
}

/**
 * Makes the sessions of an ACP agent stoppable.
 *
 * The protocol's `session/cancel` does not abort the signal that the SDK gives the prompt's handler, and the prompt has
 * to be answered `cancelled`, after its last update, even if a model SDK throws on the way out. Both are done here; a
 * session's controller is the same as in any other agent.
 *
 * @checkpoint never: see `prompt`
 * @cleanup `closeAll()`: every session is stopped, and forgotten.
 * @param options Grace in milliseconds, a further stop, what a busy session does.
 * @returns Handlers for the SDK.
 * @throws TypeError, RangeError – options that make no sense.
 * @example
 * ```ts
 * import { acpSessions } from 'desist/acp'
 *
 * const sessions = acpSessions()
 * // with the SDK: agent().onRequest('session/prompt', (context) => sessions.prompt(context, body))
 * //                      .onNotification('session/cancel', sessions.cancel)
 * const client = { notify: async () => {}, request: async () => ({}) }
 * const context = { params: { sessionId: 's1' }, signal: new AbortController().signal, client }
 * const answer = sessions.prompt(context, async ({ turn, update }) => {
 *   await update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Working' } })
 *   sessions.cancel({ sessionId: 's1' }) // a person presses Stop
 *   turn.checkpoint()
 *   return { stopReason: 'end_turn' }
 * })
 * await answer // => { stopReason: 'cancelled' }
 * ```
 * @source Agent Client Protocol, "Prompt Turn: Cancellation"
 * @since 0.1.0
 */
export function acpSessions(options: AcpSessionsOptions = {}): AcpSessions {
  const sessions = new Sessions(options);
  return {
    session: (sessionId) => sessions.session(sessionId),
    prompt: (context, body, runTurn) => sessions.prompt(context, body, runTurn),
    cancel: (context) => sessions.cancel(context),
    close: (sessionId, reason) => sessions.close(sessionId, reason),
    closeAll: (reason) => sessions.closeAll(reason),
  };
}
