/**
 * Where a controller stands and what it tells of it: the machine's state, what is going on now, what the model has not
 * been told yet.
 * In the interrupt room between the pure machine and the controller.
 *
 * Invariants: `interruption` is set while, and only while, something is interrupted: to the end of the turn for a
 * cancel, to the delivery for a message, to the recovery for a model call that was silent for too long. `untold` is set by the end of a cancelled turn and cleared by `consume` only.
 *
 * @module
 */
import type { CancelReason } from '../foundation/reason.ts';
import type { Interruption } from './turn-report.ts';
import { transition, type Effect, type InterruptState, type MachineEvent } from './machine.ts';

/** The state of one controller. */
export class InterruptStatus {
  #state: InterruptState = 'idle';
  #interruption: Interruption | undefined;
  /** A model call that was cut for its silence: shown unless a person did something. */
  #timeout: Interruption | undefined;
  #untold: CancelReason | undefined;

  get state(): InterruptState {
    return this.#state;
  }

  get interruption(): Interruption | undefined {
    return this.#interruption ?? this.#timeout;
  }

  get untold(): CancelReason | undefined {
    return this.#untold;
  }

  consume(): CancelReason | undefined {
    const reason = this.#untold;
    this.#untold = undefined;
    return reason;
  }

  /** Moves on; the caller runs the effects. */
  apply(event: MachineEvent): readonly Effect[] {
    const { state, effects } = transition(this.#state, event);
    this.#state = state;
    if (state === 'running' || state === 'idle') this.#interruption = undefined;
    if (state === 'idle') this.#timeout = undefined;
    return effects;
  }

  /** Notes what is going on; a cancel replaces a message, and nothing replaces a cancel. */
  note(kind: Interruption['kind'], reason: CancelReason, requestedAt: number): void {
    if (this.#interruption?.kind === 'cancel') return;
    const isTimeout = reason.kind === 'deadline' || reason.kind === 'idle';
    this.#interruption = { kind, reason, requestedAt, isTimeout, canContinueAfterTimeout: false };
  }

  /** A model call was cut for its silence; without a reason: it was made again. */
  noteTimeout(reason: CancelReason | undefined, canContinueAfterTimeout: boolean): void {
    this.#timeout =
      reason === undefined
        ? undefined
        : { kind: 'cancel', reason, requestedAt: reason.at, isTimeout: true, canContinueAfterTimeout };
  }

  /** A cancelled turn has ended: the model is to be told, once. */
  endCancelled(reason: CancelReason): void {
    this.#untold = reason;
  }
}
