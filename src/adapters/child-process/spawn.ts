/**
 * Starts a process that a token can stop, with everything it started. Prior art: Node's `spawn` and `exec`, execa's
 * `subprocess`.
 *
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

import {
  abandonedWork,
  type CancelReasonInit,
  clockOf,
  createReason,
  isObject,
  refuseInPlaceOf,
  reportCallbackError,
  show,
  tellStopped,
  type Token,
  tokenOf,
} from '../../core/inside.ts';
import { notGuarded, statusOf, type GuardStatus } from '../internal/guardian/guard-status.ts';
import { guardCommand, type GuardedRun } from '../internal/guardian/guardian.ts';
import { lendTerminal } from '../internal/keyboard/watched-terminals.ts';
import { newMarker } from '../internal/process/run-marker.ts';
import { hostFamily, hostProcessTable } from '../internal/process/tree-host.ts';
import { toolEnvironment } from './environment.ts';
import { handOver, takeBack } from './hand-over.ts';
import { planOf, withoutInput, type CancellableExecOptions, type CancellableSpawnOptions } from './options.ts';
import { OwnRunPipe } from './run-pipe.ts';
import type { ProcessResult } from './process-result.ts';
import { Supervisor } from './supervisor.ts';

/**
 * A started process: await it for its result, or use its streams while it runs.
 *
 * It is thenable, so an `async` function that returns it returns its *result*; hand it on inside an object to keep the
 * handle.
 *
 * @since 0.1.0
 */
export interface ProcessRun extends PromiseLike<ProcessResult> {
  /** Node's own object; `undefined` if nothing was started because the token was cancelled already. */
  readonly child: ChildProcess | undefined;
  /** `undefined` if it could not be started. */
  readonly pid: number | undefined;
  /** `null` unless `stdio` says `'pipe'` for it: tools are started without an input. */
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Whether it is killed even if this program is killed, as the option `guardian` asks for, and why not. */
  readonly guardian: GuardStatus;
  /** The same as awaiting the run. */
  readonly result: Promise<ProcessResult>;
  /**
   * Stops this run alone, as a cancel of its token would; the only way for one that is `detached`.
   *
   * @param reason Shown in `stoppedBy`; kind `unknown` by default.
   * @returns The result.
   */
  stop(reason?: CancelReasonInit | string): Promise<ProcessResult>;
}

/**
 * Starts a command that the token stops, together with everything it has started: grandchildren, background jobs,
 * daemons in a session of their own. Resolves when they are gone, or names who is not.
 *
 * A stop *resolves*, with `stoppedBy` and the output so far, because how it ended is worth knowing; call
 * `token.throwIfCancelled()` afterwards to leave as well. A daemon that shed the environment *and* what a run inherits, and
 * left both its group and its parents, is out of reach; on systems without `/proc`, whoever left the group and lost its parents.
 * On Windows every stop is forceful at once, by `taskkill /T /F`. On Linux a daemon of a command that ends at once may be
 * missed where neither `/dev/shm` nor the temporary folder can be written to.
 *
 * With inherited standard input, a terminal that `desist/terminal` watches is lent to the command until the run is settled,
 * and the command runs in our own session and group. Started during a question to the terminal (`fence`) it may read the
 * answer; inside `handOver` it does not.
 *
 * @checkpoint always – but only before the start: with a cancelled token nothing is started.
 * @fairness A process that has ended is never reported as stopped, even if its `exit` event is still to come.
 * @cleanup When the result is there: no listener on token, child or process, no timer, no open pipe. The exception is
 * chosen: `background: 'keep'` reads on, without keeping the process alive, because a closed pipe would kill. If this
 * process ends first, all of it is killed; what a worker thread started only with `guardian`, or under `superviseWorker`.
 * @param command The program, found as `spawn` finds it.
 * @param args Its arguments.
 * @param options Those of `spawn`, plus the token and how to stop. Standard input is `'ignore'` unless given;
 * GIT_EDITOR=true, GIT_TERMINAL_PROMPT=0 and PAGER=cat are set unless `env` says otherwise. A name that there is not is passed to
 * Node, which reads over it; a token or a signal in the place of options is refused.
 * @returns The run; await it.
 * @throws TypeError, RangeError – at the call, for an argument that makes no sense. CancelledError – from the promise, if
 * the token was cancelled before the start. Error – from the promise, the system's own, such as ENOENT, if it could not be
 * started.
 * @example The result is data
 * ```ts
 * import { cancellableSpawn } from 'desist/child-process'
 *
 * const run = cancellableSpawn('sh', ['-c', 'echo half; exit 3'])
 * const { exitCode, stdout } = await run
 * exitCode // => 3
 * stdout // => 'half\n'
 * ```
 * @source Node `child_process.spawn`; execa `forceKillAfterDelay`
 * @since 0.1.0
 */
