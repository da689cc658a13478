/**
 * What a program has switched on in a terminal, and has to take back: also what has no name here, for a shell that comes back is spoiled by
 * any of it. Prior art: xterm's control sequences, the protocols of kitty's keyboard.
 *
 * @module
 */

/** By what a person notices of them; `?` is for private ones. */
const names: Readonly<Record<string, string>> = {
  '2': 'a locked keyboard',
  '4': 'insert mode',
  '20': 'line feeds that return',
  '?1': 'application cursor keys',
  '?5': 'a reversed screen',
  '?6': 'a shifted origin',
  '?9': 'mouse clicks',
  '?66': 'the application keypad',
  '?1000': 'mouse clicks',
  '?1002': 'mouse movements',
  '?1003': 'mouse movements',
  '?1004': 'focus events',
  '?1005': 'mouse coordinates',
  '?1006': 'mouse coordinates',
  '?1007': 'a wheel that presses keys',
  '?1015': 'mouse coordinates',
  '?1016': 'mouse coordinates',
  '?1049': 'the alternate screen',
  '?2004': 'bracketed paste',
  '?2026': 'synchronized output',
  '?2031': 'colour scheme events',
  '?2048': 'resize events',
};

/** Those that a terminal begins with: they are missed once they are off. */
const missed: Readonly<Record<string, string>> = {
  '?7': 'lines that do not wrap',
  '?8': 'keys that do not repeat',
  '?25': 'a hidden cursor',
};

/** What nobody notices: a blinking cursor, the key Meta (which readline switches on for good), the cursor that 1049 keeps. */
const unnoticed: ReadonlySet<string> = new Set(['?12', '?13', '?1034', '?1048', '?2027']);

/** What a soft reset takes back. */
const soft = ['4', '?1', '?6', '?7', '?25', '?66'] as const;

const ALTERNATE = '?1049';
/** Three modes are one screen: whichever entered it, any of them leaves it. */
const modeOf = (mode: string): string => (mode === '?47' || mode === '?1047' ? ALTERNATE : mode);

/** What of the keyboard protocol is on, on one screen. */
class Keyboard {
  #pushed = 0;
  #flags = 0;

  get isOn(): boolean {
    return this.#pushed > 0 || this.#flags > 0;
  }

  control(prefix: string, first: number, second: number): void {
    if (prefix === '>') this.#pushed += 1;
    else if (prefix === '<') this.#pushed = Math.max(0, this.#pushed - Math.max(1, first));
    else this.#flags = second === 3 ? this.#flags & ~first : second === 2 ? this.#flags | first : first;
  }

  clear(): void {
    [this.#pushed, this.#flags] = [0, 0];
  }
}

/** See the module. */
export class TerminalModes {
  readonly #rows: number;
  readonly #modes = new Map<string, boolean>();
  readonly #kept = new Map<string, boolean>();
  /** Of the main screen and of the other one, which has a stack of its own. */
  readonly #keyboards = [new Keyboard(), new Keyboard()] as const;
  #modifyKeys = false;
  #isRegion = false;
  /** The character set that is drawn with, and the one behind SO. */
  #isDrawing = false;
  #isShifted = false;

  /** @param rows A region of all of them is none. */
  constructor(rows: number) {
    this.#rows = rows;
  }

  /** What is on that was not, and off that was not. */
  get on(): readonly string[] {
    const left = [...this.#modes].flatMap(([mode, is]) => {
      if (mode in missed) return is ? [] : [missed[mode] ?? mode];
      if (!is || unnoticed.has(mode) || !(mode in names || mode.startsWith('?'))) return [];
      return [names[mode] ?? `the mode ${mode}`];
    });
    if (this.#keyboard.isOn) left.push('the keyboard protocol');
    if (this.#modifyKeys) left.push('modified keys');
    if (this.#isRegion) left.push('a scroll region');
    if (this.#isDrawing || this.#isShifted) left.push('line drawing characters');
    return [...new Set(left)].sort();
  }

  /** ESC and what follows, or SO and SI. */
  escape(sequence: string): void {
    if (sequence === '\x1b=' || sequence === '\x1b>') this.#modes.set('?66', sequence === '\x1b=');
    else if (sequence.startsWith('\x1b(')) this.#isDrawing = sequence === '\x1b(0';
    else if (sequence === '\x0e' || sequence === '\x0f') this.#isShifted = sequence === '\x0e';
    else if (sequence === '\x1bc') {
      this.#modes.clear();
      this.#modifyKeys = false;
      for (const keyboard of this.#keyboards) keyboard.clear();
      [this.#isRegion, this.#isDrawing, this.#isShifted] = [false, false, false];
    }
  }

  /**
   * A control sequence.
   *
   * @returns Whether the alternate screen was asked for, or left; nothing if it is about something else.
   */
  control(prefix: string, parameters: string, between: string, final: string): boolean | undefined {
    const [first = 0, second = 0] = parameters.split(/[;:]/).map(Number);
    const each = parameters.split(';').map((mode) => modeOf(`${prefix}${mode}`));
    const kind = `${prefix}${between}${final}`;
    if (/^\??[hl]$/.test(kind)) return this.#set(each, final === 'h');
    if (kind === '?s') for (const mode of each) this.#kept.set(mode, this.#modes.get(mode) ?? mode in missed);
    if (kind === '?r') {
      for (const mode of each) this.#set([mode], this.#kept.get(mode) ?? mode in missed);
      return each.includes(ALTERNATE) ? this.#modes.get(ALTERNATE) : undefined;
    }
    if (kind === '>m' && (first === 4 || parameters === '')) this.#modifyKeys = second > 0;
    if (kind === '>n' && first === 4) this.#modifyKeys = false;
    if (/^[<>=]u$/.test(kind)) this.#keyboard.control(prefix, first, second);
    if (kind === 'r') this.#isRegion = first > 1 || (second > 0 && second < this.#rows);
    if (kind === '!p') {
      for (const mode of soft) this.#modes.delete(mode);
      [this.#isRegion, this.#isDrawing, this.#isShifted] = [false, false, false];
    }
    return undefined;
  }

  get #keyboard(): Keyboard {
    return this.#keyboards[this.#modes.get(ALTERNATE) === true ? 1 : 0];
  }

  #set(modes: readonly string[], on: boolean): boolean | undefined {
    for (const mode of modes) this.#modes.set(mode, on);
    return modes.includes(ALTERNATE) ? on : undefined;
  }
}
