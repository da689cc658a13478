/**
 * An agent's terminal side, alone in a process: says on its own lines what the keyboard did to it.
 * Started in a pseudo-terminal as `node terminal-agent.ts <scene>`.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { ReadStream } from 'node:tty';

import { cancellableExec } from '../../../src/adapters/child-process/index.ts';
import { watchTerminal, type WatchTerminalOptions } from '../../../src/adapters/terminal/index.ts';
import type { KeyEvent } from '../../../src/adapters/internal/keyboard/decoder/key-decoder.ts';
import type { TerminalController } from '../../../src/adapters/internal/presses/press-target.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const agent = {
  state: 'running' as TerminalController['state'],
  cancel(): void {
    this.state = 'cancelling';
    say(`<cancel ${String(Date.now())}>`);
  },
  kill(): void {
    this.state = 'killing';
    say('<kill>');
  },
};

/** The terminal by the name that each program has for its own, or `process.stdin`. */
const input = process.env['DEV_TTY'] === undefined ? process.stdin : new ReadStream(openSync('/dev/tty', 'r'));

const terminal = watchTerminal(agent, {
  input,
  crashGuard: process.env['GUARD'] !== undefined,
  ...(process.env['TMUX'] !== undefined && {
    onHint: (hint: string) => {
      say(`<hint ${hint}>`);
    },
  }),
  ...(JSON.parse(process.env['OPTIONS'] ?? '{}') as WatchTerminalOptions),
});
// Watching alone keeps no process alive; an agent at work does.
const work = setInterval(() => undefined, 1000);

const ends: Readonly<Record<string, () => void>> = {
  return: () => {
    clearInterval(work); // the watcher stays open: the process ends all the same
  },
  close: () => {
    clearInterval(work);
    void terminal.close();
  },
  throw: () => {
    throw new Error('thrown on purpose');
  },
  reject: () => {
    void Promise.reject(new Error('rejected on purpose'));
  },
  exit: () => {
    process.exit(7);
  },
  SIGKILL: () => process.kill(process.pid, 'SIGKILL'),
  abort: () => {
    process.abort();
  },
  SIGTERM: () => process.kill(process.pid, 'SIGTERM'),
  SIGHUP: () => process.kill(process.pid, 'SIGHUP'),
  SIGQUIT: () => process.kill(process.pid, 'SIGQUIT'),
};

const { PROMPT_MS: promptMs } = process.env;

async function ask(): Promise<void> {
  const answer = terminal.prompt(
    async ({ signal }) => {
      const lines = createInterface({ input, output: process.stdout });
      lines.on('SIGINT', () => {
        say('<prompt interrupted>');
        if (process.argv[2] === 'close in a prompt') ends['close']?.();
      });
      say('<asking>');
      try {
        return await lines.question('? ', { signal });
      } finally {
        lines.close();
      }
    },
    { timeoutMs: promptMs === undefined ? undefined : Number(promptMs) },
  );
  await answer.then(
    (text) => {
      say(`<answer ${JSON.stringify(text)}>`);
    },
    (error: unknown) => {
      say(`<${(error as Error).name}>`);
    },
  );
}

const command =
  process.env['PROGRAM'] ?? 'stty -a | grep -q -- -icanon && echo "<raw inside>"; read x; echo "<read $x>"';

/** Starts a program on our terminal, in the foreground; how it ends. */
async function program(line: string): Promise<string> {
  const child = spawn('/bin/sh', ['-c', line], { stdio: 'inherit' });
  const [status, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal ?? String(status);
}

async function handOver(): Promise<void> {
  const code = await terminal.handOver(() => program(command));
  say(`<back ${code}>`);
  if (terminal.degraded !== false) say(`<${terminal.degraded}>`);
}

/** One function that has the terminal runs the program, and then something else that reads it. */
async function handOverTwice(): Promise<void> {
  const reader = 'read x; echo "<second $x>"';
  const seconds: Readonly<Record<string, () => unknown>> = {
    program: () => program(reader),
    'a synchronous program': () => execFileSync('/bin/sh', ['-c', reader], { stdio: 'inherit' }),
    'a run': () => cancellableExec(reader, { stdio: 'inherit' }).result,
    'a prompt': () => ask(),
  };
  await terminal.handOver(async () => {
    if (process.env['FIRST'] === 'a run') await cancellableExec(command, { stdio: 'inherit' }).result;
    else if (process.env['FIRST'] === 'a synchronous program')
      spawnSync('/bin/sh', ['-c', command], { stdio: 'inherit' });
    else await program(command);
    await seconds[process.env['SECOND'] ?? '']?.();
  });
  say('<both>');
}

/** The same by the door of child processes: nobody says that the terminal is lent. */
async function runInherited(): Promise<void> {
  const { LIMIT: limit, CWD: cwd } = process.env;
  const run = cancellableExec(command, {
    stdio: process.env['NO_INPUT'] === undefined ? 'inherit' : ['ignore', 'inherit', 'inherit'],
    cwd,
    graceMs: 200,
    timeoutMs: limit === undefined ? undefined : Number(limit),
    detached: process.env['DETACHED'] !== undefined,
  });
  await run.result.then(
    ({ exitCode, signal, stoppedBy }) => {
      say(`<ended ${String(exitCode ?? signal)}, ${stoppedBy?.kind ?? 'by itself'}>`);
    },
    (error: unknown) => {
      say(`<${(error as NodeJS.ErrnoException).code ?? String(error)}>`);
    },
  );
}

function hear(event: KeyEvent): boolean {
  if (event.type !== 'key') return false;
  switch (event.name) {
    case 'q':
      setImmediate(() => ends[process.argv[2] ?? '']?.());
      return true;
    case 'r':
      agent.state = 'running';
      say('<running>');
      return true;
    case 'p':
      void ask();
      return true;
    case 'z':
      process.kill(process.pid, 'SIGTSTP');
      return true;
    case 'k':
      process.kill(process.pid, 'SIGSTOP');
      return true;
    case 'h':
      void handOver();
      return true;
    case 'down':
      void handOverTwice();
      return true;
    case 'w': {
      const read = async (): Promise<unknown> => {
        say('<waiting>');
        const [chunk] = (await once(input, 'data')) as [unknown];
        input.pause();
        return chunk;
      };
      void terminal.prompt(read).then((chunk) => {
        say(`<chunk ${JSON.stringify(String(chunk))}>`);
      });
      return true;
    }
    case 'j':
      void runInherited();
      return true;
    case 'i':
      process.kill(process.pid, 'SIGINT');
      return true;
    case 't':
      say(`<typed ${JSON.stringify(terminal.takeTypeAhead())}>`);
      return true;
    case 'f':
      say(`<focused ${String(terminal.focused)}>`);
      return true;
    case 'up':
      say('<up>');
      return true;
    case 's': {
      const settings = execFileSync('stty', ['-a'], { stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8' });
      say(settings.includes('-icanon') ? '<raw>' : '<cooked>');
      return true;
    }
    default:
      return false;
  }
}
terminal.handle(hear);

say(terminal.degraded === false ? '<ready>' : `<ready, ${terminal.degraded}>`);
if (process.argv[2] === 'nothing to do') clearInterval(work);
