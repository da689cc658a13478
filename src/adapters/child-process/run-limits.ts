/**
 * The limits of one run: how long it may take, and how long it may be silent. Prior art: Node's `timeout` option; Go
 * `exec.CommandContext`.
 *
 * @module
 */
import { type CancelReason, type Clock, createReason, IdleWatch, type Releasable } from '../../core/inside.ts';

/** Armed from the start of a run until it is released. */
export class RunLimits {
  readonly #timeout: Releasable | undefined;
  readonly #idle: IdleWatch | undefined;

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
    if (timeoutMs !== Infinity) {
      const message = `The command took longer than ${String(timeoutMs)} ms`;
      this.#timeout = clock.setTimer(() => stop(createReason({ kind: 'deadline', message })), timeoutMs, {
        ref: false,
      });
    }
    if (idleMs !== Infinity) {
      const message = `The command wrote nothing for ${String(idleMs)} ms`;
      this.#idle = new IdleWatch(clock, idleMs, () => stop(createReason({ kind: 'idle', message })));
    }
  }

  /** Something was written. No timer is moved for it: the one that is armed asks when it fires. */
  heard(): void {
    this.#idle?.progress();
  }

  release(): void {
    this.#timeout?.release();
    this.#idle?.release();
  }
}
