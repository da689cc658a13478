/** The same conversation, drawn with Ink: `--ui ink`. */
import { interruptedLine } from 'desist';
import { inkInterrupts } from 'desist/ink';
import * as ink from 'ink';
import react from 'react';
import { ScreenDisplay } from './display.ts';
import type { Options } from './options.ts';
import { formatReport } from './report.ts';
import { Session } from './session.ts';
import type { Question } from './tools.ts';
import type { World } from './world.ts';

const { InterruptProvider, useInterrupt, useKey, StatusLine } = inkInterrupts({ react, ink });
const { createElement: h, useRef, useState, useSyncExternalStore } = react;

/** What is on the screen: finished lines, the one that is being written, the question that waits. */
class Page {
  lines: readonly string[] = [];
  last = '';
  question: Question | undefined;
  #version = 0;
  readonly #listeners = new Set<() => void>();

  readonly write = (text: string): void => {
    const parts = (this.last + text).split('\n');
    this.last = parts.pop() ?? '';
    this.lines = [...this.lines, ...parts];
    this.changed();
  };
  readonly ask = (question: Question | undefined): void => {
    this.question = question;
    this.changed();
  };
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly version = (): number => this.#version;

  changed(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }
}

interface ChatProps {
  readonly page: Page;
  readonly session: Session;
  readonly escape: Options['escape'];
  readonly submit: (line: string) => void;
  readonly leave: (code: number) => void;
}

function Chat({ page, session, escape, submit, leave }: ChatProps): react.ReactElement {
  useSyncExternalStore(page.subscribe, page.version);
  const [line, draw] = useState('');
  const typed = useRef({ line: '', sent: '' });
  // Several keys may come before the next drawing: what is drawn is not what was typed last.
  const setLine = (text: string): void => {
    typed.current.line = text;
    draw(text);
  };
  const interrupt = useInterrupt(session.agent, {
    escape,
    onLeave: leave,
    onIdleDoubleEscape: () => {
      setLine(typed.current.sent);
    },
  });
  const { question } = page;
  useKey(
    (event) => {
      if (event.type !== 'key' || !/^[yn]$/.test(event.text)) return false;
      question?.respond(event.text === 'y');
      page.ask(undefined);
      return true;
    },
    { isActive: question !== undefined },
  );
  // Below the stop: an ESC that nobody took is no text either.
  useKey(
    (event) => {
      const { line: before } = typed.current;
      if (event.type === 'paste') setLine(before + event.text);
      else if (event.type !== 'key') return false;
      else if (event.name === 'backspace') setLine([...before].slice(0, -1).join(''));
      else if (event.name === 'enter') {
        typed.current.sent = before;
        setLine('');
        submit(before);
      } else setLine(before + event.text);
      return true;
    },
    { priority: -50, isActive: question === undefined },
  );
  return h(
    ink.Box,
    { flexDirection: 'column' },
    h(ink.Static<string>, {
      items: [...page.lines],
      children: (text, at) => h(ink.Text, { key: at }, text),
    }),
    page.last === '' ? null : h(ink.Text, null, page.last),
    question === undefined ? h(ink.Text, null, `> ${line}`) : h(ink.Text, null, `${question.text} [y/n]`),
    h(StatusLine, { of: interrupt, dimColor: true }),
  );
}

/** Talks until the person leaves; returns the exit code. */
export async function talkInk(world: World, { escape }: Options): Promise<number> {
  const page = new Page();
  const screen = new ScreenDisplay(page.write);
  const session = new Session({
    ...world,
    display: screen,
    approve: (question) => {
      page.ask(question);
      question.signal.addEventListener('abort', () => {
        page.ask(undefined);
      });
    },
  });
  session.agent.onEvent((event) => {
    if (event.agent !== 'main') return;
    if (event.type === 'interrupt-requested' && event.kind !== 'interjection') screen.mute(true);
    if (event.type === 'turn-started') screen.mute(false);
  });
  let leave: (code: number) => void = () => undefined;
  const left = new Promise<number>((resolve) => (leave = resolve));

  async function answer(line: string): Promise<void> {
    screen.line(`> ${line}`);
    if (session.agent.state !== 'idle') {
      session.tell(line, { delivery: 'now' });
      return;
    }
    const report = await session.prompt(line);
    if (report.stop !== undefined) screen.line(`${formatReport(report.stop)}\n${interruptedLine(session.agent.name)}`);
    else screen.line(report.status === 'failed' ? `the turn failed: ${String(report.error)}` : '');
  }

  const submit = (line: string): void => {
    if (line.trim() !== '') void answer(line);
    else if (session.agent.state === 'idle') leave(0);
  };
  const chat = h(Chat, { page, session, escape, submit, leave });
  const app = ink.render(h(InterruptProvider, null, chat), { exitOnCtrlC: false });
  const code = await left;
  await session.agent.close();
  app.unmount();
  return code;
}
