/**
 * Reads a finished control sequence (`ESC [ … final`, `ESC O final`): which key, which report, or a paste's begin.
 *
 * Pure tables. Prior art: xterm's ctlseqs, Kitty's keyboard protocol, `modifyOtherKeys`, win32-input-mode.
 *
 * @module
 */
import { isHeld, press, pressCodePoint, type KeyEvent, type KeyPress, type Modifiers } from './key-event.ts';

/**
 * A sequence's meaning. `key`: a plain key, so an ESC glued in front makes it Alt+key. `event`: anything else, so an ESC
 * in front was a press of its own; `undefined` says that nothing happened (a release, a modifier alone).
 */
export type Meaning =
  | { readonly kind: 'key'; readonly key: KeyPress }
  | { readonly kind: 'event'; readonly event: KeyEvent | undefined }
  | { readonly kind: 'paste-start' };

const finals: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  E: 'clear',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};

const tildes: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};

/** Application keypad, `ESC O p` … `ESC O y` and friends, as the characters they type. */
const keypad = 'jklmnopqrstuvwxy';
const keypadText = '*+,-./0123456789';

/** Kitty's names for keys without a character; the range after them is modifiers pressed alone. */
const kittyKeys: Readonly<Record<number, string>> = {
  57414: 'enter',
  57417: 'left',
  57418: 'right',
  57419: 'up',
  57420: 'down',
  57421: 'pageup',
  57422: 'pagedown',
  57423: 'home',
  57424: 'end',
  57425: 'insert',
  57426: 'delete',
};
const kittyKeypadText = '0123456789./*-+';

/** Windows' virtual keys that type no character. */
const virtualKeys: Readonly<Record<number, string>> = {
  0x1b: 'escape',
  0x21: 'pageup',
  0x22: 'pagedown',
  0x23: 'end',
  0x24: 'home',
  0x25: 'left',
  0x26: 'up',
  0x27: 'right',
  0x28: 'down',
  0x2d: 'insert',
  0x2e: 'delete',
};

/** The bytes that end a control sequence. */
export function isFinal(byte: number): boolean {
  return byte >= 0x40 && byte <= 0x7e;
}

/** `1;5:2` → `[[1], [5, 2]]`; an empty field is `undefined`. */
function fields(params: string): (number | undefined)[][] {
  return params.split(';').map((field) => field.split(':').map((part) => (part === '' ? undefined : Number(part))));
}

/** Kitty and xterm count modifiers from 1; the lock bits (64, 128) say nothing about what is held. */
function modifiersOf(encoded: number | undefined, event: number | undefined): Modifiers {
  const bits = Math.max((encoded ?? 1) - 1, 0);
  return {
    shift: (bits & 1) !== 0,
    alt: (bits & (2 | 32)) !== 0,
    ctrl: (bits & 4) !== 0,
    super: (bits & (8 | 16)) !== 0,
    repeat: event === 2,
  };
}

function isCodePoint(code: number | undefined): code is number {
  return code !== undefined && Number.isInteger(code) && code >= 0 && code <= 0x10ffff;
}

function kitty(params: (number | undefined)[][]): KeyEvent | undefined {
  const [code, shifted, base] = params[0] ?? [];
  const [encoded, event] = params[1] ?? [];
  if (!isCodePoint(code) || event === 3) return undefined;
  const modifiers = modifiersOf(encoded, event);
  const named = kittyKeys[code];
  if (named !== undefined) return press(named, modifiers);
  if (code >= 57399 && code <= 57413)
    return press(kittyKeypadText.charAt(code - 57399), modifiers, kittyKeypadText.charAt(code - 57399));
  if (code >= 57344 && code <= 63743) return undefined; // media keys, locks, modifiers alone
  // The key counts where the layout types no Latin letters, and the letter where it does: Ctrl+C of Dvorak is not where C is elsewhere.
  if (code > 0x7f && isHeld(modifiers) && isCodePoint(base)) return pressCodePoint(base, modifiers);
  const key = pressCodePoint(code, modifiers);
  const text = (params[2] ?? []).filter(isCodePoint);
  if (text.length > 0) return { ...key, text: String.fromCodePoint(...text) };
  if (modifiers.shift === true && key.text !== '' && isCodePoint(shifted))
    return { ...key, text: String.fromCodePoint(shifted) };
  return key;
}

