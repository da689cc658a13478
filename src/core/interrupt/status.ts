/**
 * Where a controller stands and what it tells of it: the machine's state, what is going on now, what the model has not
 * been told yet.
 * In the interrupt room between the pure machine and the controller, which is its own status.
 *
 * Invariants: `interruption` is set while, and only while, something is interrupted: to the end of the turn for a
 * cancel, to the delivery for a message, to the recovery for a model call that was silent for too long. What is untold
 * is set by the end of a cancelled turn and cleared by `consumeWasInterrupted` only.
 *
 * @module
 */
import { show } from '../foundation/check.ts';
import { reasonFromJSON, reasonToJSON, type CancelReason } from '../foundation/reason.ts';
import type { AgentSnapshot, Interruption } from './turn-report.ts';
import { transition, type Effect, type InterruptState, type MachineEvent } from './machine.ts';

/** The state of one controller; the documentation of its public members stands at the controller's interface. */
export abstract class InterruptStatus {
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

  get interrupted(): boolean {
    return this.interruption !== undefined;
  }

  get wasInterrupted(): boolean {
    return this.#untold !== undefined;
  }

  consumeWasInterrupted(): CancelReason | undefined {
    const reason = this.#untold;
    this.#untold = undefined;
    return reason;
  }

  snapshot(): AgentSnapshot {
    const untold = this.#untold;
    return { version: 1, ...(untold === undefined ? {} : { wasInterrupted: reasonToJSON(untold) }) };
  }

  restore(snapshot: AgentSnapshot): void {
    // Read from a disk, it may be anything.
    const { version, wasInterrupted } = (snapshot as Partial<AgentSnapshot> | null) ?? {};
    if (version !== 1) throw new TypeError(`not a snapshot of an agent: ${show(snapshot)}`);
    if (wasInterrupted !== undefined) this.endCancelled(reasonFromJSON(wasInterrupted));
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
  timedOut(reason: CancelReason | undefined, canContinueAfterTimeout: boolean): void {
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
