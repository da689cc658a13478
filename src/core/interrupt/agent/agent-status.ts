/**
 * Where a controller stands and what it tells of it: the machine's state, what is going on now, what the model has
 * not been told yet.
 *
 * Invariants: `interruption` is set while, and only while, something is interrupted: to the end of the turn for a
 * cancel, to the delivery for a message, to the recovery for a model call that was silent for too long. What is untold
 * is set by the end of a cancelled turn and cleared by `consumeWasInterrupted` only.
 *
 * @module
 */
import type { CancelReason } from '../../foundation/reason.ts';
import { EPOCH } from '../../token/tree/node.ts';
import type { Interruption } from '../public-types/agent-options.ts';
import { transition, type Effect, type InterruptState, type MachineEvent } from '../machine.ts';

/** A person's stop, and its place in the order of cancels. */
interface PersonStop {
  readonly reason: CancelReason;
  readonly number: number;
}

/** The state of one agent. */
export class AgentStatus {
  #state: InterruptState = 'idle';
  #interruption: Interruption | undefined;
  /** A model call that ran into its own limit: shown unless a person did something. */
  #timeout: Interruption | undefined;
  #untold: CancelReason | undefined;
  #personStop: PersonStop | undefined;
  /** The last that reached those who live beside the turns, too. */
  #personStopOfAll: PersonStop | undefined;
  /** How many cancels there had been when a person last said something. */
  #spokeAt = 0;
  /** Told of each stop by a person, whichever way it came. */
  onPersonStop: (() => void) | undefined;

  get state(): InterruptState {
    return this.#state;
  }

  /** A turn runs, and was not told to stop. */
  get takesMessages(): boolean {
    return this.#state === 'running' || this.#state === 'interjecting';
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

  /** The stop that the model has not been told of. */
  get untold(): CancelReason | undefined {
    return this.#untold;
  }

  consumeWasInterrupted(): CancelReason | undefined {
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

  /** A model call ran into its own limit; without a reason: it was made again. */
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

  /**
   * The agent was told to stop, whether or not anything of it ran.
   *
   * @param number The place of the stop in the order of cancels: the person may have said something since.
   */
  stopped(reason: CancelReason, isOfAll: boolean, number: number = ++EPOCH.cancels): void {
    const before = this.#personStop;
    if (reason.kind !== 'user' || number <= (before?.number ?? 0)) return;
    this.#personStop = { reason: this.stoppedByPerson(false, this.#spokeAt) ?? reason, number };
    if (isOfAll) this.#personStopOfAll = this.#personStop;
    this.onPersonStop?.();
  }

  /**
   * A part of what it does has ended, whose stop by a person, since they spoke to that, is one of the whole.
   *
   * @param ofCall What the call was stopped with that the part worked for: if the whole was not, it goes on.
   */
  stoppedWith(part: AgentStatus, ofCall: CancelReason | undefined): void {
    const stop = part.#personStop;
    if (stop === undefined || stop.reason === ofCall || stop.number <= part.#spokeAt) return;
    this.stopped(stop.reason, false, stop.number);
  }

  /** Why a person stopped it, or everything of it, and has said nothing since they spoke last. */
  stoppedByPerson(isOfAll: boolean, spokeAt: number): CancelReason | undefined {
    const stop = isOfAll ? this.#personStopOfAll : this.#personStop;
    return stop !== undefined && stop.number > spokeAt ? stop.reason : undefined;
  }

  /** The place of a person's last word in the same order. */
  get spokeAt(): number {
    return this.#spokeAt;
  }

  /** The body of a turn that they asked for begins, or a message of theirs has come. */
  personSpoke(): void {
    this.#spokeAt = EPOCH.cancels;
  }
}
