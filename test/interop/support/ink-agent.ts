/**
 * An agent drawn with a real Ink, alone in a process: `INK` names the package and `MAJOR` the folder that has it.
 * Keys: r runs a turn, o opens a list, p a prompt and v hands the terminal to a program; a dot among what it saw says that
 * it has the terminal back. ESC belongs to the door.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { inkInterrupts } from '../../../src/adapters/ink/index.ts';
import { delay, InterruptController } from '../../../src/index.ts';
import { majors } from '../majors.ts';

type React = typeof import('react');
type Ink = typeof import('ink');

const major = majors.find(({ name }) => name === process.env['MAJOR']);
if (major === undefined) throw new Error('MAJOR is not set');
const { default: react } = await major.load<{ default: React }>('react');
const ink = await major.load<Ink>(process.env['INK'] ?? 'ink');
const { createElement: h, useState } = react;
const { Box, Text } = ink;
const { InterruptProvider, useInterrupt, useKey, usePrompt, useHandOver, StatusLine } = inkInterrupts({ react, ink });

const agent = new InterruptController({ name: 'Ada' });

function run(): void {
  void agent.runTurn(({ token }) => delay(token, 60_000));
}

function Chat() {
  const [isListOpen, setListOpen] = useState(false);
  const [isPromptOpen, setPromptOpen] = useState(false);
  const [rewinds, setRewinds] = useState(0);
  const [refusal, setRefusal] = useState('');
  const [seen, setSeen] = useState('');
  const interrupt = useInterrupt(agent, {
    onIdleDoubleEscape: () => {
      setRewinds((count) => count + 1);
    },
  });
  const handOver = useHandOver();
  useKey(
    (event) => {
      if (event.type !== 'key' || event.name !== 'escape') return false;
      setListOpen(false);
      return true;
    },
    { isActive: isListOpen },
  );
  usePrompt(isPromptOpen);
  ink.useInput((input, key) => {
    setSeen((before) => before + (key.upArrow ? '^' : input));
    if (input === 'r') run();
    if (input === 'o') setListOpen(true);
    if (input === 'p') setPromptOpen((open) => !open);
    if (input === 'v') {
      void handOver(async () => {
        await once(spawn('sh', ['-c', 'echo "<child>"; read line; echo "<read>"'], { stdio: 'inherit' }), 'exit');
      }).then(
        () => {
          setSeen((before) => `${before}.`);
        },
        (error: unknown) => {
          setRefusal(String(error));
        },
      );
    }
  });
  const facts = [agent.state, isListOpen ? 'list' : '-', isPromptOpen ? 'prompt' : '-', `rewinds=${String(rewinds)}`];
  return h(
    Box,
    { flexDirection: 'column' },
    h(Text, null, `[${facts.join(' ')}] saw=${seen}`),
    interrupt.receipt === '' ? null : h(Text, null, interrupt.receipt),
    refusal === '' ? null : h(Text, null, refusal),
    h(StatusLine, { of: interrupt, dimColor: true }),
  );
}

const app = ink.render(h(InterruptProvider, null, h(Chat)), { exitOnCtrlC: false });
await app.waitUntilExit();
