/**
 * One task of an MCP server under a token: a stop reaches it as `tasks/cancel`, not only as silence. Prior art: the
 * experimental tasks of `@modelcontextprotocol/sdk`; the protocol's `tasks/cancel`.
 *
 * @module
 */
import {
  callSafely,
  type CancelContext,
  isObject,
  type LateOutcome,
  type OptionNames,
  requireFunction,
  requireOpener,
  requireOptions,
  show,
  type TokenLike,
  tokenOf,
} from '../../core/inside.ts';
import { callRemote, DEFAULT_NAME_MS } from '../internal/remote-work/call-remote.ts';
import type { RemoteContext } from '../internal/remote-work/remote-words.ts';
import { requestNames, type CancellableRequestOptions, type McpRequestContext } from './cancellable-request.ts';

/**
 * What is known of a task.
 *
 * @since 0.1.0
 */
export interface McpTask {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string | undefined;
}

/**
 * What the SDK's stream of a task yields; it ends with a result or an error.
 *
 * @since 0.1.0
 */
export type McpTaskMessage<R> =
  | { readonly type: 'taskCreated' | 'taskStatus'; readonly task: McpTask }
  | { readonly type: 'result'; readonly result: R }
  | { readonly type: 'error'; readonly error: unknown };

/**
 * Options of {@link cancellableTask}.
 *
 * @since 0.1.0
 */
export interface CancellableTaskOptions<R = unknown> extends Omit<CancellableRequestOptions<R>, 'onLateSettle'> {
  /** Sends `tasks/cancel`: `(taskId) => client.experimental.tasks.cancelTask(taskId)`. Called once, if there is a task. */
  readonly cancelTask: (taskId: string) => unknown;
  /** Told of the task when it is created and whenever the server was asked about it. Feeds `idleMs`. */
  readonly onStatus?: ((task: McpTask) => void) | undefined;
  /** Told what became of the call if `tasks/cancel` was not answered within the grace. */
  readonly onLateSettle?: ((outcome: LateOutcome<R>) => void) | undefined;
}

function isAsyncIterable(stream: unknown): boolean {
  return isObject(stream) && typeof Reflect.get(stream, Symbol.asyncIterator) === 'function';
}

async function leaveStream(messages: AsyncIterator<unknown>): Promise<void> {
  try {
    await messages.return?.();
  } catch {
    // Nobody reads it any more.
  }
}

const optionNames: OptionNames<CancellableTaskOptions> = { cancelTask: 1, onStatus: 1, ...requestNames };

/**
 * Calls a tool as a task – `client.experimental.tasks.callToolStream`, or any stream of that shape – under a token.
 *
 * The SDK alone stops asking and leaves the task running. Here a stop sends `tasks/cancel`, once, waits for its answer up
 * to the grace, and rejects with the token's error; until then the stream is read on. A result that comes is a result. A
 * server that refuses to cancel is waited for likewise, for it may be about to say that the task has ended. A stop that
 * comes before the server has named the task waits for the name, because nobody can cancel what has none: within the
 * grace if it comes in time, and afterwards still, with the call rejected as `abandoned`.
 *
 * @checkpoint always, before; `open` is not called if the token is cancelled
 * @fairness A result that has arrived beats a cancel of the same tick.
 * @cleanup Nothing of the call is left on the token when the promise settles; the stream is told to return.
 * @param token Whose stop.
 * @param open Starts the stream, with the context as the SDK's request options.
 * @param options How to cancel the task; grace and limits in milliseconds.
 * @returns The task's result.
 * @throws CancelledError – as a rejection: the token was cancelled; with `abandoned` if the server did not answer
 * `tasks/cancel` within the grace, or the stream broke before the task had a name. DeadlineExceededError – as a rejection: a limit of this call passed. TypeError,
 * RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { cancellableTask } from 'desist/mcp'
 *
 * const stop = new CancellationTokenSource()
 * const told: string[] = []
 * // with the SDK: (options) => client.experimental.tasks.callToolStream({ name: 'build' }, undefined, options)
 * const open = async function* () {
 *   yield { type: 'taskCreated', task: { taskId: 't1', status: 'working' } } as const
 *   stop.cancel('user')
 *   await new Promise(() => {})
 * }
 * const call = cancellableTask(stop.token, open, { cancelTask: (taskId) => told.push(taskId) })
 * await call.catch((error) => error.name) // => 'AbortError'
 * told // => ['t1']
 * ```
 * @source MCP specification, "Tasks"
 * @since 0.1.0
 */
export async function cancellableTask<R>(
  token: TokenLike | null | undefined,
  open: (context: McpRequestContext) => AsyncIterable<McpTaskMessage<R>>,
  options: CancellableTaskOptions<R>,
): Promise<R> {
  requireOptions(options, optionNames);
  const { cancelTask, onStatus, onProgress, name = 'mcp task', ...limits } = options;
  requireOpener('open', open);
  requireFunction('options.cancelTask', cancelTask);
  if (onStatus !== undefined) requireFunction('onStatus', onStatus);
  if (onProgress !== undefined) requireFunction('onProgress', onProgress);
  const read = async ({ signal, heard }: RemoteContext<R>, context: CancelContext): Promise<R> => {
    const onprogress: McpRequestContext['onprogress'] = (progress) => {
      context.progress();
      onProgress?.(progress);
    };
    const stream = open({ signal, onprogress, token: context.token });
    if (!isAsyncIterable(stream)) throw new TypeError(`open must return an async iterable, got ${show(stream)}`);
    const messages = stream[Symbol.asyncIterator]();
    try {
      for (;;) {
        const step = await messages.next();
        if (step.done === true) throw new Error('The stream of the task ended without a result');
        const message = step.value;
        if (message.type === 'result') {
          heard({ last: { value: message.result } });
          return message.result;
        }
        if (message.type === 'error') {
          heard({ last: { error: message.error, isSaid: true } });
          throw message.error;
        }
        heard({ id: message.task.taskId });
        context.progress();
        callSafely(tokenOf(context.token), onStatus, message.task);
      }
    } finally {
      // Not awaited: a generator that sleeps between two questions returns only when it wakes.
      void leaveStream(messages);
    }
  };
  return await callRemote<R>(
    token,
    read,
    {
      cancel: (taskId) => cancelTask(taskId),
      until: 'answer',
      endOf: () => 'completed',
      nameMs: DEFAULT_NAME_MS,
      name,
    },
    limits,
  );
}
