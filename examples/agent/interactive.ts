/** The conversation in a terminal: the stream, ESC, the report, the next prompt. */
import { interruptedLine, type TurnReport } from 'desist';
import { createOutputGate, watchTerminal } from 'desist/terminal';
import { Approval } from './approval.ts';
import { ScreenDisplay } from './display.ts';
import type { Options } from './options.ts';
import { Prompt } from './prompt.ts';
import { formatReport } from './report.ts';
import { words } from './script.ts';
import { Session } from './session.ts';
import { NOBODY_TO_SKIP, SKIP, takeTypedLines } from './typed.ts';
import type { World } from './world.ts';

/** Stops everything, background jobs too. */
const STOP = '/stop';

const banner = ({ escape, inject }: Options): string => `A small agent that stops.
  ${escape === 'double' ? 'ESC ESC' : 'ESC'} stops it · ${inject ? 'the backtick opens a line for it · ' : ''}Ctrl+C twice leaves · an empty line leaves
  While it works: a line you type goes to it at once · ${SKIP} stops only its sub-agent
  Background jobs survive ESC · ${STOP} ends them
`;

const hint = `  Words the embedded model knows: ${words.join(', ')}; anything else is a story.
`;

/** What a shell reports for a program that SIGINT ended. */
const LEFT_BY_CTRL_C = 130;

/** Talks until the person leaves; returns the exit code. */
export async function talk(world: World, options: Options): Promise<number> {
  // Held while a line is open; without one it passes everything on.
  const gate = createOutputGate();
  const output = gate.stream();
  const screen = new ScreenDisplay((text) => output.write(text));
  const session = new Session({
    ...world,
    display: screen,
    approve: (question) => {
      approval.put(question);
    },
  });
  let failed = false;
  let leave: (code: number) => void = () => undefined;
  const left = new Promise<number>((resolve) => {
    leave = resolve;
  });
  session.agent.onEvent((event) => {
    if (event.agent !== 'main') return;
    // A message interrupts too, and is answered in the same turn.
    if (event.type === 'interrupt-requested' && event.kind !== 'interjection') screen.mute(true);
    if (event.type === 'turn-started') screen.mute(false);
  });
  const prompt = new Prompt();
  const onLeave = (code: number): void => {
    prompt.close();
    approval.close();
    leave(code);
  };
  await using terminal = watchTerminal(session.agent, {
    keepAlive: true,
    onLeave,
    escape: options.escape,
    inject: options.inject ? { output: gate, delivery: 'now' } : undefined,
  });
  const stop = (): void => {
    session.agent.cancel();
  };
  const approval = new Approval(terminal, {
    onEscape: stop,
    onCtrlC: () => {
      prompt.noteCtrlC();
      stop();
    },
  });
  takeTypedLines(terminal, session, screen);
  terminal.handle(
    (event) => {
      if (event.type === 'key' && event.ctrl && event.name === 'c') prompt.noteCtrlC();
      return false;
    },
    { priority: 60 },
  );
  process.stdout.write(banner(options) + (world.server === undefined ? '' : hint));

  const conversation = async (): Promise<number> => {
    for (;;) {
      const line = await terminal.prompt(prompt.ask);
      if (line === undefined) return prompt.left ? LEFT_BY_CTRL_C : failed ? 1 : 0;
      if (line.trim() === STOP) await stopEverything(session, screen);
      else if (line.trim() === SKIP) screen.line(NOBODY_TO_SKIP);
      else if ((await answer(line, session, screen)) === 'failed') failed = true;
      for (const ended of session.background.takeEnded()) screen.line(ended);
    }
  };
  const code = await new Promise<number>((resolve, reject) => {
    void left.then(resolve);
    conversation().then(resolve, reject);
  });
  await end(session, screen);
  gate.close();
  return code;
}

/** One turn, and what is to be said of its end. */
async function answer(line: string, session: Session, screen: ScreenDisplay): Promise<TurnReport<string>['status']> {
  const report = await session.prompt(line);
  for (const { message } of report.undelivered) screen.line(`not delivered: ${String(message)}`);
  if (report.stop !== undefined) {
    screen.line(formatReport(report.stop));
    for (const name of session.background.running) screen.line(`In the background goes on: ${name}`);
    screen.line(interruptedLine(session.agent.name));
  } else screen.line(report.status === 'failed' ? `the turn failed: ${oneLine(report.error)}` : '');
  return report.status;
}

/** What ESC does not reach: no turn runs now, so that this is the background. */
async function stopEverything(session: Session, screen: ScreenDisplay): Promise<void> {
  const { accepted, settled } = session.agent.cancelAll();
  const report = await settled;
  const isNothing = !accepted || report.operations.length === 0;
  screen.line(isNothing ? 'Nothing runs in the background.' : formatReport(report));
}

/** Nothing that a turn started outlives the program. */
async function end(session: Session, screen: ScreenDisplay): Promise<void> {
  const isBusy = session.background.running.length > 0;
  const report = await session.agent.close();
  if (isBusy) screen.line(formatReport(report));
}

/** One prompt without a conversation; returns the exit code. */
export async function runOnce(world: World, prompt: string): Promise<number> {
  const screen = new ScreenDisplay((text) => process.stdout.write(text));
  const session = new Session({ ...world, display: screen });
  await using _terminal = watchTerminal(session.agent);
  const report = await session.prompt(prompt);
  await end(session, screen);
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
