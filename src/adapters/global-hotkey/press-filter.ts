/**
 * Decides whether a press heard everywhere is one for us, and hands on those that are, in the order of the keys.
 *
 * Invariants:
 * - **F1** A press counts only if our window is in front, no prompt waits, and no terminal has heard it too.
 * - **F2** Presses are handed on in their order, with the instant at which they came.
 * - **F3** A question that is not answered in time is one that nobody knows: it holds up no later press, and stops nothing
 *   long after the key.
 *
 * @module
 */
import type { Clock, Releasable } from '../../core/inside.ts';
import { reportKeyError } from '../internal/keyboard/key-stack.ts';
import { answerMs, type FocusProbe } from './focus-probe.ts';
import type { HotkeyGate } from './options.ts';
import { isHeardByKeyboard, type KeyboardSeen } from './same-press.ts';

/** What is known of a watched terminal. */
export interface Keyboard extends KeyboardSeen {
  readonly isWaitingInput: boolean;
  /** What the terminal has said of its window; `undefined` while it has said nothing. */
  readonly focused: boolean | undefined;
}

/** How presses are judged. */
export interface PressFilterOptions {
  readonly clock: Clock;
  readonly gate: HotkeyGate | undefined;
  readonly focusProbe: FocusProbe;
  readonly stopsUnknown: boolean;
  /** Asked at each press: a terminal may be watched later. */
  readonly keyboard: () => Keyboard | undefined;
  /** How much later than the hook the terminal may hear of a press, in milliseconds. */
  readonly delayMs?: number | undefined;
  readonly press: (at: number) => void;
}

/** One per hotkey. */
export class PressFilter {
  readonly #options: PressFilterOptions;
  #last: Promise<void> = Promise.resolve();

  constructor(options: PressFilterOptions) {
    this.#options = options;
  }

  /** The key was pressed. */
  down(): void {
    const before = this.#last;
    this.#last = (async () => {
      const at = this.#options.clock.now();
      if (this.#isWaiting()) return;
      const isForUs = await this.#isForUs(at);
      await before; // F2
      if (isForUs && !this.#isWaiting()) this.#options.press(at);
    })().catch(reportKeyError);
  }

  #isWaiting(): boolean {
    return this.#options.gate?.isWaitingInput === true || this.#options.keyboard()?.isWaitingInput === true;
  }

  /** F1: both questions are asked at once, so that the slower one is all that the person waits for. */
  async #isForUs(at: number): Promise<boolean> {
    const { clock, keyboard, stopsUnknown, delayMs } = this.#options;
    const [isInFront, isHeard] = await Promise.all([this.#probe(), isHeardByKeyboard(keyboard(), clock, at, delayMs)]);
    // A pane of tmux knows that it is not the active one, though its window is in front.
    const answers = [isInFront, keyboard()?.focused];
    return !isHeard && !answers.includes(false) && (answers.includes(true) || stopsUnknown);
  }

  async #probe(): Promise<boolean | undefined> {
    let patience: Releasable | undefined;
    try {
      return await new Promise<boolean | undefined>((resolve, reject) => {
        const giveUp = (): void => {
          resolve(undefined);
        };
        patience = this.#options.clock.setTimer(giveUp, answerMs, { ref: false }); // F3
        Promise.resolve(this.#options.focusProbe()).then(resolve, reject);
      });
    } catch (error) {
      reportKeyError(error);
      return undefined;
    } finally {
      patience?.release();
    }
  }
}
