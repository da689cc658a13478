/**
 * Talks with the demo in a real pseudo-terminal, and reads what it answers, in order.
 *
 * @module
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { createMark, type Found, type Mark } from './demo-processes.ts';
import { demoFolder } from './demo-run.ts';
import { openTerminal, type Screen } from './terminal-pty.ts';

/** How often to look again: each look lasts ten seconds. */
const LOOKS = 4;

/** As readline draws it; a `> ` within an answer is not one. */
const prompt = /\x1b\[0J> \x1b\[3G/;

export interface Ending {
  /** What `stty -a` said before and after. */
  readonly before: string;
  readonly after: string;
  readonly stderr: string;
  /** Its processes that outlived it. */
  readonly left: readonly Found[];
  /** Its temporary files that outlived it. */
  readonly files: readonly string[];
}

export class Conversation {
  readonly mark: Mark;
  readonly #screen: Screen;
  readonly #temporary: string;
  #read = 0;

  private constructor(screen: Screen, mark: Mark, temporary: string) {
    this.#screen = screen;
    this.mark = mark;
    this.#temporary = temporary;
  }

  /** Starts the demo with one option; the caller closes. */
  static async open(option: string): Promise<Conversation> {
    const mark = createMark();
    const temporary = await mkdtemp(join(tmpdir(), 'desist-demo-test-'));
    const env = { ...mark.env, TMPDIR: temporary, FIXTURE: join(demoFolder, 'main.ts') };
    return new Conversation(await openTerminal(option, env), mark, temporary);
  }

  /** Everything shown so far, as it came. */
  text(): string {
    return this.#screen.text();
  }

  type(keys: string): void {
    this.#screen.type(keys);
  }

  /** Waits for the pattern behind everything read so far, and reads up to its end. */
  async sees(pattern: RegExp): Promise<string> {
    for (let look = 1; ; look++) {
      try {
        const { index, 0: match } = await this.#screen.shows(pattern, this.#read);
        const start = this.#read;
        this.#read += index + match.length;
        return this.#screen.text().slice(start, this.#read);
      } catch (error) {
        if (look === LOOKS) throw error;
      }
    }
  }

  /** Reads up to the next prompt: the lines before it, numbers and widths of columns aside. */
  async untilPrompt(): Promise<string[]> {
    return stripVTControlCharacters(await this.sees(prompt))
      .split(/[\r\n]+/)
      .map((line) => line.replaceAll(/\d+/g, 'N').replaceAll(/ {2,}/g, '  ').trimEnd())
      .slice(0, -1)
      .filter((line) => line !== '');
  }

  /** The names of the files in its workspace. */
  async workspace(): Promise<string[]> {
    const [folder = ''] = await readdir(this.#temporary);
    return (await readdir(join(this.#temporary, folder))).sort();
  }

  /** After the demo has ended. */
  async finish(): Promise<Ending> {
    // Looked at before the terminal closes: its hangup would end what should not be there. The shell outlives the demo.
    const left = (await this.mark.alive()).filter(({ command }) => !command.includes('stty -a'));
    const ending = await this.#screen.finish();
    return { ...ending, left, files: await readdir(this.#temporary) };
  }

  async close(): Promise<void> {
    await this.#screen.close();
    await this.mark.killAll();
    await rm(this.#temporary, { recursive: true, force: true });
  }
}
