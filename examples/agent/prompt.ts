/** Asks the person for the next prompt; Ctrl+C twice leaves. */
import { createInterface, type Interface } from 'node:readline/promises';
import { suspendOnCtrlZ } from 'desist/terminal';

/** How long after one Ctrl+C the next one leaves. */
const LEAVE_MS = 2000;

/** Asks for lines; `undefined` when the person has no more to say. */
export class Prompt {
  #lastCtrlC = -Infinity;
  #left = false;
  #closed = false;
  #lines: Interface | undefined;

  /** Whether the person left by Ctrl+C rather than by an empty line. */
  get left(): boolean {
    return this.#left;
  }

  /** A Ctrl+C that stopped a turn counts as the first of two. */
  noteCtrlC(): void {
    this.#lastCtrlC = performance.now();
  }

  /** An open question would keep the process alive. */
  close(): void {
    this.#closed = true;
    this.#lines?.close();
  }

  readonly ask = async (): Promise<string | undefined> => {
    if (this.#closed) return undefined;
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    this.#lines = lines;
    suspendOnCtrlZ(lines); // readline alone stops Node, and not the npm that has started it
    try {
      const line = await new Promise<string | undefined>((resolve, reject) => {
        lines.once('close', () => {
          resolve(undefined);
        });
        lines.on('SIGINT', () => {
          if (performance.now() - this.#lastCtrlC <= LEAVE_MS) {
            this.#left = true;
            resolve(undefined);
            return;
          }
          process.stdout.write('\nCtrl+C again leaves.\n');
          this.noteCtrlC();
          lines.prompt();
        });
        lines.question('> ').then(resolve, reject);
      });
      return line?.trim() === '' ? undefined : line;
    } finally {
      lines.close();
    }
  };
}
