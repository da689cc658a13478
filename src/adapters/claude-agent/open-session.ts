/**
 * A conversation with the executable of the Claude Agent SDK, each prompt of which is a turn.
 *
 * @module
 */
import {
  type InterruptController,
  isObject,
  type OptionNames,
  requireFunction,
  requireMs,
  requireOpener,
  requireOneOf,
  requireOptions,
  requireTurn,
  show,
  type ToolContext,
  type Turn,
} from '../../core/inside.ts';
import type { TranscriptDialect } from '../../transcript/dialect.ts';
import { requireDialect } from '../../guard/told-words.ts';
import { Session } from './session.ts';

/**
 * The query of the SDK, as far as a stop concerns it.
 *
 * @since 0.1.0
 */
export interface AgentQuery<M = unknown> extends AsyncIterable<M> {
  /** Stops what the executable does for the prompt that it works on. */
  interrupt(): PromiseLike<unknown>;
  /** Stops one background task. */
  stopTask?(id: string): PromiseLike<unknown>;
}

/**
 * `query` of the SDK.
 *
 * @since 0.1.0
 */
export type OpenQuery<Q, O> = (given: { prompt: AsyncIterable<never>; options?: O }) => Q;

/**
 * What a prompt comes to: the message of the SDK that says that it succeeded.
 *
 * @since 0.1.0
 */
export type ResultOf<Q> =
  Q extends AsyncIterable<infer M> ? Extract<M, { readonly type: 'result'; readonly subtype: 'success' }> : never;

/**
 * Options of {@link openSession}.
 *
 * @since 0.1.0
 */
export interface SessionOptions<Q, O> {
  /** In whose words the model reads what became of a call that did not complete: `anthropic` of `desist/transcript/anthropic`. */
  readonly dialect: Pick<TranscriptDialect<never, unknown>, 'texts'>;
  /**
   * Options of the SDK, such as `model`, `resume`, and `canUseTool`, whose question a stop withdraws. The process is this door's to
   * end: `abortController` is refused.
   */
  readonly options?: O | undefined;
  /**
   * What a stop does to prompts that wait in the executable, whoever sent them: `cancel`, the default, or `keep`, and then they run
   * next. The stopped one never runs.
   */
  readonly queued?: 'cancel' | 'keep' | undefined;
  /**
   * What a stop of the turn does to tasks that run beside it: `keep`, the default – each is background work of the controller, and has
   * a stop of its own – or `stop`.
   */
  readonly background?: 'keep' | 'stop' | undefined;
  /** Milliseconds that the executable may take to end what it does, before its process ends; 1,000 by default. */
  readonly graceMs?: number | undefined;
  /** Milliseconds without a message of the executable while its model is at work; the start of its process is part of the first call. */
  readonly idleMs?: number | undefined;
  /** Told of each message of the SDK, for the screen. */
  readonly onMessage?: ((message: Q extends AsyncIterable<infer M> ? M : never) => void) | undefined;
}

/**
 * A conversation with the executable.
 *
 * @since 0.1.0
 */
