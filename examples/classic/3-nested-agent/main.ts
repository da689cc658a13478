/** A coding agent drawn with Ink: ESC dismisses the completions, else stops the agent, else – twice – rewinds. */
import { appendFileSync } from 'node:fs';
import { InterruptController, interruptedNote, type TurnReport } from 'desist';
import { inkInterrupts } from 'desist/ink';
import { Conversation } from 'desist/transcript';
import { anthropic } from 'desist/transcript/anthropic';
import * as ink from 'ink';
import react from 'react';
import { Crew, type Message } from './agents.ts';
import { openModel } from './model.ts';
import { Page } from './page.ts';

if (!process.stdin.isTTY || !process.stdout.isTTY) {
  process.stderr.write('a conversation needs a terminal\n');
  process.exit(2);
}

const commands = ['/background <task>', '/stop <sub-agent>'];
const { client, name: model, close } = await openModel(process.env);
const page = new Page();
const agent = new InterruptController({ name: 'Ada', graceMs: 300 });
const helper = new InterruptController({ name: 'helper' });
const crew = new Crew({ client, model, write: page.write, idleMs: Number(process.env['IDLE_MS']) || 30_000 });

const chat = new Conversation<Message>(anthropic);
/** What the person said, and what became of it. */
const prompts: { readonly text: string; readonly report: TurnReport<string> }[] = [];
/** Whether the work of the turn has heard of its stop. */
let isStopHeard = false;

agent.onEvent((event) => {
  // Synchronously, before any work hears of it.
  if (event.type === 'interrupt-requested' && event.agent === 'Ada' && event.kind !== 'interjection')
    page.line(event.kind === 'kill' ? '' : 'Stopping…');
  const log = process.env['EVENTS'];
  if (log === undefined) return;
  const { interrupted, wasInterrupted, interruption } = agent;
  const now = { interrupted, wasInterrupted, interruption, isStopHeard };
  appendFileSync(log, `${JSON.stringify({ ...event, now })}\n`);
});

/** The last message is back in the input, and its turn is gone from the conversation. */
function rewind(): void {
  const last = prompts.pop();
  if (last === undefined) return;
  chat.drop(last.report);
  page.line('Rewound to your last message.');
  page.type(last.text);
}

async function ask(text: string): Promise<void> {
  // Said to the model once.
  const stopped = agent.consumeWasInterrupted();
  const prompt = stopped === undefined ? text : `${interruptedNote(stopped)}\n${text}`;
  const report = await chat.runTurn(agent, prompt, (turn) => {
    isStopHeard = false;
    turn.token.onCancelled(() => {
      isStopHeard = true;
    });
    return crew.loop('main', turn);
  });
  prompts.push({ text, report });
  if (report.status === 'failed') page.line(`The turn failed: ${String(report.error)}`);
  // What no model call has seen comes back.
  if (report.undelivered.length > 0) page.type(report.undelivered.map(({ message }) => message).join(' '));
}

/** Another agent on the same client; no stop of the first one is meant for it. */
async function runBeside(task: string): Promise<void> {
  const own = new Conversation<Message>(anthropic);
  const { status } = await own.runTurn(helper, task, (turn) => crew.loop('helper', turn), { whenBusy: 'queue' });
  page.line(`The helper's task: ${status}.`);
}

function submit(line: string): void {
  const [, command, rest = ''] = /^\/(\w+) (.*)$/.exec(line) ?? [];
  page.line(`> ${line}`);
  if (command === 'background') void runBeside(rest);
  else if (command === 'stop') crew.working.get(rest)?.cancel({ kind: 'user', message: 'Stopped by name' });
  else if (agent.state === 'idle') void ask(line);
  else agent.interject(line, { delivery: 'now' });
}

const { InterruptProvider, useInterrupt, useKey, StatusLine } = inkInterrupts({ react, ink });
const { createElement: h, useState, useSyncExternalStore } = react;

function Chat({ leave }: { readonly leave: () => void }): react.ReactElement {
  useSyncExternalStore(page.subscribe, page.version);
  const [isDismissed, setDismissed] = useState(false);
  const interrupt = useInterrupt(agent, { onIdleDoubleEscape: rewind, onLeave: leave });
  const isOpen = page.input.startsWith('/') && !isDismissed;
  // Above the stop, which stands at 0.
  useKey(
    (event) => {
      if (event.type !== 'key' || event.name !== 'escape') return false;
      setDismissed(true);
      return true;
    },
    { priority: 50, isActive: isOpen },
  );
  // Below it.
  useKey(
    (event) => {
      const { input } = page;
      if (event.type === 'paste') page.type(input + event.text);
      else if (event.type !== 'key' || event.name === 'escape') return false;
      else if (event.name === 'backspace')
        page.type(input.slice(0, [...new Intl.Segmenter().segment(input)].at(-1)?.index ?? 0));
      else if (event.name !== 'enter') page.type(input + event.text);
      else {
        page.type('');
        setDismissed(false);
        if (input.trim() !== '') submit(input);
        else if (agent.state === 'idle') leave();
      }
      return true;
    },
    { priority: -50 },
  );
  const text = (key: string, shown: string): react.ReactElement => h(ink.Text, { key }, shown);
  return h(
    ink.Box,
    { flexDirection: 'column' },
    h(ink.Static<string>, { items: [...page.lines], children: (line, at) => text(String(at), line) }),
    page.last === '' ? null : text('last', page.last),
    text('input', `> ${page.input}`),
    isOpen ? text('completions', commands.join('\n')) : null,
    h(StatusLine, { of: interrupt, dimColor: true }),
    agent.state === 'idle' && interrupt.line !== '' ? text('receipt', interrupt.receipt) : null,
  );
}

page.line('ESC stops · ESC ESC while nothing runs rewinds · / for commands · an empty line leaves');
let leave: () => void = () => undefined;
const left = new Promise<void>((resolve) => (leave = resolve));
const app = ink.render(h(InterruptProvider, null, h(Chat, { leave })), { exitOnCtrlC: false });
await left;
await Promise.all([agent.close(), helper.close()]);
app.unmount();
await close();
