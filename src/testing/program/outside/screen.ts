/**
 * A small terminal: what a program's output looks like to a person, the modes that it has switched on, and the answers that a
 * program expects of a terminal. It knows what full-screen programs draw with and ignores colours; what it does not know it skips.
 * Prior art: xterm's control sequences, the VT100 parser by Paul Williams.
 *
 * @module
 */
import { TerminalModes } from './modes.ts';

/** One sequence of control characters, or one character. */
const token =
  /\x1b\[([?<=>]?)([\d;:]*)([ !$"']*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[()*+#%][^]|\x1b[^[\]PX^_()*+#%]|[^]/gu;

/** A sequence whose end has not come yet. */
const unfinished = /\x1b(?:\[[?<=>]?[\d;:]*[ !$"']*|\][^\x07\x1b]*\x1b?|[PX^_][^\x1b]*\x1b?|[()*+#%])?$/u;

/** Characters of a sequence that never ends before it is let go. */
const LONGEST = 64 * 1024;

/** See the module. */
export class Screen {
  readonly columns: number;
  readonly rows: number;
  #lines: string[][] = [[]];
  #top = 0;
  #x = 0;
  #y = 0;
  #saved: readonly [number, number] = [0, 0];
  #main: string[][] | undefined;
  #rest = '';
  readonly #modes: TerminalModes;
  readonly #answer: (text: string) => void;

  /** @param answer Takes what the terminal says to the program. */
  constructor(answer: (text: string) => void = () => undefined, columns = 120, rows = 40) {
    this.#answer = answer;
    this.columns = columns;
    this.rows = rows;
    this.#modes = new TerminalModes(rows);
  }

  /** What stands on the screen now, without what has scrolled away; blanks at the end only before the cursor. */
  get text(): string {
    const lines = this.#visible().map((line, y) => {
      const whole = line.join('');
      return y === this.#y ? whole.slice(0, this.#x) + whole.slice(this.#x).trimEnd() : whole.trimEnd();
    });
    return lines.join('\n').replace(/\n+$/, '');
  }

  /** What the program has switched on, or off, and not back again. */
  get modesOn(): readonly string[] {
    return this.#modes.on;
  }

  write(data: string): void {
    let text = this.#rest + data;
    const begun = unfinished.exec(text)?.[0] ?? '';
    this.#rest = begun.length > LONGEST ? '' : begun;
    text = text.slice(0, text.length - begun.length);
    for (const [whole, prefix = '', parameters = '', between = '', final] of text.matchAll(token)) {
      if (final !== undefined) this.#control(prefix, parameters, between, final);
      else if (whole.startsWith('\x1b')) this.#escape(whole);
      else this.#character(whole);
    }
  }

  #visible(): string[][] {
    return this.#lines.slice(this.#top, this.#top + this.rows);
  }

  #line(y: number): string[] {
    while (this.#lines.length <= this.#top + y) this.#lines.push([]);
    return this.#lines[this.#top + y] ?? [];
  }

  #character(character: string): void {
    if (character === '\r') this.#x = 0;
    else if (character === '\n') this.#down();
    else if (character === '\b') this.#x = Math.max(0, this.#x - 1);
    else if (character === '\x0e' || character === '\x0f') this.#modes.escape(character);
    else if (character === '\t') this.#x = Math.min(this.columns - 1, (Math.floor(this.#x / 8) + 1) * 8);
    else if (character >= ' ' && character !== '\x7f') {
      if (this.#x >= this.columns) {
        this.#x = 0;
        this.#down();
      }
      const line = this.#line(this.#y);
      for (let x = line.length; x < this.#x; x++) line[x] = ' ';
      line[this.#x++] = character;
    }
  }

  #down(): void {
    if (this.#y < this.rows - 1) this.#y += 1;
    else this.#top += 1;
    this.#line(this.#y);
    if (this.#lines.length <= 2000) return;
    const extra = this.#lines.length - 1000;
    this.#lines.splice(0, extra);
    this.#top -= extra;
  }

  #escape(sequence: string): void {
    this.#modes.escape(sequence);
    if (sequence === '\x1b7') this.#saved = [this.#x, this.#y];
    else if (sequence === '\x1b8') [this.#x, this.#y] = this.#saved;
    else if (sequence === '\x1bM') this.#y = Math.max(0, this.#y - 1);
    else if (sequence === '\x1bc') this.#clear();
  }

  #control(prefix: string, parameters: string, between: string, final: string): void {
    const numbers = parameters.split(/[;:]/).map(Number);
    const [first = 0, second = 0] = numbers;
    const toAlternate = this.#modes.control(prefix, parameters, between, final);
    if (toAlternate !== undefined) this.#switchScreen(toAlternate);
    else if (prefix === '' && between === '' && final === 'u') [this.#x, this.#y] = this.#saved;
    else if (final === 'c' && prefix !== '=') this.#answer(prefix === '>' ? '\x1b[>0;10;1c' : '\x1b[?62;22c');
    else if (final === 'n' && prefix !== '>') {
      if (first === 6) this.#answer(`\x1b[${String(this.#y + 1)};${String(Math.min(this.#x, this.columns - 1) + 1)}R`);
      else if (first === 5) this.#answer('\x1b[0n');
    } else if (prefix === '' && between === '') this.#edit(final, first, second);
  }

  /** The alternate screen: the main one comes back as it was. */
  #switchScreen(on: boolean): void {
    if (on === (this.#main !== undefined)) return;
    if (on) {
      this.#main = this.#visible();
      this.#clear();
    } else {
      this.#lines = this.#main ?? [[]];
      this.#main = undefined;
      this.#top = 0;
      this.#y = Math.min(this.rows - 1, Math.max(0, this.#lines.length - 1));
      this.#x = 0;
    }
  }

  #clear(): void {
    [this.#lines, this.#top, this.#x, this.#y] = [[[]], 0, 0, 0];
  }

  #edit(final: string, first: number, second: number): void {
    const count = Math.max(1, first);
    const clampX = (x: number): number => Math.min(this.columns - 1, Math.max(0, x));
    const clampY = (y: number): number => Math.min(this.rows - 1, Math.max(0, y));
    const line = this.#line(this.#y);
    switch (final) {
      case 'A':
        this.#y = clampY(this.#y - count);
        break;
      case 'B':
        this.#y = clampY(this.#y + count);
        break;
      case 'C':
        this.#x = clampX(this.#x + count);
        break;
      case 'D':
        this.#x = clampX(this.#x - count);
        break;
      case 'E':
      case 'F':
        this.#y = clampY(this.#y + (final === 'E' ? count : -count));
        this.#x = 0;
        break;
      case 'G':
        this.#x = clampX(count - 1);
        break;
      case 'd':
        this.#y = clampY(count - 1);
        break;
      case 'H':
      case 'f':
        [this.#y, this.#x] = [clampY(count - 1), clampX(Math.max(1, second) - 1)];
        break;
      case 'r':
        [this.#x, this.#y] = [0, 0];
        break;
      case 's':
        this.#saved = [this.#x, this.#y];
        break;
      case 'K':
        if (first === 0) line.length = Math.min(line.length, this.#x);
        else
          line.splice(
            0,
            first === 1 ? this.#x + 1 : line.length,
            ...Array<string>(first === 1 ? this.#x + 1 : 0).fill(' '),
          );
        break;
      case 'J':
        this.#erase(first);
        break;
      case 'P':
        line.splice(this.#x, count);
        break;
      case 'X':
        for (let x = this.#x; x < Math.min(line.length, this.#x + count); x++) line[x] = ' ';
        break;
      case '@':
        line.splice(this.#x, 0, ...Array<string>(count).fill(' '));
        break;
      case 'L':
        this.#lines.splice(this.#top + this.#y, 0, ...Array.from({ length: count }, () => []));
        this.#lines.length = Math.min(this.#lines.length, this.#top + this.rows);
        break;
      case 'M':
        this.#lines.splice(this.#top + this.#y, count);
        break;
    }
  }

  #erase(what: number): void {
    const at = this.#top + this.#y;
    if (what === 0) {
      this.#line(this.#y).length = Math.min(this.#line(this.#y).length, this.#x);
      this.#lines.length = Math.min(this.#lines.length, at + 1);
    } else if (what === 1) {
      for (let row = this.#top; row < at; row++) this.#lines[row] = [];
    } else for (let row = this.#top; row < this.#lines.length; row++) this.#lines[row] = [];
  }
}
