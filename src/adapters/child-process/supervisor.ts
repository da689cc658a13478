/**
 * The life of one started process, from its first byte to the result.
 *
 * ```
 *            exit                      all output read, or held by others
 * running ───────────► draining ──────────────────────────────────────► looking ──► settled
 *    │ stop                │ stop, and somebody is alive                 │ stop        ▲
 *    └──────────► stopping ◄─────────────────────────────────────────────┘             │
 *                    └── ladder done, exit seen, output read or held by others ────────┘
 * ```
 *
 * Invariants:
 * - **P1** The leader is gone when its `exit` came, not when a signal was sent: `child.killed` says only the latter.
 * - **P2** Whoever holds a pipe cannot hold the result; what the command itself wrote is in it, however slow its reader.
 * - **P3** Settled once; from then on no listener, timer, registration or hook of the run is left.
 * - **P4** A run that ended by itself is not reported as stopped, whatever came later.
 * - **P5** Who is left is looked up before it is said; a look that failed is reported as `unknown`.
 *
 * Prior art: execa's `exit` / `close` handling, Go `exec.Cmd.WaitDelay`.
 *
 * @module
 */
import type { Readable } from 'node:stream';

import type { CancelReason, Releasable } from '../../core/inside.ts';
import { verdictOf } from '../internal/process/stoppable-process.ts';
import type { FamilyLook, StoppableFamily } from '../internal/process/process-table.ts';
import type { SupervisionPlan } from './options.ts';
import { resultOf, tellOf, whoIsLeft, type ProcessExit, type ProcessResult } from './process-result.ts';
import { RunLimits } from './run-limits.ts';
import { OutputCapture } from './output/capture.ts';
import { StopLadder } from '../internal/process/stop-ladder.ts';
import { closeStreams, ignoreErrors, type SupervisedChild } from './output/streams.ts';

