/**
 * A classic agent in a real pseudo-terminal: keys go in as bytes, and what it shows is read once, in order.
 *
 * @module
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

import { emulate, feed, textOf } from '../../../adapters/terminal/output/emulated-screen.ts';
import { createMark, type Mark } from '../demo-processes.ts';
import { openTerminal, type Screen } from '../terminal-pty.ts';
import { planted, startMs, waitMs, type Plant } from './criterion.ts';

/** As the Kitty protocol sends it: a key at once, without the silence that a lone ESC byte needs. */
export const ESC = '\x1b[27u';
export const CTRL_C = '\x03';
export const CTRL_U = '\x15';

const examples = join(import.meta.dirname, '../../../../examples/classic');

/**
 * Looks every few milliseconds; the error says what never held.
 *
 * @param ms How long at least, with a gap planted: what then comes late comes in vain.
 */
export async function until(what: string, holds: () => boolean, ms = 5000): Promise<void> {
  for (const end = Date.now() + waitMs(ms); !holds(); await sleep(3)) {
    if (Date.now() > end) throw new Error(`never: ${what}`);
  }
}

export interface ProgramOptions {
  readonly plant?: Plant | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Its file in the folder, `main.ts` unless said, and its arguments. */
  readonly file?: string | undefined;
  readonly words?: string | undefined;
}

export class Program {
  readonly mark: Mark;
  readonly #screen: Screen;
  #read = 0;

  private constructor(screen: Screen, mark: Mark) {
    this.#screen = screen;
    this.mark = mark;
  }

  static async open(
    folder: string,
    { plant, env, file = 'main.ts', words = '' }: ProgramOptions = {},
  ): Promise<Program> {
    const mark = createMark();
    const FIXTURE = join(examples, folder, file);
    const [scene = '', ...others] = words.split(' ');
    const WORDS = others.join(' ');
    return new Program(await openTerminal(scene, { ...mark.env, ...env, ...planted(plant), FIXTURE, WORDS }), mark);
  }

  /** Everything shown so far, as it came. */
  get bytes(): string {
    return this.#screen.text();
  }

  /** Everything shown so far that has not been read, without control sequences. */
  get unread(): string {
    return stripVTControlCharacters(this.bytes.slice(this.#read));
  }

  type(keys: string): void {
    this.#screen.type(keys);
  }

  /** Its window gets another size. */
  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
  }

  /** Waits for the pattern behind everything read so far, and reads up to its end. */
  async sees(pattern: RegExp, ms = 5000): Promise<string> {
    let match: RegExpExecArray | null = null;
    try {
      await until('', () => (match = pattern.exec(this.bytes.slice(this.#read))) !== null, ms);
    } catch {
      throw new Error(`never saw ${String(pattern)} in:\n${this.unread}`);
    }
    const { index, 0: text } = match as unknown as RegExpExecArray;
    const start = this.#read;
    this.#read += index + text.length;
    return stripVTControlCharacters(this.bytes.slice(start, this.#read));
  }

  /** The rows of the terminal as a person sees them now. */
  async rows(): Promise<string[]> {
    const terminal = emulate(100, 30);
    await feed(terminal, this.bytes);
    const text = textOf(terminal);
    terminal.dispose();
    return text.split('\n');
  }

  /** Its exit code, and whether the terminal is as it was found. */
  async ended(): Promise<{ readonly code: string; readonly isRestored: boolean; readonly stderr: string }> {
    const code = await this.sees(/<exit \d+>/, startMs);
    const { before, after, stderr } = await this.#screen.finish();
    return { code: /<exit (\d+)>$/.exec(code)?.[1] ?? '', isRestored: before === after, stderr };
  }

  close(): Promise<void> {
    return this.#screen.close();
  }
}
