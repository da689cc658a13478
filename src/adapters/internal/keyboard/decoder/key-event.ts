/**
 * What a terminal can say, as data, and the two ways of naming a key: by its character and by its control byte.
 *
 * @module
 */

import { latinKey } from './layouts.ts';

/**
 * A key was pressed, or repeats because it is held. Releases are not reported.
 *
 * @since 0.1.0
 */
export interface KeyPress {
  readonly type: 'key';
  /**
   * `escape`, `enter`, `tab`, `backspace`, `up`, `f5`, … or the character itself, in lower case where shift is known. Held with ctrl,
   * alt or super it is the key that counts, and not what it types: `c` for Ctrl+С on a Cyrillic layout.
   */
  readonly name: string;
  /** What the key types, `''` if nothing: `\n` for Enter, `\t` for Tab. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** The command or Windows key; only some terminals tell. */
  readonly super: boolean;
  /** The key is held down; only terminals with the Kitty protocol tell. */
  readonly repeat: boolean;
}

/**
 * A bracketed paste, whole: its bytes are text, whatever they look like.
 *
 * @since 0.1.0
 */
export interface Paste {
  readonly type: 'paste';
  readonly text: string;
  /** The paste was longer than the cap, or its end marker never came. */
  readonly truncated: boolean;
}

/**
 * The terminal's window gained or lost the focus.
 *
 * @since 0.1.0
 */
export interface FocusChange {
  readonly type: 'focus';
  readonly focused: boolean;
}

/**
 * Something that is no key: a mouse report, an answer of the terminal, a sequence nobody knows.
 *
 * @since 0.1.0
 */
export interface TerminalReport {
  readonly type: 'mouse' | 'reply';
  /** The sequence after `ESC [`, one character per byte. */
  readonly sequence: string;
}

/**
 * Anything that arrives through the keyboard's stream.
 *
 * @since 0.1.0
 */
export type KeyEvent = KeyPress | Paste | FocusChange | TerminalReport;

/** Modifiers of a press; what is left out is not held. */
export interface Modifiers {
  readonly ctrl?: boolean | undefined;
  readonly alt?: boolean | undefined;
  readonly shift?: boolean | undefined;
  readonly super?: boolean | undefined;
  readonly repeat?: boolean | undefined;
}

/** Whether a modifier makes a command of a key, and no letter. */
export function isHeld({ ctrl, alt, super: command }: Modifiers): boolean {
  return ctrl === true || alt === true || command === true;
}

const typed: Readonly<Record<string, string>> = { enter: '\n', tab: '\t', space: ' ' };

/** A press of a named key. Held with ctrl, alt or super it types nothing. */
export function press(name: string, modifiers: Modifiers = {}, text: string = typed[name] ?? ''): KeyPress {
  const { ctrl = false, alt = false, shift = false, repeat = false } = modifiers;
  return {
    type: 'key',
    name,
    text: isHeld(modifiers) ? '' : text,
    ctrl,
    alt,
    shift,
    super: modifiers.super ?? false,
    repeat,
  };
}

/** A press that types a character; an upper-case letter is its lower-case key with shift. */
export function pressCharacter(character: string, modifiers: Modifiers = {}): KeyPress {
  if (character === ' ') return press('space', modifiers);
  const lower = character.toLowerCase();
  const name = isHeld(modifiers) ? latinKey(lower) : lower;
  if (lower === character) return press(name, modifiers, character);
  return press(name, { ...modifiers, shift: true }, character);
}

/** The bytes that are keys by themselves. */
export function isControl(byte: number): boolean {
  return byte < 0x20 || byte === 0x7f;
}

/** The press behind a control byte (0x00–0x1f, 0x7f) outside any sequence. */
export function pressControl(byte: number, modifiers: Modifiers = {}): KeyPress {
  switch (byte) {
    case 0x00:
      return press('space', { ...modifiers, ctrl: true });
    case 0x08:
    case 0x7f:
      return press('backspace', modifiers);
    case 0x09:
      return press('tab', modifiers);
    case 0x0a:
    case 0x0d:
      return press('enter', modifiers);
    case 0x1b:
      return press('escape', modifiers);
    default:
      return press(String.fromCharCode(byte | (byte < 0x1b ? 0x60 : 0x40)), { ...modifiers, ctrl: true });
  }
}

/** The press behind a Unicode code point that a protocol reports together with its modifiers. */
export function pressCodePoint(code: number, modifiers: Modifiers): KeyPress {
  const key = code > 0x7f && isHeld(modifiers) ? latinKey(String.fromCodePoint(code).toLowerCase()) : undefined;
  // Ctrl+[ *is* ESC on every keyboard: with and without the protocols that could tell them apart.
  if ((code === 0x5b || key === '[') && modifiers.ctrl === true && modifiers.alt !== true)
    return press('escape', { repeat: modifiers.repeat });
  if (code < 0x20 || code === 0x7f) return pressControl(code, modifiers);
  return pressCharacter(String.fromCodePoint(code), modifiers);
}

/** ESC, without anything that makes another key of it. With Shift it still is one: nobody means anything else by it. */
export function isEscape(event: KeyEvent): event is KeyPress {
  return event.type === 'key' && event.name === 'escape' && !event.ctrl && !event.alt && !event.super;
}