export function cancellableSpawn(
  command: string,
  args?: readonly string[],
  options?: CancellableSpawnOptions,
): ProcessRun;
export function cancellableSpawn(command: string, options?: CancellableSpawnOptions): ProcessRun;
export function cancellableSpawn(
  command: string,
  argsOrOptions?: readonly string[] | CancellableSpawnOptions,
  maybeOptions?: CancellableSpawnOptions,
): ProcessRun {
  if (isList(argsOrOptions)) return start(command, argsOrOptions, maybeOptions === undefined ? {} : maybeOptions);
  // As in Node null is no list; a text or a set would be silently dropped.
  const isOptions = isObject(argsOrOptions) && maybeOptions === undefined && !(Symbol.iterator in argsOrOptions);
  if (isOptions) return start(command, [], argsOrOptions);
  if (argsOrOptions !== undefined && (argsOrOptions as unknown) !== null) {
    throw new TypeError(`args must be an array, got ${show(argsOrOptions)}`);
  }
  return start(command, [], maybeOptions === undefined ? {} : maybeOptions);
}

/**
 * Runs a command line in a shell; stops like {@link cancellableSpawn}, which says the rest.
 *
 * The line is interpreted: never build it from parts you do not trust.
 *
 * @checkpoint always – but only before the start.
 * @fairness As `cancellableSpawn`.
 * @cleanup As `cancellableSpawn`.
 * @param commandLine What the shell reads.
 * @param options As `cancellableSpawn`; `shell` is a path.
 * @returns The run; await it.
 * @throws TypeError, RangeError – at the call, as `cancellableSpawn`. CancelledError, Error – from the promise, as
 * `cancellableSpawn`.
 * @example Stop means everybody
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { cancellableExec } from 'desist/child-process'
 *
 * const source = new CancellationTokenSource()
 * const run = cancellableExec('sleep 60 & echo started; wait', { token: source.token })
 * run.stdout?.once('data', () => source.cancel('user'))
 * const { stoppedBy, stdout, survivors } = await run
 * stoppedBy?.kind // => 'user'
 * stdout // => 'started\n'
 * survivors // => []
 * ```
 * @source Node `child_process.exec`
 * @since 0.1.0
 */
export function cancellableExec(commandLine: string, options: CancellableExecOptions = {}): ProcessRun {
  refuseInPlaceOf('options', options);
  return start(commandLine, [], { ...options, shell: options.shell ?? true });
}

/** On Windows nobody could be found by it. */
const hasRunPipe = process.platform !== 'win32';

function isList(value: readonly string[] | CancellableSpawnOptions | undefined): value is readonly string[] {
  return Array.isArray(value);
}

