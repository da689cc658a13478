/**
 * A program in a pseudo-terminal, and the keys of a person.
 *
 * @module
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { delay } from '../../../index.ts';
import { pause } from '../../waiting.ts';
import { now } from '../../model-server/request-record.ts';
import { Screen } from '../outside/screen.ts';
import { readProcesses, send } from '../outside/processes.ts';
import { readyPattern } from '../profile.ts';
import { changedSettings, lineSettings } from '../outside/line-settings.ts';
import type { PseudoTerminal } from '../outside/pseudo-terminal.ts';
import { comes } from '../stage/patience.ts';
import { KeptOutput } from './kept-output.ts';
import type { Driver, DriverStart, ProgramEnd, TerminalLeft } from './driver.ts';

/**
 * The shell outlives the program, also after a Ctrl+C that was for both or came behind its end, so that the terminal can be asked what is
 * left of it. It says in the terminal when the program has ended: what that wrote comes before, however late it is read.
 */
const around = `
trap : INT QUIT
tty > "$CHECK_NOTES/tty"
{ stty -g; stty -a; } > "$CHECK_NOTES/before"
"$@"
code=$?
trap '' INT QUIT
echo $code > "$CHECK_NOTES/exit"
printf '\\033]%s\\007' "$CHECK_NOTES"
read -r _
`;

/** Between two keys that are meant one by one. */
const KEY_MS = 300;
/** Between the keys of one stop, as fast as a person presses twice: the window of a program for both is twice or three times that. */
const TWICE_MS = 150;
/** So often keys are pressed again that this machine has held up. */
const MOST_AGAIN = 3;
/** No program takes keys for a pair that are so far apart. */
const LAPSED_MS = 2000;
/** A screen on which nothing has changed for so long is waiting. */
const QUIET_MS = 600;
/** And a program that has said nothing at all. */
const SILENT_MS = 3000;

const seen = (text: string): string => text.replace(/\s+/g, '');

/** See the module. */
export class TerminalDriver implements Driver {
  readonly #start: DriverStart;
  readonly #pty: PseudoTerminal;
  readonly #screen: Screen;
  readonly output: KeptOutput = new KeptOutput();
  #lastKey = 0;
  #closedAt: number | undefined;
  /** The last characters of what was written. */
  #tail = '';
  /** Whether all that the program has written has come. */
  #isRead = false;

