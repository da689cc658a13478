/**
 * What a person typed while nobody was asking: kept, edited by Backspace, handed to the next prompt line by line.
 *
 * Prior art: the kernel's own line buffer, which raw mode switches off.
 *
 * @module
 */
import type { KeyEvent } from '../internal/keyboard/decoder/key-decoder.ts';

/** More is not typed but streamed by accident. */
const CAP = 1_048_576;

/** What a person calls a character: Backspace takes a whole emoji. */
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Text only; ESC, Ctrl+C, arrows and reports leave no trace. */
export class TypeAhead {
  #text = '';

  /** Takes a key if it types something; whether it did. */
  push(event: KeyEvent): boolean {
    if (event.type === 'paste') return this.#append(event.text.replace(/\r\n?/g, '\n'));
    if (event.type !== 'key') return false;
    if (event.name === 'backspace') return this.#erase();
    return event.text !== '' && this.#append(event.text);
  }

  /** The first line with its line break, or the unfinished one; the rest waits for the next prompt. */
  takeLine(): string {
    const end = this.#text.indexOf('\n') + 1;
    const line = end === 0 ? this.#text : this.#text.slice(0, end);
    this.#text = this.#text.slice(line.length);
    return line;
  }

  /** Everything. */
  takeAll(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  #append(text: string): boolean {
    this.#text += text.slice(0, Math.max(0, CAP - this.#text.length));
    return true;
  }

  /** Within the last line only: a line that was sent off is not called back, as in any terminal. */
  #erase(): boolean {
    const last = [...graphemes.segment(this.#text.slice(-32))].at(-1)?.segment;
    if (last === undefined || last === '\n') return false;
    this.#text = this.#text.slice(0, -last.length);
    return true;
  }
}
