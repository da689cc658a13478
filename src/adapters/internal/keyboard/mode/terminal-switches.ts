/**
 * What a terminal is asked to tell beyond its keys: clearer keys, what is a paste, whether its window is in front.
 *
 * Invariants:
 * - **W1** A switch is on exactly while somebody wants it *and* the terminal is read by us: a program in between, and the
 *   shell afterwards, find it off.
 * - **W2** It is switched off where it was switched on, once, in the reverse order.
 * - **W3** Nothing is written to what is no terminal.
 *
 * Prior art: xterm's ctlseqs, Kitty's keyboard protocol, whose stack keeps the settings of others.
 *
 * @module
 */
import type { Releasable } from '../../../../core/inside.ts';
import { screenReset } from './screen-reset.ts';

/**
 * The slice of `process.stdout` that the switches of a terminal are written to.
 *
 * @since 0.1.0
 */
export interface TerminalWriter {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** In the order in which they are switched on. */
const sequences = {
  // Clear keys (1), and which key it is on a Latin layout (4).
  kitty: { on: '\x1b[>5u', off: '\x1b[<u' },
  modifyOtherKeys: { on: '\x1b[>4;2m', off: '\x1b[>4m' },
  paste: { on: '\x1b[?2004h', off: '\x1b[?2004l' },
  focus: { on: '\x1b[?1004h', off: '\x1b[?1004l' },
} as const;

/** One switch. */
export type SwitchName = keyof typeof sequences;

/** What one watcher wants of its terminal. */
export interface TerminalWishes {
  readonly output: TerminalWriter;
  readonly switches: readonly SwitchName[];
  /** Whether the terminal may be asked if more is on its way. */
  readonly fence: boolean;
}

/** "Are you well?", which every terminal answers in the order of its keys. */
const question = '\x1b[5n';

const names = /* @__PURE__ */ Object.keys(sequences) as readonly SwitchName[];

/** A terminal that does not take what is written has gone; whoever reads it will notice. */
function write(output: TerminalWriter, text: string): void {
  try {
    output.write(text);
  } catch {
    // Nobody is left to read it.
  }
}

/** The switches of one terminal, for everybody who watches it. */
export class TerminalSwitches {
  readonly #wishes = new Set<TerminalWishes>();
  /** What is on, and where that was said. */
  readonly #on = new Map<SwitchName, TerminalWriter>();
  #isRead = false;

  /** Takes wishes in, until they are released. */
  wish(wishes: TerminalWishes): Releasable {
    if (wishes.output.isTTY !== true) return { release: () => undefined }; // W3
    this.#wishes.add(wishes);
    return {
      release: () => {
        this.#wishes.delete(wishes);
        this.#sync();
      },
    };
  }

  /** W1: we read the terminal, or no longer do. */
  set(isRead: boolean): void {
    this.#isRead = isRead;
    this.#sync();
  }

  /** The terminal has gone: there is nothing left to switch. */
  forget(): void {
    this.#isRead = false;
    this.#on.clear();
  }

  /** A program was killed that had the terminal: what it left on goes, and ours comes when we read again. */
  clean(): void {
    const [wishes] = this.#wishes;
    if (wishes !== undefined && !this.#isRead) write(wishes.output, screenReset);
  }

  /** Asks the terminal for a sign; whether that was done. */
  ask(): boolean {
    const wishes = [...this.#wishes].find(({ fence }) => fence);
    if (wishes === undefined || !this.#isRead) return false;
    write(wishes.output, question);
    return true;
  }

  /** What would switch everything off that is wanted by now. */
  get off(): string {
    return names
      .filter((name) => this.#wanted(name) !== undefined)
      .reverse()
      .map((name) => sequences[name].off)
      .join('');
  }

  #wanted(name: SwitchName): TerminalWishes | undefined {
    return [...this.#wishes].find(({ switches }) => switches.includes(name));
  }

  #sync(): void {
    const goals = new Map(names.map((name) => [name, this.#isRead ? this.#wanted(name) : undefined]));
    for (const name of [...names].reverse()) {
      const output = this.#on.get(name);
      if (output === undefined || goals.get(name) !== undefined) continue;
      this.#on.delete(name); // W2
      write(output, sequences[name].off);
    }
    for (const name of names) {
      const output = goals.get(name)?.output;
      if (output === undefined || this.#on.has(name)) continue;
      this.#on.set(name, output);
      write(output, sequences[name].on);
    }
  }
}
