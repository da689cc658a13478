/** What the person types: prompts in a terminal, the lines of a pipe elsewhere. */
import { createInterface } from 'node:readline';
import { suspendOnCtrlZ, type TerminalWatcher } from 'desist/terminal';

/** Reads one line; `undefined` after Ctrl+D, and at the end of the input. */
export function lineReader(terminal: TerminalWatcher): () => Promise<string | undefined> {
  const { stdin: input, stdout: output } = process;
  if (!input.isTTY) {
    const all = createInterface({ input })[Symbol.asyncIterator]();
    return async () => {
      const { done, value } = await all.next();
      return done === true ? undefined : value;
    };
  }
  return () =>
    terminal.prompt(
      () =>
        new Promise((resolve) => {
          // readline takes a letter soon after ESC for Alt and that letter.
          const lines = createInterface({ input, output, escapeCodeTimeout: 50 });
          suspendOnCtrlZ(lines); // readline alone stops Node, and not what has started it
          lines.on('SIGINT', () => {
            if (lines.line === '') return void process.kill(process.pid, 'SIGINT'); // the watcher counts each Ctrl+C
            lines.write(null, { ctrl: true, name: 'e' });
            lines.write(null, { ctrl: true, name: 'u' });
          });
          lines.on('close', () => resolve(undefined));
          lines.question('> ', (line) => {
            resolve(line);
            lines.close();
          });
        }),
    );
}