  constructor(start: DriverStart) {
    const { terminals, command, env, cwd, notes } = start;
    if (terminals === undefined) throw new Error('a program in a terminal needs a pseudo-terminal');
    this.#start = start;
    this.#screen = new Screen((text) => {
      this.#write(text);
    });
    this.#pty = terminals.spawn('/bin/sh', ['-c', around, 'sh', ...command], {
      cols: this.#screen.columns,
      rows: this.#screen.rows,
      cwd,
      name: 'xterm-256color',
      env: { ...env, CHECK_NOTES: notes },
    });
    this.#pty.onData((data) => {
      this.output.write(data);
      this.#screen.write(data);
      const last = this.#tail + data;
      this.#isRead ||= last.includes(`\x1b]${notes}\x07`);
      this.#tail = last.slice(-notes.length - 2);
    });
    this.#pty.onExit(() => {
      this.#closedAt ??= now();
    });
  }

  get #isClosed(): boolean {
    return this.#closedAt !== undefined;
  }

  get screen(): string {
    return this.#screen.text;
  }

  get end(): ProgramEnd | undefined {
    const code = this.#note('exit');
    if (code !== undefined) return { code: Number(code), at: statSync(this.#pathOf('exit')).mtimeMs };
    return this.#closedAt === undefined ? undefined : { code: 129, at: this.#closedAt };
  }

  get canGoOn(): boolean {
    return this.end === undefined;
  }

  async pid(): Promise<number | undefined> {
    const rows = await readProcesses();
    return rows.find(({ ppid, command }) => ppid === this.#pty.pid && !command.startsWith('stty -'))?.pid;
  }

  async ready(limitMs: number): Promise<boolean> {
    const { profile, patience } = this.#start;
    const pattern = profile.ready === undefined ? undefined : readyPattern(profile.ready);
    // A screen that is drawn anew, as it was, rests.
    let [picture, since] = [this.screen, now()];
    const isQuiet = (): boolean => {
      if (picture !== this.screen) [picture, since] = [this.screen, now()];
      return now() - since > (this.output.total === 0 ? patience.within(SILENT_MS) : QUIET_MS);
    };
    const isReady = (): boolean => (pattern === undefined ? isQuiet() : pattern.test(this.screen));
    if (!(await patience.comes(() => isReady() || this.end !== undefined, limitMs))) return false;
    await delay(patience.token, profile.settleMs ?? 0);
    await this.press(profile.setup ?? []);
    return this.end === undefined;
  }

  async say(text: string): Promise<boolean> {
    // ESC and a letter at once are one key.
    await pause(Math.max(0, this.#lastKey + KEY_MS - now()));
    for (const character of text) {
      this.#write(character);
      await pause(4);
    }
    // An input line shows what was typed; Enter before that may be lost in a program that is still drawing.
    const isShown = await this.#until(() => seen(this.screen).includes(seen(text)), 1500);
    await pause(60);
    this.#write(this.#start.profile.submit ?? '\r');
    return isShown;
  }

  async press(keys: readonly string[]): Promise<void> {
    await this.#press(keys);
  }

  async stop(): Promise<number> {
    const keys = this.#start.profile.stop ?? ['\x1b'];
    for (let again = 0; again < MOST_AGAIN; again++) {
      const at = now();
      if (await this.#press(keys, TWICE_MS, 2 * TWICE_MS)) return at;
      // The first key came alone, by no fault of the program: what it has begun lapses, and a person presses both again.
      await pause(LAPSED_MS);
    }
    const at = now();
    await this.#press(keys, TWICE_MS);
    return at;
  }

  quit(): Promise<void> {
    return this.press(this.#start.profile.quit ?? ['\x03', '\x03']);
  }

  hangUp(): boolean {
    this.#destroy();
    return true;
  }

  async terminalLeft(): Promise<TerminalLeft | undefined> {
    await this.#until(() => this.#isRead || this.#isClosed, 2000);
    const path = this.#note('tty') ?? '';
    const line = changedSettings(this.#note('before'), await lineSettings(path));
    return { modes: this.#screen.modesOn, line, path };
  }

  async close(): Promise<void> {
    const pid = await this.pid();
    if (pid !== undefined) send(pid, 'SIGKILL');
    send(this.#pty.pid, 'SIGKILL');
    this.#destroy();
    // Also of a check that has been stopped.
    await comes(() => this.#isClosed, this.#start.patience.within(2000));
  }

  /** Presses them one after the other; `false` if this machine was so late that the next one would come too long behind the one before. */
  async #press(keys: readonly string[], apartMs = KEY_MS, mostMs = Infinity): Promise<boolean> {
    for (const [index, key] of keys.entries()) {
      if (index > 0) await pause(apartMs);
      if (index > 0 && now() - this.#lastKey > mostMs) return false;
      this.#lastKey = now();
      this.#write(key);
    }
    return true;
  }

  #destroy(): void {
    const pty = this.#pty as { destroy?: () => void };
    if (pty.destroy === undefined) this.#kill();
    else pty.destroy();
  }

  #kill(): void {
    try {
      this.#pty.kill('SIGHUP');
    } catch {
      // It has ended.
    }
  }

  #write(text: string): void {
    if (this.#isClosed) return;
    try {
      this.#pty.write(text);
    } catch {
      // Its end has gone in this moment.
    }
  }

  #pathOf(note: string): string {
    return join(this.#start.notes, note);
  }

  #note(name: string): string | undefined {
    const file = this.#pathOf(name);
    const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    return text === '' ? undefined : text;
  }

  async #until(isSo: () => boolean, limitMs: number): Promise<boolean> {
    return this.#start.patience.comes(isSo, limitMs);
  }
}
