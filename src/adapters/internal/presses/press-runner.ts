/**
 * Runs the effects of the press machine on a target, and shows its hints as long as they hold.
 *
 * @module
 */
import type { Clock, Releasable } from '../../../core/inside.ts';
import { reportKeyError } from '../keyboard/key-stack.ts';
import {
  press,
  swallows,
  untouched,
  type EscapeMode,
  type NextEscape,
  type PressEffect,
  type PressEvent,
  type PressSettings,
} from './press-machine.ts';
import type { PressTarget } from './press-target.ts';

/** How the rules are set, and who is told. */
export interface PressRunnerOptions extends PressSettings {
  readonly clock: Clock;
  readonly leave: () => void;
  readonly onLeaveArmed: ((armed: boolean) => void) | undefined;
  readonly onEscapeArmed: ((next: NextEscape | undefined) => void) | undefined;
  readonly onIdleDoubleEscape: (() => void) | undefined;
}

/** A hint that fails must not keep a stop from happening. */
function show<T>(hint: ((value: T) => void) | undefined, value: T): void {
  try {
    hint?.(value);
  } catch (error) {
    reportKeyError(error);
  }
}

/** One watcher's memory of its presses. */
export class PressRunner {
  readonly #target: () => PressTarget;
  readonly #options: PressRunnerOptions;
  #state = untouched;
  #leaveTimer: Releasable | undefined;
  #hintTimer: Releasable | undefined;
  #isHinted = false;
  #watched: PressTarget | undefined;
  #subscription: { unregister(): unknown } | undefined;
  #wasBusy = false;

  constructor(target: () => PressTarget, options: PressRunnerOptions) {
    this.#target = target;
    this.#options = options;
    this.#observe();
  }

  /** How much a stop is for this watcher: 2, it waits for a second Ctrl+C · 1, its target is busy · 0, nothing runs. */
  get claim(): 0 | 1 | 2 {
    const { doing } = this.#observe();
    if (this.#state.interruptedAt !== -Infinity) return 2;
    return doing !== 'idle' || swallows(this.#state, this.#options.clock.now()) ? 1 : 0;
  }

  /** What the target does now. */
  get isIdle(): boolean {
    return this.#target().doing === 'idle';
  }

  /**
   * ESC; whether it was ours.
   *
   * @param notedAt Of one that is decided late: when all that came before it was handled.
   */
  escape(at: number, repeat: boolean, notedAt?: number): boolean {
    const { doing } = this.#observe();
    return this.#step({ type: 'escape', at, notedAt, repeat, doing });
  }

  /** ESC at a question whose ESC is the stop: the first one cancels, in every mode. Whether there was anything to stop. */
  escapeAtPrompt(at: number, repeat: boolean): boolean {
    const { doing } = this.#observe();
    if (doing === 'idle') return false;
    const { escape } = this.#options;
    return this.#step({ type: 'escape', at, repeat, doing }, escape === 'double' ? 'single' : escape);
  }

  /** Ctrl+C, as a byte or as SIGINT. */
  interrupt(at: number): void {
    const { doing } = this.#observe();
    this.#step({ type: 'interrupt', at, doing });
  }

  /** Another key was pressed: the next ESC and the next Ctrl+C are first ones again. */
  disarm(): void {
    this.#step({ type: 'other' });
  }

  /** ESC was pressed, and perhaps was somebody else's: the next Ctrl+C is a first one again. */
  disarmLeave(): void {
    this.#step({ type: 'leave-expired' });
  }

  close(): void {
    this.#leaveTimer?.release();
    this.#hintTimer?.release();
    this.#subscription?.unregister();
    this.#subscription = undefined;
  }

  #step(event: PressEvent, mode: EscapeMode = this.#options.escape): boolean {
    const before = this.#state;
    const { state, effects, mine } = press(before, event, { ...this.#options, escape: mode });
    this.#state = state;
    if (state.nextEscape !== before.nextEscape || state.escapedAt > before.escapedAt) this.#hint(state.nextEscape);
    const { interruptedAt } = state;
    if (interruptedAt !== before.interruptedAt) this.#armLeave(interruptedAt !== -Infinity, before.interruptedAt);
    for (const effect of effects) this.#run(effect);
    if (effects.length > 0) this.#observe();
    return mine;
  }

  #run(effect: PressEffect): void {
    if (effect === 'leave') this.#options.leave();
    else if (effect === 'idle-escape') this.#options.onIdleDoubleEscape?.();
    else this.#target()[effect]();
  }

  #hint(next: NextEscape | undefined): void {
    const { clock, doubleMs, onEscapeArmed } = this.#options;
    const wasShown = this.#isHinted;
    this.#isHinted = next !== undefined;
    this.#hintTimer?.release();
    this.#hintTimer = undefined;
    if (next === undefined) {
      if (wasShown) show(onEscapeArmed, undefined);
      return;
    }
    if (!this.#lastsAsLongAsTheCancel(next)) {
      const left = Math.max(0, this.#state.escapedAt + doubleMs - clock.now());
      this.#hintTimer = clock.setTimer(() => void this.#step({ type: 'hint-expired' }), left, { ref: false });
    }
    show(onEscapeArmed, next);
  }

  /** Of a target that tells when it has ended. */
  #lastsAsLongAsTheCancel(next: NextEscape): boolean {
    const isTold = this.#subscription !== undefined && this.#watched?.doing !== 'unknown';
    return next === 'kill' && this.#options.escape === 'tiered' && isTold;
  }

  #armLeave(armed: boolean, before: number): void {
    const { clock, leaveMs, onLeaveArmed } = this.#options;
    this.#leaveTimer?.release();
    this.#leaveTimer = undefined;
    if (armed)
      this.#leaveTimer = clock.setTimer(() => void this.#step({ type: 'leave-expired' }), leaveMs, { ref: false });
    if (armed || before !== -Infinity) show(onLeaveArmed, armed);
  }

  /** Notes what is in front, and the moments in which a run began or ended. */
  #observe(): PressTarget {
    const target = this.#target();
    const known = this.#watched;
    this.#watched = target;
    const isBusy = target.doing !== 'idle';
    if (known?.id !== target.id) {
      this.#subscription?.unregister();
      this.#subscription = target.onChange?.(() => void this.#observe());
      this.#wasBusy = isBusy;
      if (known !== undefined) this.#step({ type: 'switched' });
    } else if (isBusy !== this.#wasBusy) {
      this.#wasBusy = isBusy;
      // A run that is only now seen to be there has begun nobody knows when.
      const isSeenLate = isBusy && target.onChange === undefined;
      this.#step({ type: 'turned', at: isSeenLate ? -Infinity : this.#options.clock.now(), busy: isBusy });
    } else if (target.doing === 'killing' && this.#state.nextEscape === 'kill') {
      this.#step({ type: 'hint-expired' }); // somebody else has
    }
    return target;
  }
}
