/**
 * The life of one started process, from its first byte to the result.
 * In this door as its centre: it listens to the child, climbs the ladder when told to, and decides when the run is over.
 *
 * ```
 *            exit                        pipes closed, or drainMs later
 * running ───────────► draining ──────────────────────────────────────────► settled
 *    │ stop                │ stop, and somebody is alive                       ▲
 *    └──────────► stopping ◄┘ ─── ladder done, exit seen, pipes closed or ─────┘
 *                                 drainMs later
 * ```
 *
 * Invariants:
 * - **P1** The leader is gone when its `exit` came, not when a signal was sent: `child.killed` says only the latter.
 * - **P2** Whoever holds a pipe cannot hold the result.
 * - **P3** Settled once; from then on no listener, timer, registration or hook of the run is left.
 * - **P4** A run that ended by itself is not reported as stopped, whatever came later.
 *
 * Prior art: execa's `exit` / `close` handling, Go `exec.Cmd.WaitDelay`.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';

import type { Clock } from '../../core/foundation/clock.ts';
import type { Releasable } from '../../core/foundation/disposable.ts';
import type { CancelReason } from '../../core/foundation/reason.ts';
import type { LiveProcess, StoppableFamily } from '../internal/process-tree-family.ts';
import { OutputCapture } from './capture.ts';
import { StopLadder, type Rung } from '../internal/stop-ladder.ts';
import { closeStreams, ignoreErrors } from './streams.ts';

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
  /** `false` if somebody still held the pipes when the result was made: what they write later is not in it. */
  readonly outputEnded: boolean;
  /** Why it was told to stop; `undefined` if it ended by itself before any stop could reach it. */
  readonly stoppedBy: CancelReason | undefined;
  /** Who was told to stop and is still alive: stuck in the kernel, owned by another user, or spared by `stopSignals`. */
  readonly survivors: readonly LiveProcess[];
  /** Who outlived a normal end, by the run's own choice: nobody told them to stop. */
  readonly background: readonly LiveProcess[];
  /** From the start to this result, in milliseconds. */
  readonly ms: number;
}

/** How long after the end of the leader its last output may take to arrive when somebody else holds the pipe. */
export const drainMs = 100;

/** What the options of a run come down to. */
export interface SupervisionPlan {
  readonly clock: Clock;
  readonly rungs: readonly Rung[];
  readonly graceMs: number;
  readonly background: 'keep' | 'stop';
  readonly maxBuffer: number;
  readonly encoding: BufferEncoding;
  readonly onSurvivor: ((process: LiveProcess) => void) | undefined;
  readonly onCallbackError: (error: unknown) => void;
}

/** What of a child is used: Node's own, or what stands for somebody else's. */
export interface SupervisedChild
  extends
    Pick<EventEmitter, 'on' | 'off'>,
    Pick<ChildProcess, 'pid' | 'stdin' | 'stdout' | 'stderr' | 'spawnfile' | 'kill' | 'unref'> {}