function start(command: string, args: readonly string[], options: CancellableSpawnOptions): ProcessRun {
  if (typeof command !== 'string' || command === '') {
    throw new TypeError(`command must be a string with something in it, got ${show(command)}`);
  }
  refuseInPlaceOf('options', options);
  if (!isObject(options.env ?? {})) throw new TypeError(`env must be an object, got ${show(options.env)}`);
  const token = tokenOf(options.token);
  const plan = planOf(options, {
    clock: clockOf(token),
    onCallbackError: (error) => reportCallbackError(token, error),
  });
  const stdio = withoutInput(options.stdio);
  // Before the look at the token: an ESC that was waited for until now may cancel it.
  const loan = token.isCancelled || options.detached === true ? undefined : lendTerminal(stdio);
  try {
    token.throwIfCancelled();
  } catch (error) {
    loan?.release();
    return rejectedRun(error as Error);
  }

  const marker = newMarker();
  const pipe = hasRunPipe ? new OwnRunPipe(stdio, marker) : undefined;
  const isGuarded = options.guardian === true && process.platform === 'linux';
  let guarded: GuardedRun | undefined;
  let child: ChildProcess;
  try {
    if (isGuarded) guarded = guardCommand(marker, pipe?.file);
    child = spawn(command, args, {
      ...options,
      // On Windows there are no groups to lead, and the option would open a console window. A program that has our
      // terminal is in its session and in front, or it could neither be interrupted nor stopped by its keys.
      detached: process.platform !== 'win32' && loan === undefined,
      windowsHide: options.windowsHide ?? true,
      env: toolEnvironment(options.env, marker, process.env),
      stdio: pipe?.stdio ?? stdio,
    });
  } catch (error) {
    for (const held of [pipe, guarded, loan]) held?.release();
    // Node throws for some failures of the system call, such as E2BIG, and emits the others; here both are data.
    if (typeof (error as { readonly syscall?: unknown }).syscall === 'string') return rejectedRun(error as Error);
    throw error;
  }

  pipe?.started(child, () => supervisor.check());
  const family = child.pid === undefined ? undefined : hostFamily(child.pid, marker, hostProcessTable(), pipe);
  const supervisor: Supervisor = new Supervisor(child, family, plan);
  if (pipe !== undefined) supervisor.hold(pipe);
  if (loan !== undefined) supervisor.hold(takeBack(loan, child, supervisor));
  if (guarded !== undefined) {
    const row = child.pid === undefined ? undefined : hostProcessTable()?.find(child.pid);
    const startTime = row === 'unreadable' ? undefined : row?.startTime;
    guarded.knowBy({ pid: child.pid, startTime, file: pipe?.file });
    supervisor.hold(guarded);
  }
  if (child.pid !== undefined) handOver(supervisor, child.pid, options.detached === true ? undefined : token);
  const guardian = statusOf(options.guardian === true, () =>
    isGuarded ? guarded?.unavailable : notGuarded('not-linux'),
  );
  // Who goes on at the end of the program is stopped by a press, which must not pass for one of the program's keys.
  const settled = loan === undefined ? supervisor.result : supervisor.result.finally(() => loan.caughtUp());
  const result = settled.then((ended) => {
    tellOfStop(token, ended, command);
    return ended;
  });
  return runOf(child, result, (reason) => supervisor.stop(createReason(reason)), guardian);
}

/** A tool may make words of the result and say nothing of the stop: its call knows all the same that it was cut. */
function tellOfStop(token: Token, { stoppedBy, survivors }: ProcessResult, command: string): void {
  if (stoppedBy === undefined || stoppedBy !== token.reason) return;
  const abandoned = survivors.length === 0 ? undefined : abandonedWork(command);
  tellStopped(token, { reason: stoppedBy, abandoned });
}

function rejectedRun(error: Error): ProcessRun {
  const result = Promise.reject<ProcessResult>(error);
  return runOf(undefined, result, () => undefined);
}

function runOf(
  child: ChildProcess | undefined,
  result: Promise<ProcessResult>,
  stop: (reason: CancelReasonInit | string | undefined) => void,
  guardian: GuardStatus = statusOf(false, () => undefined),
): ProcessRun {
  result.catch(() => undefined); // who never asks is not punished
  return {
    child,
    guardian,
    pid: child?.pid,
    stdin: child?.stdin ?? null,
    stdout: child?.stdout ?? null,
    stderr: child?.stderr ?? null,
    result,
    stop: (reason) => {
      stop(reason);
      return result;
    },
    // Awaiting the run is the short way to its result.
    then: (onResult, onError) => result.then(onResult, onError),
  };
}
