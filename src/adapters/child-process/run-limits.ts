/**
 * The limits of one run: how long it may take, and how long it may be silent. Prior art: Node's `timeout` option; Go
 * `exec.CommandContext`.
 *
 * @module
 */
import { type CancelReason, type Clock, createReason, type Releasable } from '../../core/inside.ts';

/** Armed from the start of a run until it is released. */
export class RunLimits {
  readonly #clock: Clock;
  readonly #stop: (reason: CancelReason) => void;
  readonly #idleMs: number;
  #heardAt: number;
  #timeout: Releasable | undefined;
  #idle: Releasable | undefined;

  /**
   * @param limits In milliseconds; what is left out has no limit.
   * @param clock Measures them.
   * @param stop Called with a reason of kind `deadline` or `idle`.
   */
  constructor(
    limits: { readonly timeoutMs?: number | undefined; readonly idleMs?: number | undefined },
    clock: Clock,
    stop: (reason: CancelReason) => void,
  ) {
    const { timeoutMs = Infinity, idleMs = Infinity } = limits;
    this.#clock = clock;
    this.#stop = stop;
    this.#idleMs = idleMs;
    this.#heardAt = clock.now();
    if (timeoutMs !== Infinity) {
      const message = `The command took longer than ${String(timeoutMs)} ms`;
      this.#timeout = clock.setTimer(() => stop(createReason({ kind: 'deadline', message })), timeoutMs, {
        ref: false,
      });
    }
    if (idleMs !== Infinity) this.#watch(idleMs);
  }

  /** Something was written. No timer is moved for it: the one that is armed asks when it fires. */
  heard(): void {
    if (this.#idleMs !== Infinity) this.#heardAt = this.#clock.now();
  }

  release(): void {
    this.#timeout?.release();
    this.#idle?.release();
  }

  #watch(nextMs: number): void {
    const look = (): void => {
      const leftMs = this.#heardAt + this.#idleMs - this.#clock.now();
      const message = `The command wrote nothing for ${String(this.#idleMs)} ms`;
      if (leftMs > 0) this.#watch(leftMs);
      else this.#stop(createReason({ kind: 'idle', message }));
    };
    this.#idle = this.#clock.setTimer(look, nextMs, { ref: false });
  }
}