export interface ClaudeSession<Q> {
  /** The name of the session, once the executable has told it: `resume` of the options goes on from there. */
  readonly id: string | undefined;
  /** The query that runs, for what else the SDK can be asked; none before the first prompt, or when its process has ended. */
  readonly query: Q | undefined;
  /**
   * Runs a prompt; what a person types meanwhile is the next prompt of the same turn.
   *
   * @checkpoint always, before and after
   * @throws CancelledError – as a rejection: the turn was cancelled. Error – as a rejection: the executable failed, with its own
   * words. TypeError – as a rejection: another prompt runs, or the session is closed.
   */
  prompt(turn: Turn, content: string | readonly object[]): Promise<ResultOf<Q>>;
  /**
   * Does the work of a tool of the program's own, in its handler: `(input, extra) => session.use(extra, ({ signal }) => …)`. The call's
   * row is that of the work then: waited for, named if it is deaf, told when it ends late. Without it the executable gives a stopped call
   * up, and nobody knows what became of it. A call has one work.
   *
   * @param extra What the handler is given; it names the call.
   * @param work Gets the context of the call; none for a call of a background task, which is of no turn.
   * @returns What the work gives.
   * @throws Error – as a rejection: what the work threw; for the model, what became of a call that did not complete; or the call is
   * over, or has its work already: this one does not begin.
   */
  use<R>(extra: unknown, work: (context: ToolContext | undefined) => R | PromiseLike<R>): Promise<R>;
  /** Ends the process, and resolves when nothing of it is read any more. */
  close(): Promise<void>;
  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const optionNames: OptionNames<SessionOptions<unknown, unknown>> = {
  dialect: 1,
  options: 1,
  queued: 1,
  background: 1,
  graceMs: 1,
  idleMs: 1,
  onMessage: 1,
};

/**
 * Opens a conversation with the executable of the Claude Agent SDK, whose prompts run under turns: its model calls and its tool
 * calls are the turn's, `canUseTool` is a question of the call that a stop withdraws, and a stop is one `interrupt()`, which also
 * takes back what waits in the executable. An executable that is deaf is ended when the grace is over; the next prompt goes on with
 * the same conversation, by `resume`.
 *
 * What the executable begins by itself – a background task has ended, and the model is told – is an automatic turn of the
 * controller: after a stop of a person it waits until they have said something.
 *
 * @checkpoint never: a prompt checks
 * @cleanup `close()` ends the process. Between prompts the executable is idle, and its messages are read.
 * @param controller The agent: background tasks are its background work.
 * @param query `query` of the SDK.
 * @param options The words for the model, the SDK's own options, what a stop spares, limits in milliseconds.
 * @returns The session. No process runs before its first prompt.
 * @throws TypeError, RangeError – not a controller, not a function, no dialect, or an option that makes no sense.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { openSession } from 'desist/claude-agent'
 * import { anthropic } from 'desist/transcript/anthropic'
 *
 * // stands for `query` of the SDK
 * async function* answers(prompts: AsyncIterable<{ message: { content: readonly object[] } }>) {
 *   for await (const { message } of prompts) {
 *     yield { type: 'result' as const, subtype: 'success' as const, result: JSON.stringify(message.content) }
 *   }
 * }
 * const query = ({ prompt }: { prompt: AsyncIterable<never> }) =>
 *   Object.assign(answers(prompt), { interrupt: async () => undefined })
 *
 * const controller = new InterruptController()
 * await using session = openSession(controller, query, { dialect: anthropic })
 * const report = await controller.runTurn((turn) => session.prompt(turn, 'tidy up'))
 * report.unwrap().result // => '[{"type":"text","text":"tidy up"}]'
 * ```
 * @source `Query.interrupt` of `@anthropic-ai/claude-agent-sdk`
 * @since 0.1.0
 */
export function openSession<Q extends AgentQuery, O extends object = object>(
  controller: InterruptController,
  query: OpenQuery<Q, O>,
  options: SessionOptions<Q, O>,
): ClaudeSession<Q> {
  const { background, runTurn } = (isObject(controller) ? controller : {}) as Partial<InterruptController>;
  if (typeof background !== 'function' || typeof runTurn !== 'function') {
    throw new TypeError(`controller must be an InterruptController, got ${show(controller)}`);
  }
  requireOpener('query', query);
  requireOptions(options, optionNames);
  const { dialect, options: own = {}, graceMs, idleMs, onMessage } = options;
  requireDialect(dialect);
  if (!isObject(own)) throw new TypeError(`options.options must be the options of query(), got ${show(own)}`);
  if ('abortController' in own) {
    throw new TypeError('options.options.abortController is no option here: cancel the turn, or close the session');
  }
  if (graceMs !== undefined) requireMs('graceMs', graceMs, 'infinity-allowed');
  if (idleMs !== undefined) requireMs('idleMs', idleMs, 'infinity-allowed');
  if (onMessage !== undefined) requireFunction('onMessage', onMessage);
  const session = new Session({
    controller,
    query: query as never,
    dialect,
    options: own,
    cancelQueued: requireOneOf('queued', options.queued ?? 'cancel', ['cancel', 'keep']) === 'cancel',
    stopsBackground: requireOneOf('background', options.background ?? 'keep', ['keep', 'stop']) === 'stop',
    graceMs,
    idleMs,
    onMessage: onMessage as ((message: unknown) => void) | undefined,
  });
  return {
    get id() {
      return session.id;
    },
    get query() {
      return session.query as Q | undefined;
    },
    async prompt(turn, content) {
      requireTurn(turn);
      if (typeof content !== 'string' && !Array.isArray(content)) {
        throw new TypeError(`content must be a text or a list of its parts, got ${show(content)}`);
      }
      return (await session.prompt(turn, content)) as never;
    },
    async use(extra, work) {
      requireFunction('work', work);
      return await session.use(extra, work);
    },
    close: () => session.close(),
    [Symbol.asyncDispose]: () => session.close(),
  };
}
