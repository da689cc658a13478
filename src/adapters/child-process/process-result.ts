/**
 * What is known of a run when it is over. Prior art: execa's `result`.
 *
 * @module
 */
import type { CancelReason } from '../../core/inside.ts';
import { survivorsIn, type Survivors } from '../internal/process/stoppable-process.ts';
import type { FamilyLook, StoppableFamily } from '../internal/process/process-table.ts';
import type { LiveProcess } from '../internal/process/process-table.ts';
import type { CapturedOutput } from './output/capture.ts';

/**
 * How a run ended. An exit code other than 0 and a stop are results, not errors.
 *
 * @since 0.1.0
 */
export interface ProcessResult {
  /** The exit code; `null` if a signal ended the process, or if it has not ended (see `survivors`). */
  readonly exitCode: number | null;
  /** The signal that ended it. */
  readonly signal: NodeJS.Signals | null;
  /** What came on standard output, also when it was stopped; `''` where it was not piped. */
  readonly stdout: string;
  /** What came on standard error. */
  readonly stderr: string;
  /** How many bytes `maxBuffer` kept out of the middle of each. */
  readonly droppedBytes: { readonly stdout: number; readonly stderr: number };
  /**
   * Whether both outputs came to their end. `false` if somebody else still held a pipe when the result was made: what they
   * write later is not in it. What the command itself wrote always is.
   */
  readonly outputEnded: boolean;
  /** Why it was told to stop; `undefined` if it ended by itself before any stop could reach it. */
  readonly stoppedBy: CancelReason | undefined;
  /**
   * Who was told to stop and is still alive: stuck in the kernel, owned by another user, or spared by `stopSignals`.
   * `unknown` if that could not be found out: for want of file descriptors, or because somebody holds the run's pipe and
   * shows nothing else of itself.
   */
  readonly survivors: Survivors;
  /** Who outlived a normal end, by the run's own choice: nobody told them to stop. `unknown` as above. */
  readonly background: Survivors;
  /** From the start to this result, in milliseconds. */
  readonly ms: number;
}

/** How the leader ended. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What a supervisor knows at the end. */
export interface ResultParts extends Pick<ProcessResult, 'outputEnded' | 'stoppedBy' | 'ms'> {
  /** `undefined` if it has not ended. */
  readonly exit: ProcessExit | undefined;
  readonly stdout: CapturedOutput;
  readonly stderr: CapturedOutput;
  /** Whether anybody was told to stop. */
  readonly wasStopped: boolean;
  /** Whether the leader turned out to have ended when it was told. */
  readonly wasMissed: boolean;
  readonly left: Survivors;
}

/** Puts a result together. A leader that ended by itself, with a code, was not stopped by whoever came too late. */
export function resultOf(parts: ResultParts): ProcessResult {
  const { exit, stdout, stderr, outputEnded, stoppedBy, wasStopped, wasMissed, left, ms } = parts;
  return {
    exitCode: exit?.code ?? null,
    signal: exit?.signal ?? null,
    stdout: stdout.text,
    stderr: stderr.text,
    droppedBytes: { stdout: stdout.droppedBytes, stderr: stderr.droppedBytes },
    outputEnded,
    stoppedBy: wasMissed && typeof exit?.code === 'number' ? undefined : stoppedBy,
    survivors: wasStopped ? left : [],
    background: wasStopped ? [] : left,
    ms,
  };
}

/** Who is alive at the end, the leader included if nobody has told of its exit. */
export function whoIsLeft(
  leader: { readonly pid?: number | undefined; readonly spawnfile: string },
  hasExited: boolean,
  family: StoppableFamily | undefined,
  look: FamilyLook | undefined,
): Survivors {
  const left = family === undefined || look === undefined ? [] : survivorsIn(family, look);
  const { pid, spawnfile } = leader;
  if (left === 'unknown' || hasExited || pid === undefined) return left;
  return left.some((one) => one.pid === pid) ? left : [{ pid, command: spawnfile }, ...left];
}

/** Tells a caller's function of each survivor; what it throws is reported, and stops nobody. */
export function tellOf(
  left: Survivors,
  onSurvivor: ((process: LiveProcess) => void) | undefined,
  onCallbackError: (error: unknown) => void,
): void {
  for (const process of left === 'unknown' ? [] : left) {
    try {
      onSurvivor?.(process);
    } catch (error) {
      onCallbackError(error);
    }
  }
}