interface Settle {
  readonly resolve: (result: ProcessResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Watches one child; `stop` and `force` are for its token, `killNow` for the end of our own process. */
export class Supervisor {
  /** Rejects only with the error of a start that failed. */
  readonly result: Promise<ProcessResult>;

  readonly #child: SupervisedChild;
  readonly #family: StoppableFamily | undefined;
  readonly #plan: SupervisionPlan;
  readonly #startedAt: number;
  readonly #stdout: OutputCapture;
  readonly #stderr: OutputCapture;
  #held: Releasable[] = [];
  #settle: Settle | undefined;
  #exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;
  #closed = false;
  #stoppedBy: CancelReason | undefined;
  #ladder: StopLadder | undefined;
  #ladderDone = false;
  #drain: Releasable | undefined;

  /**
   * @param child Just started, in this tick.
   * @param family `undefined` if the start failed and there is no pid.
   * @param plan The options.
   */
  constructor(child: SupervisedChild, family: StoppableFamily | undefined, plan: SupervisionPlan) {
    this.#child = child;
    this.#family = family;
    this.#plan = plan;
    this.#startedAt = plan.clock.now();
    this.#stdout = new OutputCapture(child.stdout, plan.maxBuffer);
    this.#stderr = new OutputCapture(child.stderr, plan.maxBuffer);
    this.result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.result.catch(ignore); // who never asks for the result is not punished for a failed start
    for (const stream of [child.stdin, child.stdout, child.stderr]) ignoreErrors(stream);
    child.on('error', this.#onError);
    child.on('exit', this.#onExit);
    child.on('close', this.#onClose);
  }

  /** Has these released when the run is settled; at once if it is. */
  hold(...held: Releasable[]): void {
    if (this.#settle === undefined) releaseAll(held);
    else this.#held.push(...held);
  }

  /** Tells everybody to stop; the first signal is sent before this returns. */
  stop(reason: CancelReason): void {
    if (this.#settle === undefined || this.#ladder !== undefined || this.#family === undefined) return;
    // P4: also if it is dead already and its `exit` only waits for its turn of the loop.
    const leaderEnded = this.#exit !== undefined || this.#family.isLeaderDead();
    if (leaderEnded && this.#family.members().length === 0) return;
    this.#stoppedBy = reason;
    this.#climb();
  }

  /** Skips what is left of the grace. */
  force(): void {
    this.#ladder?.force();
  }

  /** Hands on the terminal's Ctrl+C, which reaches no group but the foreground's. */
  interrupt(): void {
    if (this.#exit === undefined) this.#family?.interrupt();
  }

  /** The last chance: SIGKILL to everybody, synchronously. */
  killNow(): void {
    this.#signal('SIGKILL');
  }

  readonly #onError = (error: Error): void => {
    // With a pid it is the failure of some `kill` or `send` of the caller's, not of the run.
    if (this.#child.pid !== undefined) return;
    const settle = this.#release();
    closeStreams(this.#child, 'all');
    settle?.reject(error);
  };

  readonly #onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
    this.#exit = { code, signal };
    this.#family?.leaderReaped();
    if (this.#ladder !== undefined && !this.#ladderDone) this.#ladder.check();
    else this.#awaitEnd();
  };

  readonly #onClose = (): void => {
    this.#closed = true;
    if (this.#ladder === undefined || this.#ladderDone) this.#awaitEnd();
  };

  #signal(signal: NodeJS.Signals): void {
    const reached = this.#family?.signal(signal) === true;
    // A process table that cannot be read must not make a stop a no-op.
    if (!reached && this.#exit === undefined) this.#child.kill(signal);
  }

  #climb(): void {
    this.#drain?.release();
    this.#drain = undefined;
    const target = {
      signal: (signal: NodeJS.Signals) => this.#signal(signal),
      isAnyoneAlive: () => this.#exit === undefined || this.#family?.hasKnownAlive() === true, // P1
      look: () => (this.#family?.members().length ?? 0) > 0,
    };
    const { rungs, graceMs, clock } = this.#plan;
    this.#ladder = new StopLadder(target, rungs, graceMs, clock);
    void this.#ladder.done.then(() => {
      this.#ladderDone = true;
      this.#awaitEnd();
    });
  }

  /** P2: waits for the pipes, but not for ever. */
  #awaitEnd(): void {
    if (this.#closed) {
      this.#end();
      return;
    }
    this.#drain ??= this.#plan.clock.setTimer(
      () => {
        // One turn of the loop more: after a stall the timer comes before the bytes that have long been there.
        const turn = setImmediate(() => this.#end());
        this.#drain = { release: () => clearImmediate(turn) };
      },
      drainMs,
      { ref: true },
    );
  }

  #end(): void {
    const wantsMore = this.#ladder === undefined && this.#plan.background === 'stop';
    if (wantsMore && (this.#family?.members().length ?? 0) > 0) {
      this.#climb();
      return;
    }
    const settle = this.#release();
    if (settle === undefined) return;
    const left = this.#whoIsLeft();
    const wasStopped = this.#ladder !== undefined;
    closeStreams(this.#child, wasStopped ? 'all' : 'input');
    if (this.#exit === undefined) this.#child.unref(); // a survivor does not keep our own process alive
    const { encoding, clock, onSurvivor } = this.#plan;
    const [stdout, stderr] = [this.#stdout.read(encoding), this.#stderr.read(encoding)];
    for (const process of wasStopped ? left : []) this.#tell(onSurvivor, process);
    settle.resolve({
      exitCode: this.#exit?.code ?? null,
      signal: this.#exit?.signal ?? null,
      stdout: stdout.text,
      stderr: stderr.text,
      droppedBytes: { stdout: stdout.droppedBytes, stderr: stderr.droppedBytes },
      outputEnded: this.#closed,
      stoppedBy: this.#stoppedBy,
      survivors: wasStopped ? left : [],
      background: wasStopped ? [] : left,
      ms: clock.now() - this.#startedAt,
    });
  }

  #whoIsLeft(): LiveProcess[] {
    // After a clean end the table is read only if something hints at somebody.
    if (this.#family === undefined) return [];
    const hint = this.#ladder !== undefined || !this.#closed || this.#family.mayHaveGroup();
    const left = hint ? this.#family.describe(this.#family.members()) : [];
    const { pid, spawnfile } = this.#child;
    const isUnseen = this.#exit === undefined && pid !== undefined && !left.some((one) => one.pid === pid);
    return isUnseen ? [{ pid, command: spawnfile }, ...left] : left;
  }

  #tell(onSurvivor: SupervisionPlan['onSurvivor'], process: LiveProcess): void {
    try {
      onSurvivor?.(process);
    } catch (error) {
      this.#plan.onCallbackError(error);
    }
  }

  /** P3. */
  #release(): Settle | undefined {
    const settle = this.#settle;
    this.#settle = undefined;
    this.#drain?.release();
    this.#drain = undefined;
    releaseAll(this.#held);
    this.#held = [];
    this.#child.off('error', this.#onError);
    this.#child.off('exit', this.#onExit);
    this.#child.off('close', this.#onClose);
    this.#stdout.release();
    this.#stderr.release();
    return settle;
  }
}

function releaseAll(held: readonly Releasable[]): void {
  for (const one of held) one.release();
}

function ignore(): void {
  return;
}
