/** Asks the person whether a tool may do what it wants to. A stop closes the question, and nobody said no. */
import { createInterface, type Interface } from 'node:readline/promises';
import { suspendOnCtrlZ, type TerminalWatcher } from 'desist/terminal';
import type { Question } from './tools.ts';

/** Silence after which an ESC is a key, and not the begin of one. */
const ESC_MS = 50;

/** What a question does to the run when the person wants no answer but a stop. */
export interface Stops {
  readonly onEscape: () => void;
  readonly onCtrlC: () => void;
}

/** One question at a time, also if several tools ask at once. */
export class Approval {
  readonly #terminal: TerminalWatcher;
  readonly #stops: Stops;
  #last: Promise<void> = Promise.resolve();
  #lines: Interface | undefined;

  constructor(terminal: TerminalWatcher, stops: Stops) {
    this.#terminal = terminal;
    this.#stops = stops;
  }

  put(question: Question): void {
    this.#last = this.#last.then(async () => {
      if (question.signal.aborted) return;
      // What was typed before the question was seen is no answer to it.
      await this.#terminal.prompt(() => this.#ask(question), { typeAhead: 'hold' });
    });
  }

  /** An open question would keep the process alive. */
  close(): void {
    this.#lines?.close();
  }

  async #ask({ text, signal, respond }: Question): Promise<void> {
    const { stdin: input, stdout: output } = process;
    const lines = createInterface({ input, output, escapeCodeTimeout: ESC_MS });
    this.#lines = lines;
    suspendOnCtrlZ(lines);
    // While a prompt has the keyboard, its keys are its own: also those that stop.
    const onKey = (_text: string | undefined, key: { readonly name?: string }): void => {
      if (key.name === 'escape') this.#stops.onEscape();
    };
    input.on('keypress', onKey);
    lines.on('SIGINT', this.#stops.onCtrlC);
    try {
      const answer = await new Promise<string | undefined>((resolve) => {
        const giveUp = (): void => {
          resolve(undefined);
        };
        lines.once('close', giveUp);
        lines.question(`${text} [y/N] `, { signal }).then(resolve, giveUp);
      });
      // After an abort readline has ended the line itself.
      if (answer === undefined && !signal.aborted) output.write('\n');
      respond(answer !== undefined && /^y(es)?$/i.test(answer.trim()));
    } finally {
      input.off('keypress', onKey);
      lines.close();
    }
  }
}
