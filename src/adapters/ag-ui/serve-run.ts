/**
 * The server's side of AG-UI: a run is a turn, and its last event says what became of that.
 *
 * @module
 */
import {
  callSafely,
  type InterruptController,
  isObject,
  isThenable,
  type OptionNames,
  type Registration,
  requireFunction,
  requireOptions,
  type RunTurnOptions,
  show,
  tokenOf,
  type Turn,
  type TurnReport,
} from '../../core/inside.ts';
import { requireDialect } from '../../guard/told-words.ts';
import type { TranscriptDialect } from '../../transcript/dialect.ts';
import { ClientCalls } from './client-calls.ts';
import { type AgUiEvent, OpenParts } from './open-parts.ts';

/**
 * What a client asks, as far as a stop concerns it: the body of its request.
 *
 * @since 0.1.0
 */
export interface RunInput {
  readonly threadId: string;
  readonly runId: string;
  /** What the client has of the thread: a call there may go on in this run. */
  readonly messages?: unknown;
}

/**
 * Options of {@link serveRun}.
 *
 * @since 0.1.0
 */
export interface ServeRunOptions<I extends RunInput> extends Pick<
  RunTurnOptions,
  'ticket' | 'token' | 'whenBusy' | 'budget'
> {
  /** What the client asks. */
  readonly input: I;
  /** Sends an event to the client. */
  readonly emit: (event: AgUiEvent) => void;
  /** In whose words a call that got no result is answered: `openaiChat` of `desist/transcript/openai-chat`. */
  readonly dialect: Pick<TranscriptDialect<never, unknown>, 'texts'>;
}

/**
 * What the body of a run is given.
 *
 * @since 0.1.0
 */
export interface RunScope<I extends RunInput> {
  readonly input: I;
  /**
   * Sends an event; none after the turn has ended. The run begins and ends once: a `RUN_STARTED` is left out, and a
   * `RUN_FINISHED` is its last event, if the turn completes. A `RUN_ERROR` is a failure of the turn, whatever follows.
   */
  readonly emit: (event: AgUiEvent) => void;
}

const optionNames: OptionNames<ServeRunOptions<RunInput>> = {
  input: 1,
  emit: 1,
  dialect: 1,
  ticket: 1,
  token: 1,
  whenBusy: 1,
  budget: 1,
};

/**
 * Runs a request of an AG-UI client as a turn: `RUN_STARTED` when it begins; `RUN_FINISHED` with the outcome `success` or `cancelled`,
 * or `RUN_ERROR`, when nothing of it runs any more. What a stop left open is ended before that, arguments that were cut are made whole,
 * whoever ended their call, and each call that the client has without a result gets one, by its row in the ledger: the client's messages can
 * be sent again. The calls that a run which completed left are the client's own to answer, and stay, but for those that a message cut.
 *
 * A client says "stop" by closing the connection: give the request's token, for example `fromRequest` of `desist/http-request`.
 *
 * @checkpoint always, before
 * @cleanup Nothing is sent after the last event.
 * @param controller The agent; its session, if the client can come back.
 * @param body The turn's. What it returns is the result of the run.
 * @param options The request, its connection, the words for calls that were stopped.
 * @returns The report of the turn.
 * @throws TypeError – as a rejection: arguments that make no sense, or the agent is at work and `whenBusy` is `reject`; nothing was sent then.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { serveRun } from 'desist/ag-ui'
 * import { openaiChat } from 'desist/transcript/openai-chat'
 *
 * const controller = new InterruptController()
 * const types: string[] = []
 * const options = {
 *   input: { threadId: 't', runId: 'r' },
 *   emit: ({ type }: { readonly type: string }) => types.push(type),
 *   dialect: openaiChat,
 * }
 * await serveRun(controller, (turn, { emit }) => {
 *   emit({ type: 'TEXT_MESSAGE_START', messageId: 'm1' })
 *   controller.cancel('user')
 *   turn.checkpoint()
 * }, options)
 * types // => ['RUN_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_END', 'RUN_FINISHED']
 * ```
 * @source AG-UI, "Run lifecycle"
 * @since 0.1.0
 */
export async function serveRun<I extends RunInput, R>(
  controller: InterruptController,
  body: (turn: Turn, run: RunScope<I>) => R | PromiseLike<R>,
  options: ServeRunOptions<I>,
): Promise<TurnReport<R>> {
  const { runTurn, onEvent } = (isObject(controller) ? controller : {}) as Partial<InterruptController>;
  if (typeof runTurn !== 'function' || typeof onEvent !== 'function') {
    throw new TypeError(`controller must be an InterruptController, got ${show(controller)}`);
  }
  requireFunction('body', body);
  requireOptions(options, optionNames);
  const { input, emit, dialect, ...turnOptions } = options;
  const { threadId, runId, messages } = (isObject(input) ? input : {}) as Partial<RunInput>;
  if (typeof threadId !== 'string' || typeof runId !== 'string') {
    throw new TypeError(`options.input must be the input of a run, with threadId and runId, got ${show(input)}`);
  }
  requireFunction('options.emit', emit);
  requireDialect(dialect);
  const run = { threadId, runId };
  const parts = new OpenParts();
  const calls = new ClientCalls(messages);
  const seen = { hasBegun: false, hasEnded: false };
  const send = (event: AgUiEvent): void => {
    if (seen.hasEnded) return;
    parts.sent(event);
    calls.sent(event);
    emit(event);
  };
  let heard: Registration | undefined;
  /** What the body has said of the end, as one does that passes on the events of another run. */
  let said: Said | undefined;
  const emitted = (event: AgUiEvent): void => {
    const { type } = event;
    if (type === 'RUN_FINISHED' || type === 'RUN_ERROR') {
      if (said?.type !== 'RUN_ERROR') said = event;
    } else if (type !== 'RUN_STARTED') send(event);
  };
  const ended = (value: R): R => {
    if (said?.type === 'RUN_ERROR') throw new Error(String(said.message));
    return value;
  };
  const report = await runTurn((turn) => {
    seen.hasBegun = true;
    heard = onEvent(
      (event) => {
        calls.heard(event);
      },
      { operations: true },
    );
    send({ type: 'RUN_STARTED', ...run });
    const result = body(turn, { input, emit: emitted });
    return isThenable(result) ? result.then(ended) : ended(result);
  }, turnOptions).finally(() => heard?.unregister());
  seen.hasEnded = true;
  const last = [
    // Stopped before it could begin.
    ...(seen.hasBegun ? [] : [{ type: 'RUN_STARTED', ...run }]),
    ...calls.rests(report, parts.ends),
    ...parts.ends.flatMap((end) => [...calls.rest({ ...end, type: 'TOOL_CALL_ARGS' }), end]),
    ...calls.results(report, dialect),
    endOf(report, run, said),
  ];
  // A connection that is gone takes nothing of it.
  for (const event of last) callSafely(tokenOf(undefined), emit, event as AgUiEvent);
  return report;
}

/** The event that a run ends with, as its body has said it. */
type Said = AgUiEvent & { readonly message?: unknown };

function endOf(report: TurnReport<unknown>, run: RunInput, said: Said | undefined): object {
  if (report.status === 'failed') {
    const { error } = report;
    if (said?.type === 'RUN_ERROR') return said;
    return { type: 'RUN_ERROR', message: error instanceof Error ? error.message : String(error) };
  }
  const type = 'RUN_FINISHED';
  if (report.status === 'cancelled') return { type, ...run, outcome: { type: 'cancelled' } };
  const { value } = report;
  return { type, ...(value !== undefined && { result: value }), outcome: { type: 'success' }, ...said, ...run };
}
