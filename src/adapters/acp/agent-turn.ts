/**
 * One prompt of an ACP client while an agent works on it: the turn, its updates, its questions.
 *
 * Invariant: once the prompt is answered, nothing more is sent in its name.
 *
 * Prior art: the handler contexts of `@agentclientprotocol/sdk`.
 *
 * @module
 */
import { askInTurn, isCancelledError, type Turn, wireSignal, withCancellation } from '../../core/inside.ts';
import { asAnswer } from '../internal/as-answer.ts';

/**
 * The client at the other end, as the SDK hands it to a handler.
 *
 * @since 0.1.0
 */
export interface AcpClientPeer {
  /** Asks the client something. */
  request(method: string, params?: unknown, options?: { readonly cancellationSignal?: AbortSignal }): Promise<unknown>;
  /** Tells the client something; may say when that has been done. */
  notify(method: string, params?: unknown): unknown;
}

/**
 * What a person decided about a tool call; `cancelled` is no decision.
 *
 * @since 0.1.0
 */
export type AcpPermissionOutcome =
  | { readonly outcome: 'selected'; readonly optionId: string }
  | { readonly outcome: 'cancelled' };

/**
 * What the body of a prompt is given. The functions are bound.
 *
 * @since 0.1.0
 */
export interface AcpTurn<T extends Pick<Turn, 'token'> = Turn> {
  readonly sessionId: string;
  /** Model calls, tools and checkpoints, as in any turn; that of a conversation, if one runs it. */
  readonly turn: T;
  /**
   * Sends one `session/update`. Allowed after a cancel, until the prompt is answered: the last words of a stopped tool.
   *
   * @returns Whether it was sent; `false` once the prompt has been answered.
   */
  readonly update: (update: object) => Promise<boolean>;
  /**
   * Asks the person whether a tool call may run. A stop settles it as `cancelled` at once, whatever the client does, and
   * tells the client to take the question back; a late answer counts for nothing.
   *
   * @checkpoint always, before
   * @throws CancelledError – as a rejection: the turn was cancelled before the question. Error – as a rejection: the
   * client's own.
   */
  readonly requestPermission: (request: {
    readonly toolCall: object;
    readonly options: readonly object[];
  }) => Promise<AcpPermissionOutcome>;
}

type Reply = { readonly outcome: AcpPermissionOutcome } | { readonly error: unknown };

/** The body's side of one prompt. */
export class AgentTurn<T extends Pick<Turn, 'token'>> implements AcpTurn<T> {
  readonly sessionId: string;
  readonly turn: T;
  readonly #client: AcpClientPeer;
  #isAnswered = false;

  constructor(sessionId: string, turn: T, client: AcpClientPeer) {
    this.sessionId = sessionId;
    this.turn = turn;
    this.#client = client;
  }

  /** The prompt is about to be answered. */
  end(): void {
    this.#isAnswered = true;
  }

  readonly update = async (update: object): Promise<boolean> => {
    if (this.#isAnswered) return false;
    await this.#client.notify('session/update', { sessionId: this.sessionId, update });
    return true;
  };

  readonly requestPermission: AcpTurn<T>['requestPermission'] = async ({ toolCall, options }) => {
    let reply: Reply;
    try {
      reply = await askInTurn<Reply>(this.turn.token, (respond) => {
        void this.#ask({ sessionId: this.sessionId, toolCall, options }).then(respond);
      });
    } catch (error) {
      if (isCancelledError(error)) return { outcome: 'cancelled' };
      throw error;
    }
    if ('error' in reply) throw reply.error;
    return reply.outcome;
  };

  async #ask(params: object): Promise<Reply> {
    try {
      const response = await withCancellation(
        this.turn.token,
        asAnswer(({ token }) =>
          this.#client.request('session/request_permission', params, { cancellationSignal: wireSignal(token) }),
        ),
        { settle: 'abandon', name: 'permission' },
      );
      return response as { readonly outcome: AcpPermissionOutcome };
    } catch (error) {
      return isCancelledError(error) ? { outcome: { outcome: 'cancelled' } } : { error };
    }
  }
}
