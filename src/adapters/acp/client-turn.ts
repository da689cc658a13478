/**
 * What an ACP client has to keep of one prompt while the agent works on it: open questions, open tool calls.
 *
 * Invariant: from the cancel on every question of the turn, open or still to come, is answered `cancelled`.
 *
 * Prior art: ACP, "Prompt Turn: Cancellation".
 *
 * @module
 */
import {
  type CancellationToken,
  CancellationTokenSource,
  createCancelledError,
  runUntilCancelled,
  type TokenLike,
} from '../../core/inside.ts';
import { asAnswer } from '../internal/as-answer.ts';

/**
 * A `session/update` of the agent's, as far as it is looked at.
 *
 * @since 0.1.0
 */
export interface AcpSessionNotification {
  readonly sessionId: string;
  readonly update: {
    readonly sessionUpdate: string;
    readonly toolCallId?: string | undefined;
    readonly status?: string | null | undefined;
  };
}

/** The answer to a question that nobody is to answer any more. */
const withdrawn = { outcome: { outcome: 'cancelled' } } as const;

/** The protocol's word for a question that was withdrawn. */
export type Withdrawn = typeof withdrawn;

/** The states of a tool call in which nothing more will happen to it. */
const finished: readonly unknown[] = ['completed', 'failed'];

/**
 * Asks the person, unless or until the turn is cancelled.
 *
 * @param tokens Whose stop: the turn's, and that of the request.
 * @param ask Shows the question; its signal says when to take it back.
 */
export async function answerUnlessCancelled<R>(
  tokens: readonly TokenLike[],
  ask: (token: CancellationToken) => R | PromiseLike<R>,
): Promise<R | Withdrawn> {
  const source = new CancellationTokenSource({ parent: tokens, name: 'permission' });
  const answer = asAnswer(({ token }: { readonly token: CancellationToken }) => ask(token));
  try {
    const outcome = await runUntilCancelled(source.token, answer, { settle: 'abandon' });
    if (outcome.status === 'completed') return outcome.value;
    if (outcome.status === 'failed') throw outcome.error;
    return withdrawn;
  } finally {
    source.release();
  }
}

/** Calls a peer; one that throws at once has failed, and one that gives no promise has answered. */
export async function attempt<T>(call: () => T | PromiseLike<T>): Promise<T> {
  return await call();
}

/** One prompt, from its sending to its answer. */
export class ClientTurn {
  readonly token: CancellationToken;
  readonly #onUpdate: () => void;
  readonly #open = new Set<string>();

  /**
   * @param token Of the prompt.
   * @param onUpdate Called at each update: the agent is alive.
   */
  constructor(token: CancellationToken, onUpdate: () => void) {
    this.token = token;
    this.#onUpdate = onUpdate;
  }

  /** The tool calls that have begun and not ended, in the order of their beginning. */
  get openToolCalls(): string[] {
    return [...this.#open];
  }

  observe({ sessionUpdate, toolCallId, status }: AcpSessionNotification['update']): void {
    this.#onUpdate();
    if (toolCallId === undefined) return;
    if (finished.includes(status)) this.#open.delete(toolCallId);
    else if (sessionUpdate === 'tool_call') this.#open.add(toolCallId);
  }
}

/** Whether the agent itself has answered with an error of the protocol; its connection has none to tell when it closes. */
function isAnswer(error: unknown): boolean {
  return typeof (error as { readonly code?: unknown } | null | undefined)?.code === 'number';
}

/**
 * What a prompt fails with whose request has failed: an agent that answers with an error has failed, one that dies of the
 * cancel has not.
 *
 * @param isStopping The agent was stopped, for another prompt or by whoever closes the client: nobody knows what it did for this one.
 */
export function errorOfPrompt(
  error: unknown,
  { reason }: CancellationToken,
  { name, isStopping }: { readonly name: string; readonly isStopping: boolean },
): unknown {
  if (reason === undefined || isAnswer(error)) return error;
  return createCancelledError(reason, isStopping ? { abandoned: { name, isOver: true } } : {});
}
