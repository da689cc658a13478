/**
 * Runs a tool that can only be started, looked at and killed: somebody else's process, container or remote job. Prior
 * art: the subprocess tools of coding agents; Kubernetes' jobs.
 *
 * @module
 */
import {
  callSafely,
  type CancellationToken,
  createCancelledError,
  delay,
  isCancelledError,
  type LateOutcome,
  type OptionNames,
  raceCancellation,
  reportCallbackError,
  requireFunction,
  requireMs,
  requireOptions,
  show,
  type TokenLike,
  tokenOf,
  withCancellation,
} from '../../core/inside.ts';

/**
 * A tool that offers no more than this. Each function may answer now or later.
 *
 * @since 0.1.0
 */
export interface SubprocessTool<T> {
  /** Names the tool where it has to be named. */
  readonly name?: string | undefined;
  /** Has it started when it returns or resolves. */
  start(): unknown;
  /** Whether it still runs. */
  isRunning(): boolean | PromiseLike<boolean>;
  /** Tells it to end; whether it did is asked of `isRunning`. */
  kill(): unknown;
  /** Asked once, after a normal end. */
  result(): T | PromiseLike<T>;
}

/**
 * Options of {@link runSubprocessTool}.
 *
 * @since 0.1.0
 */
export interface SubprocessToolOptions<T = unknown> {
  /** Milliseconds from one answer of `isRunning` to the next question; 100 by default. */
  readonly intervalMs?: number | undefined;
  /** Milliseconds from the cancel until a tool that still runs is left behind, 1,000 by default. */
  readonly graceMs?: number | undefined;
  /** Told what became of a tool that was left behind: one whose `start()` came too late is still killed. */
  readonly onLateSettle?: ((outcome: LateOutcome<T>) => void) | undefined;
}

const optionNames: OptionNames<SubprocessToolOptions> = { intervalMs: 1, graceMs: 1, onLateSettle: 1 };

/**
 * Starts a tool, asks at an interval whether it still runs, and gives its result; a cancel kills it.
 *
 * A cancel during `start()` kills as soon as it has started. After `kill()` it is asked on until the grace is over; then
 * the error's `abandoned` names the tool that would not go. What `kill()` throws goes to the `onCallbackError` of the
 * token's source; the tool is watched all the same.
 *
 * @checkpoint always: before the start, and then until the tool has ended
 * @fairness A tool that says it has ended has completed, also in the tick of the cancel.
 * @cleanup No timer and no registration is left when the promise settles, unless a function of the tool itself hangs.
 * @param token Whose stop, and whose clock.
 * @param tool What to run; its functions are called as its methods.
 * @param options Interval and grace in milliseconds.
 * @returns What `result()` gives.
 * @throws CancelledError – as a rejection, with `abandoned` if the tool still runs.
 * @throws TypeError, RangeError – as a rejection: arguments that make no sense.
 * @throws Error – as a rejection: what `start`, `result` or, before a cancel, `isRunning` threw; after a failing
 * `isRunning` the tool has been told to end.
 * @example
 * ```ts
 * import { CancellationToken } from 'desist'
 * import { runSubprocessTool } from 'desist/child-process'
 *
 * let looks = 0
 * const tool = { start: () => {}, isRunning: () => ++looks < 3, kill: () => {}, result: () => 'done' }
 * await runSubprocessTool(CancellationToken.none, tool, { intervalMs: 1 }) // => 'done'
 * ```
 * @source Python `subprocess.Popen.poll`
 * @since 0.1.0
 */
export async function runSubprocessTool<T>(
  token: TokenLike | null | undefined,
  tool: SubprocessTool<T>,
  options: SubprocessToolOptions<T> = {},
): Promise<T> {
  requireTool(tool);
  requireOptions(options, optionNames);
  const intervalMs = requireMs('intervalMs', options.intervalMs ?? 100, 'finite');
  const name = tool.name ?? 'subprocess tool';
  const { graceMs, onLateSettle } = options;
  return withCancellation(
    token,
    async (context) => {
      await tool.start();
      if (!(await runsOnWhenCancelled(tool, context.token, intervalMs))) return tool.result();
      callSafely(tokenOf(context.token), () => tool.kill());
      const isGone = await goesWithin(tool, context.graceToken, intervalMs);
      const reason = context.token.reason;
      if (reason === undefined) throw new Error('only a cancel gets here');
      throw createCancelledError(reason, isGone ? {} : { abandoned: { name } });
    },
    { graceMs, name, onLateSettle },
  );
}

/** Asks until the tool has ended, `false`, or the token is cancelled and it has not, `true`. */
async function runsOnWhenCancelled(
  tool: SubprocessTool<unknown>,
  token: CancellationToken,
  intervalMs: number,
): Promise<boolean> {
  for (;;) {
    try {
      // A question that hangs must not hold up the kill.
      if (!(await raceCancellation(token, tool.isRunning()))) return false;
      token.throwIfCancelled();
      await delay(token, intervalMs).catch(ignore); // cancelled while it slept: one look more
    } catch (error) {
      if (token.isCancelled) {
        // The stop may have closed what it is asked by: the kill is still to come, and the grace to wait for its end.
        if (!isCancelledError(error)) reportCallbackError(tokenOf(token), error);
        return true;
      }
      // Nobody can tell whether it runs, and nobody will look again.
      callSafely(tokenOf(token), () => tool.kill());
      throw error;
    }
  }
}

/** Asks until the tool has ended, `true`, or the grace has. */
async function goesWithin(
  tool: SubprocessTool<unknown>,
  grace: CancellationToken,
  intervalMs: number,
): Promise<boolean> {
  for (;;) {
    try {
      if (!(await raceCancellation(grace, tool.isRunning()))) return true;
    } catch (error) {
      if (!isCancelledError(error)) reportCallbackError(tokenOf(grace), error);
    }
    if (grace.isCancelled) return false;
    await delay(grace, intervalMs).catch(ignore); // the end of the grace: one look more
  }
}

function requireTool(tool: unknown): void {
  if (typeof tool !== 'object' || tool === null) throw new TypeError(`tool must be an object, got ${show(tool)}`);
  for (const name of ['start', 'isRunning', 'kill', 'result'] as const) {
    requireFunction(`tool.${name}`, (tool as Record<string, unknown>)[name]);
  }
}

function ignore(): void {
  return;
}
