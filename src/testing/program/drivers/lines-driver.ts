/**
 * A program without a terminal: prompts are lines of its standard input, or an argument of a command that ends with its answer; a stop is a
 * signal.
 *
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { delay } from '../../../index.ts';
import { waitUntil } from '../../waiting.ts';
import { now } from '../../model-server/request-record.ts';
import { send } from '../outside/processes.ts';
import { readyPattern, takesOnePrompt } from '../profile.ts';
import { KeptOutput } from './kept-output.ts';
import type { Driver, DriverStart, ProgramEnd } from './driver.ts';

/** A child and what it has written: what drivers over pipes share. */
export class PipedProgram {
  readonly child: ChildProcess;
  readonly output: KeptOutput;
  end: ProgramEnd | undefined;

  /** @param output Takes what it writes. */
  constructor(
    [file = '', ...args]: readonly string[],
    { env, cwd }: Pick<DriverStart, 'env' | 'cwd'>,
    output: KeptOutput = new KeptOutput(),
  ) {
    this.output = output;
    // A group of its own: a signal is for the program, as that of a supervisor is, and not for all that it runs.
    this.child = spawn(file, args, { env, cwd, detached: true, stdio: 'pipe' });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output.write(text);
      });
    }
    // Whoever has ended reads nothing.
    this.child.stdin?.on('error', () => undefined);
    this.child.once('error', (error) => {
      this.output.write(String(error));
      this.end ??= { code: 127, at: now() };
    });
    this.child.once('exit', (code, signal) => {
      this.end ??= { code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], at: now() };
    });
  }

  write(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  async close(): Promise<void> {
    if (this.child.pid !== undefined && this.end === undefined) send(this.child.pid, 'SIGKILL');
    for (const stream of this.child.stdio) stream?.destroy();
    await waitUntil('the program has ended', () => this.end !== undefined, 10_000);
  }
}

/** See the module. */
export class LinesDriver implements Driver {
  readonly #start: DriverStart;
  readonly #takesOne: boolean;
  /** Of all programs that were started. */
  readonly output: KeptOutput = new KeptOutput();
  #program: PipedProgram | undefined;
  #said = 0;

  constructor(start: DriverStart) {
    this.#start = start;
    this.#takesOne = takesOnePrompt(start.profile);
    if (!this.#takesOne) this.#program = new PipedProgram(start.command, start, this.output);
  }

  get screen(): string {
    return this.output.text.split('\n').slice(-40).join('\n');
  }

  get end(): ProgramEnd | undefined {
    return this.#program?.end;
  }

  get canGoOn(): boolean {
    if (this.#takesOne) return this.#said === 0 || this.#start.commandFor('', false) !== undefined;
    return this.end === undefined;
  }

  pid(): Promise<number | undefined> {
    return Promise.resolve(this.end === undefined ? this.#program?.child.pid : undefined);
  }

  async ready(limitMs: number): Promise<boolean> {
    const { profile, patience } = this.#start;
    const program = this.#program;
    if (program === undefined) return true;
    if (profile.ready !== undefined) {
      const pattern = readyPattern(profile.ready);
      const isReady = (): boolean => pattern.test(program.output.text) || program.end !== undefined;
      if (!(await patience.comes(isReady, limitMs))) return false;
    }
    await delay(patience.token, profile.settleMs ?? 0);
    return program.end === undefined;
  }

  async say(text: string): Promise<boolean> {
    if (this.#takesOne) {
      const command = this.#start.commandFor(text, this.#said === 0);
      if (command === undefined) return false;
      await this.#program?.close();
      this.#program = new PipedProgram(command, this.#start, this.output);
      this.#program.child.stdin?.end();
    } else this.#program?.write(text);
    this.#said += 1;
    return true;
  }

  press(): Promise<void> {
    return Promise.resolve();
  }

  async stop(): Promise<number> {
    const at = now();
    const pid = await this.pid();
    for (const signal of this.#start.profile.stop ?? ['SIGINT']) {
      if (pid !== undefined) send(pid, signal as NodeJS.Signals);
    }
    return at;
  }

  quit(): Promise<void> {
    this.#program?.child.stdin?.end();
    return Promise.resolve();
  }

  hangUp(): boolean {
    return false;
  }

  terminalLeft(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async close(): Promise<void> {
    await this.#program?.close();
  }
}
