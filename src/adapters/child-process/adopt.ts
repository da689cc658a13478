/**
 * Takes over the stopping of a process that somebody else started. Prior art: systemd's adoption of a main process by
 * its pid; execa's `cleanup`.
 *
 * @module
 */
import {
  type CancelReasonInit,
  clockOf,
  createReason,
  type OptionNames,
  type OptionsOnly,
  reportCallbackError,
  requireOptions,
  tokenOf,
} from '../../core/inside.ts';
import { carriedMarker, hostFamily } from '../internal/process/tree-host.ts';
import { AdoptedChild, unwrap, type AdoptableProcess } from './adopted-child.ts';
import { ownMarker } from '../internal/process/run-marker.ts';
import { handOver } from './hand-over.ts';
import { planOf, type CancellableSpawnOptions } from './options.ts';
import type { ProcessResult } from './process-result.ts';
import type { SupervisionPlan } from './options.ts';
import { Supervisor } from './supervisor.ts';

/**
 * Options of {@link adopt}, with the meaning they have for `cancellableSpawn`.
 *
 * @since 0.1.0
 */
export interface AdoptOptions
  extends
    OptionsOnly,
    Pick<CancellableSpawnOptions, 'token' | 'graceMs' | 'stopSignals' | 'background' | 'detached' | 'onSurvivor'> {
  /**
   * The environment it was started with, if {@link markedEnvironment} is in it. Otherwise the process is asked for its
   * marker, and one that ends before it was asked takes it along.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * How an adopted process ended; its output is its owner's. `exitCode` and `signal` are both `null` where nobody told.
 *
 * @since 0.1.0
 */
export type AdoptedResult = Omit<ProcessResult, 'stdout' | 'stderr' | 'droppedBytes' | 'outputEnded'>;

/**
 * An adopted process: await it for its end.
 *
 * @since 0.1.0
 */
export interface AdoptedProcess extends PromiseLike<AdoptedResult> {
  /** `undefined` until it has started. */
  readonly pid: number | undefined;
  /** The same as awaiting it. */
  readonly result: Promise<AdoptedResult>;
  /**
   * Stops it now, with everything it has started.
   *
   * @param reason Shown in `stoppedBy`; kind `unknown` by default.
   * @returns The result.
   */
  stop(reason?: CancelReasonInit | string): Promise<AdoptedResult>;
}

const optionNames: OptionNames<AdoptOptions> = {
  env: 1,
  token: 1,
  graceMs: 1,
  stopSignals: 1,
  background: 1,
  detached: 1,
  onSurvivor: 1,
};

/**
 * Has a process that execa, node-pty, an MCP transport or anybody else started stopped by the token, together with
 * everything it has started, like one of `cancellableSpawn`. Its pipes are closed after a stop, so that its owner's
 * promise settles too.
 *
 * A process that was not started in a group of its own (`detached: true`) shares ours: of its descendants those are found
 * whose parents are alive, or that carry a marker – start it with {@link markedEnvironment}.
 *
 * @checkpoint never – it runs already; with a cancelled token it is stopped at once.
 * @fairness A process that has ended is never reported as stopped.
 * @cleanup As `cancellableSpawn`. If this process ends first, it is killed.
 * @param child What the library gave you. With a mere pid its end is found out by looking, every 50 ms, and has no code.
 * @param options The token and how to stop.
 * @returns Its end; await it.
 * @throws TypeError, RangeError – at the call, for an argument that makes no sense or a process that was not started.
 * Error – from the promise, the system's own, if it could not be started.
 * @example Somebody else's child
 * ```ts
 * import { spawn } from 'node:child_process'
 * import { CancellationTokenSource } from 'desist'
 * import { adopt } from 'desist/child-process'
 *
 * const source = new CancellationTokenSource()
 * const end = adopt(spawn('sleep', ['60']), { token: source.token })
 * source.cancel('user')
 * const { signal, stoppedBy } = await end
 * signal // => 'SIGTERM'
 * stoppedBy?.kind // => 'user'
 * ```
 * @source execa `cleanup`; systemd `PIDFile`
 * @since 0.1.0
 */
export function adopt(child: AdoptableProcess, options: AdoptOptions = {}): AdoptedProcess {
  requireOptions(options, optionNames);
  const token = tokenOf(options.token);
  const plan = planOf(options, {
    clock: clockOf(token),
    onCallbackError: (error) => reportCallbackError(token, error),
  });
  const target = unwrap(child);
  const marker = ownMarker(options.env, process.env);
  const under: Reach = { token: options.detached === true ? undefined : token, marker };
  if ('now' in target) return takeOver(target.now, plan, under);

  // In a box: the handle is thenable, and a promise of it would be one of the result.
  let adopted: AdoptedProcess | undefined;
  const taken = Promise.resolve(target.later).then((started) => {
    const handle = takeOver(started, plan, under);
    adopted = handle;
    return { handle };
  });
  const result = taken.then(({ handle }) => handle.result);
  return handleOf(
    () => adopted?.pid,
    result,
    (reason) => void taken.then(({ handle }) => handle.stop(reason), ignore),
  );
}

const lookAgainMs = 50;

/** What a stop comes from, and what it goes by. */
interface Reach {
  readonly token: ReturnType<typeof tokenOf> | undefined;
  readonly marker: string | undefined;
}

function takeOver(target: unknown, plan: SupervisionPlan, { token, marker }: Reach): AdoptedProcess {
  const child = new AdoptedChild(target);
  const { pid } = child;
  const family =
    pid === undefined || child.hasEnded ? undefined : hostFamily(pid, marker ?? (() => carriedMarker(pid)));
  const supervisor = new Supervisor(child, family, plan);
  child.watch(target, () => family?.isLeaderAlive() === true, plan.clock);
  supervisor.hold(child);
  // Who was forked a moment ago still has our environment, and nobody yet.
  if (family !== undefined) supervisor.hold(plan.clock.setTimer(() => void family.look(), lookAgainMs, { ref: false }));
  if (family !== undefined && pid !== undefined) handOver(supervisor, pid, token);
  const result = supervisor.result.then(({ exitCode, signal, stoppedBy, survivors, background, ms }) => {
    if (stoppedBy !== undefined) child.closePipes();
    return { exitCode, signal, stoppedBy, survivors, background, ms };
  });
  return handleOf(
    () => pid,
    result,
    (reason) => supervisor.stop(createReason(reason)),
  );
}

function handleOf(
  pid: () => number | undefined,
  result: Promise<AdoptedResult>,
  stop: (reason: CancelReasonInit | string | undefined) => void,
): AdoptedProcess {
  result.catch(ignore); // the owner of the process hears of a failed start; who never asks here is not punished
  return {
    get pid() {
      return pid();
    },
    result,
    stop(reason) {
      stop(reason);
      return result;
    },
    // Awaiting the process is the short way to its end.
    then: (onResult, onError) => result.then(onResult, onError),
  };
}

function ignore(): void {
  return;
}
