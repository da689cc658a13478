/**
 * The style that a terminal writes in at the moment, and the sequences that switch it off and on again: colours and
 * attributes, an open link, a drawing character set, a hidden cursor.
 *
 * Prior art: ECMA-48 SGR; the hyperlinks of VTE and iTerm2.
 *
 * @module
 */

/** Which attribute a parameter sets, by the parameter that switches it off again. */
const slotOf: Readonly<Record<number, number>> = {
  ...{ 1: 22, 2: 22, 3: 23, 20: 23, 4: 24, 21: 24, 5: 25, 6: 25, 7: 27, 8: 28, 9: 29, 26: 50, 38: 39, 48: 49 },
  ...{ 51: 54, 52: 54, 53: 55, 58: 59, 60: 65, 61: 65, 62: 65, 63: 65, 64: 65, 73: 75, 74: 75 },
};
const BACKGROUND = 49;
const offs = new Set([...Object.values(slotOf), 10, 39, 49]);

function slot(code: number): number | undefined {
  if (code >= 11 && code <= 19) return 10;
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return 39;
  if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) return BACKGROUND;
  return slotOf[code];
}

/** How many further parameters belong to 38, 48 and 58 where they are cut by semicolons. */
function extent(codes: readonly string[], at: number): number {
  return codes[at + 1] === '5' ? 2 : codes[at + 1] === '2' ? 4 : 0;
}

/** Follows the sequences of a stream; its memory does not grow with them. */
export class TextStyle {
  /** By the attribute: the parameters that set it. Bold and faint share one, so both are kept. */
  readonly #attributes = new Map<number, string>();
  #link = '';
  readonly #sets = new Map<string, string>();
  #shiftedOut = false;
  #cursorHidden = false;
  /** Every glyph asks for it; the style changes less often. */
  #summed: { readonly on: string; readonly off: string } | undefined;

  /** Whether a line break could fill the new row with a colour. */
  get hasBackground(): boolean {
    return this.#attributes.has(BACKGROUND);
  }

  /** From this style to the plain one. */
  get off(): string {
    return (this.#summed ??= this.#sumUp()).off;
  }

  /** From the plain style to this one. */
  get on(): string {
    return (this.#summed ??= this.#sumUp()).on;
  }

  /** A whole sequence, or a control character. */
  read(sequence: string): void {
    this.#summed = undefined;
    if (sequence === '\x0e' || sequence === '\x0f') this.#shiftedOut = sequence === '\x0e';
    else if (sequence === '\x1bc') this.clear();
    else if (sequence === '\x1b[?25l' || sequence === '\x1b[?25h') this.#cursorHidden = sequence.endsWith('l');
    else if (/^\x1b\[[\d;:]*m$/.test(sequence)) this.#select(sequence.slice(2, -1));
    else if (sequence.startsWith('\x1b]8;'))
      this.#link = /^\x1b\]8;[^;]*;(?:\x1b\\|\x07)?$/.test(sequence) ? '' : sequence;
    else if (/^\x1b[()*+][0-~]$/.test(sequence)) {
      const which = sequence.charAt(1);
      if (sequence.endsWith('B')) this.#sets.delete(which);
      else this.#sets.set(which, sequence);
    }
  }

  clear(): void {
    this.#summed = undefined;
    this.#attributes.clear();
    this.#link = '';
    this.#sets.clear();
    this.#shiftedOut = false;
    this.#cursorHidden = false;
  }

  #sumUp(): { on: string; off: string } {
    const isOut = this.#shiftedOut;
    const isHidden = this.#cursorHidden;
    const attributes = this.#attributes.size === 0 ? '' : `\x1b[${[...this.#attributes.values()].join(';')}m`;
    const sets = [...this.#sets.values()].join('');
    const plainSets = [...this.#sets.keys()].map((which) => `\x1b${which}B`).join('');
    return {
      on: attributes + this.#link + sets + (isOut ? '\x0e' : '') + (isHidden ? '\x1b[?25l' : ''),
      off:
        (attributes === '' ? '' : '\x1b[0m') +
        (this.#link === '' ? '' : '\x1b]8;;\x1b\\') +
        plainSets +
        (isOut ? '\x0f' : '') +
        (isHidden ? '\x1b[?25h' : ''),
    };
  }

  #select(parameters: string): void {
    const codes = parameters.split(';');
    for (let at = 0; at < codes.length; at++) {
      const own = codes[at] ?? '';
      const code = Number(own.split(':', 1)[0]);
      if (code === 0) this.#attributes.clear();
      else if (own === '4:0') this.#attributes.delete(24);
      else if (offs.has(code) && code !== 21) this.#attributes.delete(code);
      const set = slot(code);
      if (set === undefined || own === '4:0') continue;
      const more = own.includes(':') || ![38, 48, 58].includes(code) ? 0 : extent(codes, at);
      const text = codes.slice(at, at + more + 1).join(';');
      at += more;
      const before = set === 22 ? this.#attributes.get(22) : undefined;
      this.#attributes.set(set, before === undefined || before === text ? text : '1;2');
    }
  }
}