/** `Vk;Sc;Uc;Kd;Cs;Rc _`: every key down and up, as the Windows console records it. */
function win32(params: (number | undefined)[][]): KeyEvent | undefined {
  const [virtual = 0, , unicode = 0, down = 0, held = 0] = params.map((field) => field[0]);
  if (down !== 1) return undefined;
  const altGr = (held & 0x1) !== 0 && (held & 0x8) !== 0 && unicode !== 0; // AltGr types, it does not modify
  const modifiers: Modifiers = {
    alt: !altGr && (held & 0x3) !== 0,
    ctrl: !altGr && (held & 0xc) !== 0,
    shift: (held & 0x10) !== 0,
  };
  const named = virtualKeys[virtual];
  if (named !== undefined) return press(named, modifiers);
  if (unicode === 0x1b) return press('escape'); // Ctrl+[
  if (virtual >= 0x70 && virtual <= 0x7b) return press(`f${String(virtual - 0x6f)}`, modifiers);
  if (isHeld(modifiers) && virtual >= 0x41 && virtual <= 0x5a) return pressCodePoint(virtual + 0x20, modifiers);
  return unicode === 0 || !isCodePoint(unicode) ? undefined : pressCodePoint(unicode, modifiers);
}

const key = (event: KeyPress): Meaning => ({ kind: 'key', key: event });
const event = (found: KeyEvent | undefined): Meaning => ({ kind: 'event', event: found });

/** What `ESC [ body` means; `body` is everything after the bracket, its final byte included, one character per byte. */
export function readCsi(body: string): Meaning {
  const final = body.charAt(body.length - 1);
  const params = body.slice(0, -1);
  const reply = (): Meaning => event({ type: 'reply', sequence: body });

  if (final === 'I' && params === '') return event({ type: 'focus', focused: true });
  if (final === 'O' && params === '') return event({ type: 'focus', focused: false });
  if ((final === 'M' || final === 'm') && params !== '') return event({ type: 'mouse', sequence: body });
  if (/[^0-9;:]/.test(params)) return reply();

  const read = fields(params);
  const first = read[0]?.[0];
  const [encoded, eventType] = read[1] ?? [];
  const named = (name: string): Meaning => {
    if (eventType === 3) return event(undefined);
    const pressed = press(name, modifiersOf(encoded, eventType));
    return eventType === undefined ? key(pressed) : event(pressed);
  };

  if (final === 'u') return first === undefined ? reply() : event(kitty(read));
  if (final === '_') return event(win32(read));
  if (final === 'Z') return key(press('tab', { ...modifiersOf(encoded, eventType), shift: true }, ''));
  if (final === '~') {
    if (first === 200) return { kind: 'paste-start' };
    const code = read[2]?.[0];
    if (first === 27 && isCodePoint(code)) return event(pressCodePoint(code, modifiersOf(encoded, undefined)));
    const name = first === undefined ? undefined : tildes[first];
    return name === undefined ? reply() : named(name);
  }
  const name = finals[final];
  // `CSI row ; column R` answers "where is the cursor"; only in the first row could it be taken for F3.
  const isKey = name !== undefined && read.length <= 2 && (first === undefined || first === 1);
  return isKey && (final !== 'R' || encoded === undefined || encoded <= 16) ? named(name) : reply();
}

/** What `ESC O final` means: arrows and function keys in application mode, the keypad. */
export function readSs3(final: string): Meaning | undefined {
  if (final === 'M') return key(press('enter'));
  const name = finals[final];
  if (name !== undefined) return key(press(name));
  const index = keypad.indexOf(final);
  return index < 0 ? undefined : key(press(keypadText.charAt(index), {}, keypadText.charAt(index)));
}

/** What `ESC [ [ final` means on the Linux console: F1 to F5. */
export function readLinux(final: string): Meaning {
  const index = 'ABCDE'.indexOf(final);
  return index < 0 ? event({ type: 'reply', sequence: `[${final}` }) : key(press(`f${String(index + 1)}`));
}
