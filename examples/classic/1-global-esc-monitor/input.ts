/** The input manager: asks for a line, and says while it does. ESC gives the line up. */
import { createInterface } from 'node:readline';
import { suspendOnCtrlZ, type TerminalWatcher } from 'desist/terminal';

export class InputManager {
  readonly #terminal: TerminalWatcher;
  #redraw: (() => void) | undefined;

  constructor(terminal: TerminalWatcher) {
    this.#terminal = terminal;
  }

  get isWaitingInput(): boolean {
    return this.#terminal.gate.isWaitingInput;
  }

  /** Says something above an open prompt. */
  notice(text: string): void {
    process.stdout.write(`\n${text}\n`);
    this.#redraw?.();
  }

  /** The line; `undefined` after ESC, `null` when nobody will type any more. */
  ask(question: string): Promise<string | null | undefined> {
    return this.#terminal.prompt(() => {
      const lines = createInterface({ input: process.stdin, output: process.stdout, escapeCodeTimeout: 50 });
      return new Promise<string | null | undefined>((resolve) => {
        const onKey = (_: unknown, { name }: { readonly name?: string }): void => {
          if (name !== 'escape') return;
          lines.write(null, { ctrl: true, name: 'u' });
          resolve(undefined);
          lines.close();
        };
        process.stdin.on('keypress', onKey);
        lines.once('close', () => {
          process.stdin.removeListener('keypress', onKey);
          this.#redraw = undefined;
          resolve(null);
        });
        suspendOnCtrlZ(lines);
        // readline would close at the first Ctrl+C; the terminal has a rule for it.
        lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
        this.#redraw = () => lines.prompt(true);
        const typed: string[] = [];
        lines.on('line', (line) => {
          // Lines that are pasted come together, and are one message.
          if (typed.push(line) > 1) return;
          setTimeout(() => {
            if (lines.line !== '') process.stdout.write('\n'); // the end of a paste has no line break
            resolve([...typed, lines.line].join('\n').trim());
            lines.close();
          }, 20);
        });
        lines.setPrompt(question);
        lines.prompt();
      });
    });
  }
}
