/** The conversation in a terminal: the stream, ESC, the report, the next prompt. */
import { createInterface, type Interface } from 'node:readline/promises';
import { interruptedLine } from 'desist';
import { watchTerminal } from 'desist/terminal';
import { ScreenDisplay } from './display.ts';
import { formatReport } from './report.ts';
import { Session } from './session.ts';
import type { World } from './world.ts';

const banner = `A small agent that stops.
  ESC stops it · Ctrl+C twice leaves · an empty line leaves
`;

const hint = `  Words the embedded model knows: run, search, read, write, delegate, quick; anything else is a story.
`;

/** How long after one Ctrl+C the next one leaves. */
const LEAVE_MS = 2000;

/** What a shell reports for a program that SIGINT ended. */
const LEFT_BY_CTRL_C = 130;

/** Asks for lines; `undefined` when the person has no more to say. */
class Prompt {
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

/** Talks until the person leaves; returns the exit code. */
export async function talk(world: World): Promise<number> {
  const screen = new ScreenDisplay((text) => process.stdout.write(text));
  const session = new Session({ ...world, display: screen });
  let failed = false;
  let leave: (code: number) => void = () => undefined;
  const left = new Promise<number>((resolve) => {
    leave = resolve;
  });
  session.agent.onEvent(({ type, agent }) => {
    if (agent !== 'main') return;
    if (type === 'interrupt-requested') screen.mute(true);
    if (type === 'turn-started') screen.mute(false);
  });
  const prompt = new Prompt();
  const onLeave = (code: number): void => {
    prompt.close();
    leave(code);
  };
  await using terminal = watchTerminal(session.agent, { keepAlive: true, onLeave });
  terminal.handle(
    (event) => {
      if (event.type === 'key' && event.ctrl && event.name === 'c') prompt.noteCtrlC();
      return false;
    },
    { priority: 60 },
  );
  process.stdout.write(banner + (world.server === undefined ? '' : hint));

  const conversation = async (): Promise<number> => {
    for (;;) {
      const line = await terminal.prompt(prompt.ask);
      if (line === undefined) return prompt.left ? LEFT_BY_CTRL_C : failed ? 1 : 0;
      const report = await session.prompt(line);
      if (report.stop !== undefined) {
        screen.line(formatReport(report.stop));
        screen.line(interruptedLine(session.agent.name));
      } else if (report.status === 'failed') {
        failed = true;
        screen.line(`the turn failed: ${oneLine(report.error)}`);
      } else screen.line('');
    }
  };
  const code = await new Promise<number>((resolve, reject) => {
    void left.then(resolve);
    conversation().then(resolve, reject);
  });
  await session.agent.close();
  return code;
}

/** One prompt without a conversation; returns the exit code. */
export async function runOnce(world: World, prompt: string): Promise<number> {
  const screen = new ScreenDisplay((text) => process.stdout.write(text));
  const session = new Session({ ...world, display: screen });
  await using _terminal = watchTerminal(session.agent);
  const report = await session.prompt(prompt);
  await session.agent.close();
  if (report.status === 'completed') {
    screen.line('');
    return 0;
  }
  if (report.status === 'failed') process.stderr.write(`the turn failed: ${oneLine(report.error)}\n`);
  else if (report.stop !== undefined) screen.line(formatReport(report.stop));
  return report.status === 'failed' ? 1 : 130;
}

function oneLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
