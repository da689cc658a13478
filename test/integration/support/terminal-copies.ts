/**
 * Three agents in one process, each with a watcher of its own: two by one copy of the built package, one by another copy.
 * a, b and c start them, g opens and closes a prompt's gate with the first copy, s says which of them run, q closes all.
 * p starts a program with our standard input by the other copy.
 */
import { createRequire } from 'node:module';

import { watchTerminal, type TerminalWatcher } from 'desist/terminal';

type Terminal = typeof import('desist/terminal');

const other = createRequire(import.meta.url)('desist/terminal') as Terminal;
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
if (other.watchTerminal === watchTerminal) throw new Error('these are no two copies');

class FakeAgent {
  state: 'idle' | 'running' = 'idle';
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }
  cancel(): void {
    this.state = 'idle';
    say(`<cancel ${this.#name}>`);
  }
  kill(): void {
    say(`<kill ${this.#name}>`);
  }
}

const agents = { a: new FakeAgent('a'), b: new FakeAgent('b'), c: new FakeAgent('c') };
const options = { keepAlive: true };
const first = watchTerminal(agents.a, options);
const { cancellableExec } = createRequire(import.meta.url)(
  'desist/child-process',
) as typeof import('desist/child-process');
const watchers: TerminalWatcher[] = [first, other.watchTerminal(agents.b, options), watchTerminal(agents.c, options)];
let isOpen = false;

first.handle((event) => {
  if (event.type !== 'key') return false;
  const { name } = event;
  if (name === 'a' || name === 'b' || name === 'c') agents[name].state = 'running';
  else if (name === 'g') {
    isOpen = !isOpen;
    if (isOpen) first.gate.enter();
    else first.gate.exit();
  } else if (name === 'p') {
    const run = cancellableExec('echo "<asks>"; read x; echo "<read $x>"', { stdio: 'inherit' });
    run.result.then(
      ({ exitCode }) => {
        say(`<ended ${String(exitCode)}>`);
      },
      (error: unknown) => {
        say(String(error));
      },
    );
  } else if (name === 'q') for (const watcher of watchers) void watcher.close();
  else if (name !== 's') return false;
  const running = Object.entries(agents).filter(([, { state }]) => state === 'running');
  say(`<${name}: ${running.map(([one]) => one).join('') || '-'}>`);
  return true;
});
say('<ready>');
