/**
 * Tells the presses that a watched terminal hears as well: they are the terminal's, so that one press counts once.
 *
 * Invariant: the terminal comes first. It knows what is open on the screen, and two memories of one double press would
 * each have a half of it.
 *
 * @module
 */
import type { Clock } from '../../core/inside.ts';

/** The slice of the keyboard's owner that is used. */
export interface KeyboardSeen {
  /** When bytes came last; `undefined` while the terminal is not read. */
  readonly lastBytesAt: number | undefined;
}

/** Two paths of one press: through the hook, and through the terminal. They differ by a few milliseconds. */
const apartMs = 40;

/** tmux and screen hold an ESC back, by default for half a second, and hand it on after that. */
const heldBackMs = 600;

/** How much later than the hook a terminal may hear of a press. */
export function delayOfTerminal(env: Readonly<Record<string, string | undefined>>): number {
  return env['TMUX'] === undefined && env['STY'] === undefined ? apartMs : heldBackMs;
}

/**
 * @param at When the hook told of the press.
 * @param delayMs How much later the terminal may hear of it.
 * @returns Whether the terminal has heard it too; at once where it hears nothing, else as soon as that is certain.
 */
export function isHeardByKeyboard(
  keyboard: KeyboardSeen | undefined,
  clock: Clock,
  at: number,
  delayMs: number = apartMs,
): Promise<boolean> {
  const isSeen = (): boolean => (keyboard?.lastBytesAt ?? -Infinity) >= at - apartMs;
  if (keyboard?.lastBytesAt === undefined || isSeen()) return Promise.resolve(isSeen());
  return new Promise((resolve) => {
    const look = (): void => {
      resolve(isSeen());
    };
    clock.setTimer(look, delayMs, { ref: false });
  });
}
