/**
 * What ESC and Ctrl+C mean, given what the controller is doing and when they were pressed before.
 *
 * Invariants:
 * - **P1** A press while a cancel runs escalates; it never cancels a second time.
 * - **P2** Instants are those of the bytes' arrival, so a delay in deciding does not stretch a double press.
 * - **P3** An ESC right after a run's end was meant for the run: it is swallowed and starts nothing.
 *
 * @module
 */
import type { Clock, Releasable } from '../../core/inside.ts';

/**
 * What the keyboard may stop. An `InterruptController` is one.
 *
 * @since 0.1.0
 */
export interface TerminalController {
  readonly state: 'idle' | 'running' | 'interjecting' | 'cancelling' | 'killing';
  /** Asks the run to stop; called with `{ kind: 'user' }`. */
  cancel(reason?: { readonly kind: 'user' }): unknown;
  /** Asks more forcefully; called with `{ kind: 'user' }`. */
  kill(reason?: { readonly kind: 'user' }): unknown;
  /** Tells of changes of `state`. Without it an ESC pressed just as a run ends is not recognised as late. */
  onEvent?(listener: () => void): { unregister(): unknown };
}

/** How the rules are set. */
export interface PressRulesOptions {
  readonly clock: Clock;
  readonly doubleMs: number;
  readonly leaveMs: number;
  readonly leave: () => void;
  readonly onLeaveArmed: ((armed: boolean) => void) | undefined;
}

/** A person sees the end of a run and lets go of the key no faster than this. */
const SWALLOW_MS = 400;

/** One keyboard's memory of its presses. */
export class PressRules {
  readonly #controller: TerminalController;
  readonly #options: PressRulesOptions;
  readonly #subscription: { unregister(): unknown } | undefined;
  #escapedAt = -Infinity;
  #interruptedAt = -Infinity;
  #leaveTimer: Releasable | undefined;
  #wasBusy: boolean;
  #endedAt = -Infinity;

  constructor(controller: TerminalController, options: PressRulesOptions) {
    this.#controller = controller;
    this.#options = options;
    this.#wasBusy = controller.state !== 'idle';
    this.#subscription = controller.onEvent?.(() => {
      this.#observe();
    });
  }

  /** ESC; whether it was ours. */
  escape(at: number, repeat: boolean): boolean {
    this.disarm();
    this.#observe();
    const { state } = this.#controller;
    if (state === 'idle') return at - this.#endedAt < SWALLOW_MS; // P3
    if (repeat) return true;
    const double = at - this.#escapedAt <= this.#options.doubleMs; // P2
    this.#escapedAt = at;
    if (state === 'running' || state === 'interjecting') this.#controller.cancel({ kind: 'user' });
    else if (state === 'cancelling' && double) this.#controller.kill({ kind: 'user' }); // P1
    this.#observe();
    return true;
  }

  /** Ctrl+C, as a byte or as SIGINT. */
  interrupt(at: number): void {
    this.#observe();
    if (at - this.#interruptedAt <= this.#options.leaveMs) {
      this.disarm();
      if (this.#controller.state !== 'idle') this.#controller.kill({ kind: 'user' });
      this.#options.leave();
      return;
    }
    this.#arm(at);
    const { state } = this.#controller;
    if (state === 'running' || state === 'interjecting') this.#controller.cancel({ kind: 'user' });
    else if (state === 'cancelling') this.#controller.kill({ kind: 'user' }); // P1
    this.#observe();
  }

  /** Another key was pressed: the next Ctrl+C is a first one again. */
  disarm(): void {
    if (this.#leaveTimer === undefined) return;
    this.#leaveTimer.release();
    this.#leaveTimer = undefined;
    this.#interruptedAt = -Infinity;
    this.#options.onLeaveArmed?.(false);
  }

  close(): void {
    this.#leaveTimer?.release();
    this.#leaveTimer = undefined;
    this.#subscription?.unregister();
  }

  #arm(at: number): void {
    this.#leaveTimer?.release();
    this.#interruptedAt = at;
    this.#leaveTimer = this.#options.clock.setTimer(
      () => {
        this.disarm();
      },
      this.#options.leaveMs,
      { ref: false },
    );
    this.#options.onLeaveArmed?.(true);
  }

  /** Notes the moment in which a run ended. */
  #observe(): void {
    const busy = this.#controller.state !== 'idle';
    if (this.#wasBusy && !busy) {
      this.#endedAt = this.#options.clock.now();
      this.#escapedAt = -Infinity; // no half of a pair in the next run
    }
    this.#wasBusy = busy;
  }
}