/** How long after the end of the leader its last output may take to arrive when somebody else holds the pipe. */
export const drainMs = 100;
/** More than any pipe holds: what comes after that was not written by the leader, which had ended. */
const pipeBytes = 2 * 1024 * 1024;

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
  readonly #held: Releasable[] = [];
  #settle: Settle | undefined;
  #exit: ProcessExit | undefined;
  #closed = false;
  #stoppedBy: CancelReason | undefined;
  /** A stop that came when the leader had ended: it counts if somebody is found to be left. */
  #lateReason: CancelReason | undefined;
  /** Whether the leader was there when it was told to stop; it may have ended before the first signal all the same. */
  #wasThere = false;
  #ladder: StopLadder | undefined;
  #ladderDone = false;
  #isEmpty = false;
  #isLooking = false;
  #drain: Releasable | undefined;
  #limits: RunLimits | undefined;

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
    const heard = {
      onOutput: () => this.#limits?.heard(),
      onEnd: () => this.#onOutputEnd(),
    };
    this.#stdout = new OutputCapture(child.stdout ?? null, plan.maxBuffer, heard);
    this.#stderr = new OutputCapture(child.stderr ?? null, plan.maxBuffer, heard);
    this.result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.result.catch(() => undefined); // who never asks for the result is not punished for a failed start
    for (const stream of [child.stdin, child.stdout, child.stderr]) ignoreErrors(stream);
    child.on('error', this.#onError);
    child.on('exit', this.#onExit);
    child.on('close', this.#onClose);
    if (family !== undefined) this.#limits = new RunLimits(plan, plan.clock, (reason) => this.stop(reason));
  }

  /** Whether it was told to stop. */
  get isStopped(): boolean {
    return this.#ladder !== undefined;
  }

  /** Has these released when the run is settled; at once if it is. */
  hold(...held: Releasable[]): void {
    if (this.#settle === undefined) for (const one of held) one.release();
    else this.#held.push(...held);
  }

  /** Tells everybody to stop; the first signal is sent before this returns. */
  stop(reason: CancelReason): void {
    const family = this.#family;
    if (this.#settle === undefined || this.#ladder !== undefined || family === undefined) return;
    // P4: also if it is dead already and its `exit` only waits for its turn of the loop.
    const hasEnded = this.#exit !== undefined || family.isLeaderDead();
    if (hasEnded && !family.hasKnownAlive()) {
      this.#lateReason ??= reason;
      return;
    }
    this.#stoppedBy = reason;
    this.#wasThere = !hasEnded;
    this.#climb();
  }

  /** Skips what is left of the grace. */
  force(): void {
    this.#ladder?.force();
  }

  /** Looks again now: somebody is known to have ended. */
  check(): void {
    if (!this.#ladderDone) this.#ladder?.check();
  }

  /** Hands on the terminal's Ctrl+C, which reaches no group but the foreground's. */
  interrupt(): void {
    if (this.#exit === undefined) this.#family?.interrupt();
  }

  /** The last chance: SIGKILL to everybody, synchronously. @returns Looks for whom they have started meanwhile. */
  killNow(): () => void {
    if ((this.#family?.killNow() ?? 'nobody') === 'nobody' && this.#exit === undefined) this.#child.kill('SIGKILL');
    return () => this.#family?.killNewcomers();
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
    this.#stdout.drain();
    this.#stderr.drain();
    this.#family?.leaderReaped();
    if (this.#ladder !== undefined && !this.#ladderDone) this.#ladder.check();
    else this.#awaitEnd();
  };

  #onOutputEnd(): void {
    if (this.#exit !== undefined && (this.#ladder === undefined || this.#ladderDone)) this.#awaitEnd();
  }

  readonly #onClose = (): void => {
    this.#closed = true;
    if (this.#ladder === undefined || this.#ladderDone) this.#awaitEnd();
  };

  #signal(signal: NodeJS.Signals): boolean {
    const reach = this.#family?.signal(signal) ?? 'nobody';
    // A process table that shows nobody must not make a stop a no-op.
    if (reach === 'nobody' && this.#exit === undefined) this.#child.kill(signal);
    return reach !== 'some';
  }

  #climb(): void {
    this.#drain?.release();
    this.#drain = undefined;
    const target = {
      signal: (signal: NodeJS.Signals) => this.#signal(signal),
      isAnyoneAlive: () => this.#exit === undefined || this.#family?.hasKnownAlive() === true, // P1
      look: async () => {
        const { alive, isSure } = await this.#look();
        return verdictOf({ alive, isSure: isSure && this.#exit !== undefined }); // P1
      },
    };
    const { rungs, graceMs, clock } = this.#plan;
    this.#ladder = new StopLadder(target, rungs, graceMs, clock);
    void this.#ladder.done.then((isEmpty) => {
      this.#ladderDone = true;
      this.#isEmpty = isEmpty;
      this.#awaitEnd();
    });
  }

  #look(purpose?: 'report'): Promise<FamilyLook> {
    return this.#family?.look(purpose) ?? Promise.resolve({ alive: [], isSure: true });
  }

  /** P2: waits for the output, but not for others who hold the pipes. */
  #awaitEnd(): void {
    if (this.#closed) {
      this.#drain?.release();
      this.#drain = undefined;
      void this.#end();
    } else if (this.#hasAllOutput()) {
      // A reader that keeps up hears the last of it before the result.
      this.#drain?.release();
      this.#waitForQuiet(0);
    } else {
      const wait = (): void => this.#waitForQuiet(this.#bytes() + pipeBytes);
      this.#drain ??= this.#plan.clock.setTimer(wait, drainMs, { ref: true });
    }
  }

  /** Turn by turn of the loop: after a stall the timer comes before the bytes that have long been there. */
  #waitForQuiet(upTo: number): void {
    const before = this.#bytes();
    const turn = setImmediate(() => {
      if (this.#bytes() > before && before < upTo && !this.#hasAllOutput()) this.#waitForQuiet(upTo);
      else void this.#end();
    });
    this.#drain = { release: () => clearImmediate(turn) };
  }

  #bytes(): number {
    return this.#stdout.bytes + this.#stderr.bytes;
  }

  #hasAllOutput(): boolean {
    return this.#closed || (this.#stdout.hasEnded && this.#stderr.hasEnded);
  }

  async #end(): Promise<void> {
    if (this.#isLooking || this.#settle === undefined) return;
    this.#isLooking = true;
    const before = this.#ladder;
    const look = this.#isEmpty ? undefined : await this.#look('report'); // P5
    this.#isLooking = false;
    if (this.#ladder !== before) {
      // Stopped meanwhile: the end comes again when that is done, and now if it is.
      if (this.#ladderDone) void this.#end();
      return;
    }
    if (before === undefined && look !== undefined && look.alive.length > 0) {
      this.#stoppedBy = this.#lateReason;
      if (this.#lateReason !== undefined || this.#plan.background === 'stop') {
        this.#climb();
        return;
      }
    }
    this.#finish(look);
  }

  #finish(look: FamilyLook | undefined): void {
    const settle = this.#release();
    if (settle === undefined) return;
    const left = whoIsLeft(this.#child, this.#exit !== undefined, this.#family, look);
    const wasStopped = this.#ladder !== undefined;
    const hasEnded = (stream: Readable): boolean =>
      (stream === this.#child.stdout ? this.#stdout : this.#stderr).hasEnded;
    closeStreams(this.#child, wasStopped ? 'all' : 'input', hasEnded);
    if (this.#exit === undefined) this.#child.unref(); // a survivor does not keep our own process alive
    const { encoding, clock, onSurvivor, onCallbackError } = this.#plan;
    const [stdout, stderr] = [this.#stdout.read(encoding), this.#stderr.read(encoding)];
    if (wasStopped) tellOf(left, onSurvivor, onCallbackError);
    settle.resolve(
      resultOf({
        exit: this.#exit,
        stdout,
        stderr,
        outputEnded: this.#hasAllOutput(),
        stoppedBy: this.#stoppedBy,
        wasStopped,
        wasMissed: this.#wasThere && this.#family?.hadLeaderEnded() === true,
        left,
        ms: clock.now() - this.#startedAt,
      }),
    );
  }

  /** P3. */
  #release(): Settle | undefined {
    const settle = this.#settle;
    this.#settle = undefined;
    this.#drain?.release();
    this.#drain = undefined;
    this.#limits?.release();
    for (const one of this.#held.splice(0)) one.release();
    this.#child.off('error', this.#onError);
    this.#child.off('exit', this.#onExit);
    this.#child.off('close', this.#onClose);
    this.#stdout.release();
    this.#stderr.release();
    return settle;
  }
}
