/**
 * What a terminal is told after a program that was killed on it: all that such a program switches on and off by itself.
 *
 * Invariant: nothing moves, and nothing is lost, where the program had switched nothing on.
 *
 * Prior art: xterm's ctlseqs; what fish and tmux tell a terminal after a command.
 *
 * @module
 */

const modes = [2026, 1000, 1002, 1003, 1005, 1006, 1015, 1016, 1004, 2004, 2031, 2048, 1];

const resetOf = (off: readonly number[]): string =>
  `${off.map((mode) => `\x1b[?${String(mode)}l`).join('')}\x1b[<u\x1b[>4m\x1b>\x1b7\x1b[?1049l\x1b[?25h\x1b[m`;

/**
 * Synchronised output, mouse, focus, paste, reports and cursor keys off · what Kitty's keyboard protocol and
 * `modifyOtherKeys` had on, on the screen where it was put on · the keypad · the main screen · the cursor, and plain text.
 *
 * Leaving the other screen restores a cursor also where it was never entered; so the cursor is saved first, which each
 * screen does for itself.
 */
export const screenReset: string = /* @__PURE__ */ resetOf(modes);
