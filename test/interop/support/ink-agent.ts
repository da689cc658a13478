/**
 * An agent drawn with a real Ink, alone in a process: `INK` names the package and `MAJOR` the folder that has it.
 * Keys: r runs a turn, o opens a list, p a prompt and v hands the terminal to a program; a dot among what it saw says that
 * it has the terminal back. ESC belongs to the door. `PROGRAM` is that program, in the shell's words; with `SAYS` the first
 * line is said as well as drawn, since Ink draws nothing where it takes the screen for none. `HOW` it gets the terminal: with
 * `at once` when it is drawn first, with `run` from `desist/child-process` alone, with `prompt` it is a prompt of a watcher.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';

import { cancellableSpawn } from '../../../src/adapters/child-process/index.ts';
import { inkInterrupts } from '../../../src/adapters/ink/index.ts';
import { watchTerminal } from '../../../src/adapters/terminal/index.ts';
import { delay, InterruptController } from '../../../src/index.ts';
import { majors } from '../majors.ts';

type React = typeof import('react');
type Ink = typeof import('ink');

const major = majors.find(({ name }) => name === process.env['MAJOR']);
if (major === undefined) throw new Error('MAJOR is not set');
const { default: react } = await major.load<{ default: React }>('react');
const ink = await major.load<Ink>(process.env['INK'] ?? 'ink');
const { createElement: h, useEffect, useState } = react;
const { Box, Text } = ink;
const { InterruptProvider, useInterrupt, useKey, usePrompt, useHandOver, StatusLine } = inkInterrupts({ react, ink });

const { SAYS, HOW, PROGRAM = 'echo "<child>"; read line; echo "<read>"' } = process.env;
const agent = new InterruptController({ name: 'Ada' });

function run(): void {
  void agent.runTurn(({ token }) => delay(token, 60_000));
}

const terminal = HOW === 'prompt' ? watchTerminal(agent, { typeAhead: 'discard' }) : undefined;

async function runProgram(): Promise<void> {
  if (HOW === 'run') await cancellableSpawn('sh', ['-c', PROGRAM], { stdio: 'inherit' });
  else if (terminal === undefined) await once(spawn('sh', ['-c', PROGRAM], { stdio: 'inherit' }), 'exit');
  else {
    await terminal.prompt(async () => {
      const lines = createInterface({ input: process.stdin, output: process.stdout });
      process.stdout.write(`<read ${await lines.question('<child>')}>\n`);
      lines.close();
    });
  }
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
      void (HOW === 'run' ? runProgram() : handOver(runProgram)).then(
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
  useEffect(() => {
    if (HOW === 'at once') void handOver(runProgram);
  }, []);
  const line = `[${facts.join(' ')}] saw=${seen}`;
  useEffect(() => {
    if (SAYS !== undefined) process.stdout.write(`${line}\n`);
  }, [line]);
  return h(
    Box,
    { flexDirection: 'column' },
    h(Text, null, line),
    interrupt.receipt === '' ? null : h(Text, null, interrupt.receipt),
    refusal === '' ? null : h(Text, null, refusal),
    h(StatusLine, { of: interrupt, dimColor: true }),
  );
}

const app = ink.render(h(InterruptProvider, null, h(Chat)), { exitOnCtrlC: false });
await app.waitUntilExit();
