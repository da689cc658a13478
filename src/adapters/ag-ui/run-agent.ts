/**
 * A run of an agent of AG-UI under a token: a stop is one, for its caller and in its messages.
 *
 * @module
 */
import {
  createCancelledError,
  createReason,
  isObject,
  type OptionNames,
  requireFunction,
  requireOptions,
  show,
  type TokenLike,
  withCancellation,
} from '../../core/inside.ts';
import { type AgUiMessage, settleSent } from './messages.ts';

/**
 * An agent of the client's SDK, as far as a stop concerns it.
 *
 * @since 0.1.0
 */
export interface AgUiAgent<M extends AgUiMessage = AgUiMessage, P = never, R = unknown> {
  readonly messages: readonly M[];
  readonly isRunning: boolean;
  /** Runs it, and resolves at its end, also after an abort. */
  runAgent(parameters?: P, subscriber?: never): PromiseLike<R>;
  /** Ends the run. */
  abortRun(): void;
  /** Lets go of the connection of the run. */
  detachActiveRun?(): PromiseLike<unknown>;
  /** Puts another conversation in the place of its own. */
  setMessages(messages: M[]): void;
  /** Hears of the events of its runs. */
  subscribe(subscriber: never): {
    /** Hears no more. */
    unsubscribe(): void;
  };
}

/**
 * Options of {@link runAgent}.
 *
 * @since 0.1.0
 */
export interface RunAgentOptions<A extends AgUiAgent> {
  /**
   * Makes messages that can be sent again out of those of a run that did not finish:
   * `(messages) => repair(messages, { dialect: mapDialect(openaiChat, messageMap) }).messages` of `desist/transcript`.
   */
  readonly settle: (messages: A['messages'][number][]) => readonly AgUiMessage[];
  /**
   * Asks the server to stop the run, for example by its stop route. The connection stays open for its last words, until the run has ended
   * or the grace is over. Without it, and where it fails, a stop closes the connection.
   */
  readonly cancel?: ((context: { readonly signal: AbortSignal }) => unknown) | undefined;
  /** What the agent's own `runAgent` takes: tools, context, a run id, answers to interrupts. */
  readonly parameters?: Parameters<A['runAgent']>[0] | undefined;
  /** Milliseconds that the agent may take to end after the stop, 1,000 by default. */
  readonly graceMs?: number | undefined;
  /** Milliseconds for the run. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds without an event. */
  readonly idleMs?: number | undefined;
}

interface Event {
  readonly type: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly outcome?: unknown;
}

/** What a run was asked, as its events tell it. */
interface Input {
  readonly runId?: unknown;
}

/** How a run ended, as far as it said. */
type End = { readonly error: Error } | 'finished' | undefined;

const optionNames: OptionNames<RunAgentOptions<AgUiAgent<AgUiMessage, object>>> = {
  settle: 1,
  cancel: 1,
  parameters: 1,
  graceMs: 1,
  timeoutMs: 1,
  idleMs: 1,
};

/**
 * Runs an agent. Its own `abortRun()` ends the run as if all were well, and leaves half a call in the messages, which are the next
 * request. Here a stop closes the connection, the run rejects with the token's error, and the messages are settled: each call has a
 * result, or is not there.
 *
 * The protocol has no cancel but the end of the connection: what the server does then is the server's. With `cancel` it is asked
 * first, once, and what it says of its calls is in the messages. An agent that goes on is left behind after the grace, and named in the
 * error's `abandoned`.
 *
 * A run that ends with calls for the program, or with interrupts, has finished: they are answered by the next one.
 *
 * @checkpoint always, before; the agent is not asked if the token is cancelled
 * @fairness A run that has said `RUN_FINISHED` beats every stop.
 * @cleanup Nothing of the run is left on the token or on the agent.
 * @param token Whose stop.
 * @param agent The agent; the prompt is the last of its messages.
 * @param options How its messages are settled, what it is asked, limits in milliseconds.
 * @returns What the agent's own `runAgent` gives.
 * @throws CancelledError – as a rejection: the token was cancelled; or, with kind `unknown`, the run was: somebody called `abortRun()`,
 * or the server said so. DeadlineExceededError – as a rejection: a limit passed. Error – as a rejection: `RUN_ERROR`, with its
 * message, or no end at all. TypeError, RangeError – as a rejection: arguments that make no sense, or an agent at work.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { runAgent } from 'desist/ag-ui'
 *
 * // stands for `new HttpAgent({ url })`
 * const agent = {
 *   messages: [{ id: 'm1', role: 'user', content: 'go' }], isRunning: false,
 *   runAgent: async () => ({ newMessages: [] }), abortRun: () => {}, setMessages: () => {}, subscribe: () => ({ unsubscribe: () => {} }),
 * }
 * const stop = new CancellationTokenSource()
 * await runAgent(stop.token, agent, { settle: (messages) => messages }).catch((error) => error.message)
 * // => 'The run ended without RUN_FINISHED'
 * ```
 * @source `AbstractAgent.abortRun` of `@ag-ui/client`
 * @since 0.1.0
 */
