/**
 * One prompt of one library beside a watched terminal, as `node terminal-prompts.ts` with `LIBRARY` and `GATED`.
 * `p` opens it; the answer, and what the keyboard did to the agent, are lines of their own.
 */
import * as clack from '@clack/prompts';
import { input } from '@inquirer/prompts';
import enquirer from 'enquirer';
import { Box, render, Text, useApp, useInput } from 'ink';
import { createInterface } from 'node:readline/promises';
// @ts-expect-error it has no types of its own
import prompts from 'prompts';
import { createElement, useState, type ReactElement } from 'react';

import { watchTerminal } from '../../../src/adapters/terminal/index.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const ASKED = 'Which?';

const askPrompts = prompts as unknown as (question: object) => Promise<{ readonly text?: unknown }>;

function InkPrompt({ done }: { readonly done: (answer: string) => void }): ReactElement {
  const [text, setText] = useState('');
  const { exit } = useApp();
  useInput((typed, key) => {
    if (key.return || key.escape) {
      done(key.escape ? '' : text);
      exit();
    } else setText((before) => before + typed);
  });
  return createElement(Box, {}, createElement(Text, {}, `${ASKED} ${text}`));
}

/** Each asks for a text. What a library does with ESC is its own affair: it ends the prompt, or nothing happens. */
const libraries: Readonly<Record<string, () => Promise<unknown>>> = {
  readline: async () => {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await lines.question(`${ASKED} `);
    } finally {
      lines.close();
    }
  },
  '@inquirer/prompts': () => input({ message: ASKED }),
  prompts: async () => (await askPrompts({ type: 'text', name: 'text', message: ASKED })).text,
  enquirer: async () =>
    (await enquirer.prompt<{ text?: unknown }>({ type: 'input', name: 'text', message: ASKED })).text,
  '@clack/prompts': () => clack.text({ message: ASKED }),
  ink: async () => {
    let answer = '';
    const screen = render(
      createElement(InkPrompt, {
        done: (text: string) => {
          answer = text;
        },
      }),
    );
    await screen.waitUntilExit();
    return answer;
  },
};

const agent = {
  state: 'running' as const,
  cancel: () => {
    say('<cancel>');
  },
  kill: () => {
    say('<kill>');
  },
};
const terminal = watchTerminal(agent, { doubleMs: 0 });
const ask = libraries[process.env['LIBRARY'] ?? ''];
if (ask === undefined) throw new Error('LIBRARY names no library');
setInterval(() => undefined, 1000);

async function open(): Promise<void> {
  let answer: unknown;
  try {
    answer = process.env['GATED'] === '1' ? await terminal.prompt(ask as typeof ask & {}) : await ask?.();
  } catch {
    answer = undefined; // ESC ended it
  }
  say(`<answer ${typeof answer === 'string' && answer !== '' ? answer : 'none'}>`);
}

terminal.handle((event) => {
  if (event.type !== 'key') return false;
  if (event.name === 'p' && !terminal.gate.isWaitingInput) void open();
  else if (event.name === 's') say(process.stdin.isRaw ? '<raw>' : '<cooked>');
  else if (event.name === 'q') process.exit(0);
  else return false;
  return true;
});
say('<ready>');
