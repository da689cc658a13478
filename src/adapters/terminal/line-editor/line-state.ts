/**
 * A line that a person edits, as a pure state machine: a text, and where in it the cursor stands.
 *
 * Invariants:
 * - **L1** The cursor stands between two graphemes: an emoji of seven code points is one step and one Backspace.
 * - **L2** A paste is text, line breaks and all; only Enter as a key submits.
 * - **L3** A step looks at the text near the cursor only, however much was pasted.
 *
 * Prior art: readline's Emacs bindings.
 *
 * @module
 */
import type { KeyEvent, KeyPress } from '../../internal/keyboard/decoder/key-decoder.ts';

/** The text, and the cursor as an offset into it. */
export interface LineState {
  readonly text: string;
  readonly cursor: number;
}

/** What a key makes of a line, and whether it was the last one. */
export interface LineStep {
  readonly line: LineState;
  readonly end?: 'submit' | 'close';
}

/** Nothing typed yet. */
export const emptyLine: LineState = { text: '', cursor: 0 };

/** No grapheme that a person means is longer. */
const NEAR = 256;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function stepBack({ text, cursor }: LineState): number {
  const near = text.slice(Math.max(0, cursor - NEAR), cursor);
  const last = [...graphemes.segment(near)].at(-1);
  return cursor - (last?.segment.length ?? 0);
}

function stepOn({ text, cursor }: LineState): number {
  const [next] = graphemes.segment(text.slice(cursor, cursor + NEAR));
  return cursor + (next?.segment.length ?? 0);
}

function wordBack({ text, cursor }: LineState): number {
  return cursor - (/[^\s]*\s*$/.exec(text.slice(Math.max(0, cursor - 16 * NEAR), cursor))?.[0].length ?? 0);
}

function wordOn({ text, cursor }: LineState): number {
  return cursor + (/^\s*[^\s]*/.exec(text.slice(cursor, cursor + 16 * NEAR))?.[0].length ?? 0);
}

function insert({ text, cursor }: LineState, added: string): LineState {
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length };
}

function cut({ text }: LineState, from: number, to: number): LineState {
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

/** By name, with what is held before it. */
const bindings: Readonly<Record<string, (line: LineState) => LineState>> = {
  left: (line) => ({ ...line, cursor: stepBack(line) }),
  right: (line) => ({ ...line, cursor: stepOn(line) }),
  home: (line) => ({ ...line, cursor: 0 }),
  end: (line) => ({ ...line, cursor: line.text.length }),
  'alt+left': (line) => ({ ...line, cursor: wordBack(line) }),
  'alt+right': (line) => ({ ...line, cursor: wordOn(line) }),
  backspace: (line) => cut(line, stepBack(line), line.cursor),
  delete: (line) => cut(line, line.cursor, stepOn(line)),
  'ctrl+w': (line) => cut(line, wordBack(line), line.cursor),
  'alt+d': (line) => cut(line, line.cursor, wordOn(line)),
  'ctrl+u': (line) => cut(line, 0, line.cursor),
  'ctrl+k': (line) => cut(line, line.cursor, line.text.length),
  'alt+enter': (line) => insert(line, '\n'),
};
const sameAs: Readonly<Record<string, string>> = {
  'ctrl+b': 'left',
  'ctrl+f': 'right',
  'ctrl+a': 'home',
  'ctrl+e': 'end',
  'ctrl+left': 'alt+left',
  'ctrl+right': 'alt+right',
  'alt+b': 'alt+left',
  'alt+f': 'alt+right',
  'ctrl+h': 'backspace',
  'ctrl+d': 'delete',
  'alt+backspace': 'ctrl+w',
};

function chord({ name, ctrl, alt }: KeyPress): string {
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${name}`;
}

/** What a key makes of the line. Keys that mean nothing here leave it as it is. */
export function editLine(line: LineState, event: KeyEvent): LineStep {
  if (event.type === 'paste')
    return { line: insert(line, event.text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]/gu, '')) };
  if (event.type !== 'key') return { line };
  const name = chord(event);
  if (name === 'enter') return { line, end: 'submit' };
  if (name === 'escape' || name === 'ctrl+c') return { line, end: 'close' };
  const binding = bindings[sameAs[name] ?? name];
  if (binding !== undefined) return { line: binding(line) };
  return { line: event.text === '' ? line : insert(line, event.text) };
}