export async function runAgent<A extends AgUiAgent>(
  token: TokenLike | null | undefined,
  agent: A,
  options: RunAgentOptions<A>,
): Promise<Awaited<ReturnType<A['runAgent']>>> {
  const own = requireAgent(agent);
  requireOptions(options, optionNames);
  const { settle, cancel, parameters, graceMs, timeoutMs, idleMs } = options;
  requireFunction('options.settle', settle);
  if (cancel !== undefined) requireFunction('options.cancel', cancel);
  if (own.isRunning) throw new TypeError('the agent is at work already: wait for it, or stop it');
  let end: End;
  const seen = { hasBegun: false, hasEnded: false };
  let runId: unknown;
  /** What the agent had when its run was left. */
  let kept: readonly AgUiMessage[] | undefined;
  const asking = new AbortController();
  const close = (): void => {
    if (!seen.hasEnded) own.abortRun();
  };
  const fails = (error: unknown): void => {
    end ??= { error: error instanceof Error ? error : new Error(String(error)) };
  };
  const subscriber = (progress: () => void): object => ({
    // Before whoever listens for the end, and may stop it then.
    onEvent: ({
      event: { type, message, code, outcome },
      input,
    }: {
      readonly event: Event;
      readonly input?: Input;
    }) => {
      progress();
      runId = input?.runId;
      if (type === 'RUN_ERROR') {
        fails(code === 'abort' ? cancelled('The run was aborted') : new Error(String(message)));
      } else if (type === 'RUN_FINISHED') {
        const { type: how } = (isObject(outcome) ? outcome : {}) as { readonly type?: unknown };
        if (how === 'cancelled') fails(cancelled('The agent has ended the run as cancelled'));
        else end ??= 'finished';
      }
    },
    // The step that a run was left in may still write.
    onMessagesChanged: ({ messages, input }: { readonly messages: readonly AgUiMessage[]; readonly input?: Input }) => {
      if (kept === undefined) return;
      if (input === undefined || input.runId !== runId) kept = messages;
      else own.setMessages([...kept]);
    },
    onRunFailed: ({ error }: { readonly error?: unknown }) => {
      const { name } = (isObject(error) ? error : {}) as { readonly name?: unknown };
      fails(name === 'AbortError' ? cancelled('The run was aborted') : error);
    },
  });
  try {
    return (await withCancellation(
      token,
      async ({ token: run, progress }) => {
        seen.hasBegun = true;
        const listening = own.subscribe(
          subscriber(() => {
            progress();
          }),
        );
        const stop = run.onCancelled(() => {
          // A server may keep the connection of a run that has finished: that is left, and nothing cancelled.
          if (end === 'finished') leave(own);
          else if (cancel === undefined) close();
          else void attempt(() => cancel({ signal: asking.signal })).catch(close);
        });
        try {
          const result = await own.runAgent(parameters);
          if (end === 'finished') return result;
          throw end?.error ?? new Error('The run ended without RUN_FINISHED');
        } catch (error) {
          // Whatever the agent says of its end behind a stop is that.
          run.throwIfCancelled();
          throw error;
        } finally {
          seen.hasEnded = true;
          stop.unregister();
          listening.unsubscribe();
        }
      },
      { name: own.agentId ?? 'agent', graceMs, timeoutMs, idleMs },
    )) as Awaited<ReturnType<A['runAgent']>>;
  } catch (error) {
    if (seen.hasBegun) {
      // A deaf one must not go on to write into the messages.
      if (!seen.hasEnded) {
        if (cancel !== undefined) own.abortRun();
        leave(own);
      }
      own.setMessages(settleSent(own.messages, settle as (messages: AgUiMessage[]) => AgUiMessage[]));
      if (!seen.hasEnded) kept = own.messages;
    }
    throw error;
  } finally {
    asking.abort();
  }
}

/** What it throws is a rejection as well. */
async function attempt(work: () => unknown): Promise<void> {
  await work();
}

/** As it is called here: with whatever its caller gave for it. */
type Agent = AgUiAgent<AgUiMessage, unknown> & {
  readonly agentId?: string | undefined;
  /** Hears of the events of its runs. */
  subscribe(subscriber: object): { unsubscribe(): void };
};

/** Reads no more of what it runs. */
function leave(agent: Agent): void {
  Promise.resolve(agent.detachActiveRun?.()).catch(() => undefined);
}

function requireAgent(given: unknown): Agent {
  const agent = (isObject(given) ? given : {}) as Partial<Agent>;
  const { runAgent: run, abortRun, setMessages, subscribe, messages } = agent;
  if (Array.isArray(messages) && [run, abortRun, setMessages, subscribe].every((own) => typeof own === 'function')) {
    return given as Agent;
  }
  throw new TypeError(`agent must be an agent of AG-UI, got ${show(given)}`);
}

function cancelled(message: string): Error {
  return createCancelledError(createReason({ kind: 'unknown', message }));
}
