/**
 * An agent in a window: says over a socket what the person's keys did to it, and does what it is told.
 * Started as `node window-agent.ts <socket> [terminal] [hotkey]`.
 */
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';

import { hostFocus } from '../../../src/adapters/global-hotkey/focus-probe.ts';
import { watchGlobalHotkey } from '../../../src/adapters/global-hotkey/index.ts';
import { watchTerminal } from '../../../src/adapters/terminal/index.ts';
import type { TerminalController } from '../../../src/adapters/internal/presses/press-target.ts';

const [, , path = '', ...parts] = process.argv;
const socket = createConnection(path);
const say = (line: string): void => {
  socket.write(`${line}\n`);
};

const agent = {
  state: 'running' as TerminalController['state'],
  cancel(): void {
    this.state = 'cancelling';
    say('cancel');
  },
  kill(): void {
    this.state = 'killing';
    say('kill');
  },
};

const terminal = parts.includes('terminal') ? watchTerminal(agent) : undefined;
/** Says when it is asked: a press was heard, and is being judged. */
const gate = {
  isOpen: false,
  get isWaitingInput(): boolean {
    if (this.isOpen) say('gate');
    return this.isOpen;
  },
};
const probe = hostFocus(process.platform);
const focusProbe = async (): Promise<boolean | undefined> => {
  const isInFront = await probe();
  say(`focus ${String(isInFront)}`);
  return isInFront;
};
const hotkey = parts.includes('hotkey') ? watchGlobalHotkey(agent, { gate, focusProbe }) : undefined;

async function ask(): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stdout, escapeCodeTimeout: 20 });
  await new Promise((resolve) => lines.question('? ', resolve));
  lines.close();
}

const commands: Readonly<Record<string, () => void | Promise<void>>> = {
  run: () => {
    agent.state = 'running';
    say('running');
  },
  /** Until Return, in a terminal; else until it is told. */
  prompt: async () => {
    gate.isOpen = true;
    const asked = terminal?.prompt(ask);
    say('asking');
    await asked;
    if (asked !== undefined) void commands['answer']?.();
  },
  answer: () => {
    gate.isOpen = false;
    say('answered');
  },
  stop: async () => {
    await Promise.all([hotkey?.stop(), hotkey?.stop()]);
    say('stopped');
  },
};

createInterface({ input: socket }).on('line', (line) => void commands[line]?.());
await once(socket, 'connect');
say(`ready ${(await hotkey?.ready) ?? 'without'} ${hotkey?.unavailable?.reason ?? ''}`.trim());

// A process that was replaced tells nobody: one has to look.
let wasWatching = true;
setInterval(() => {
  const isWatching = hotkey?.state === 'watching';
  if (isWatching && !wasWatching) say('watching');
  wasWatching = isWatching;
}, 20).unref();
