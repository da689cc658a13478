/**
 * One prompt of one library beside a watched terminal, as `node terminal-prompts.ts` with `LIBRARY` and `GATED`.
 * `p` opens it, and after `o` the next ESC byte does; the answer, and what the keyboard did to the agent, are lines of their own. `ESCAPE`
 * is the option of the prompt; it is stopped after `STOP_MS`. With `PAIRS` two keys are a pair, and `r` has the agent run again.
 */
import { createInterface } from 'node:readline/promises';
import type { ReactElement } from 'react';

import { isCancelledError } from '../../../src/core/foundation/errors.ts';
import { CancellationTokenSource } from '../../../src/index.ts';
import { watchTerminal } from '../../../src/adapters/terminal/index.ts';
import type { TerminalController } from '../../../src/adapters/internal/presses/press-target.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const ASKED = 'Which?';

type Ask = (signal: AbortSignal) => Promise<unknown>;

/**
 * Each asks for a text, and is loaded if it is the one: to load all takes longer than what a test does with one. What a library does with
 * ESC is its own affair: it ends the prompt, or nothing happens.
 */
const libraries: Readonly<Record<string, () => Promise<Ask>>> = {
  readline: async () => async (signal) => {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await lines.question(`${ASKED} `, { signal });
    } finally {
      lines.close();
    }
  },
  '@inquirer/prompts': async () => {
    const { input } = await import('@inquirer/prompts');
    return (signal) => input({ message: ASKED }, { signal });
  },
  prompts: async () => {
    // @ts-expect-error it has no types of its own
    const { default: prompts } = (await import('prompts')) as {
      readonly default: (question: object) => Promise<{ readonly text?: unknown }>;
    };
    return async () => (await prompts({ type: 'text', name: 'text', message: ASKED })).text;
  },
  enquirer: async () => {
    const { default: enquirer } = await import('enquirer');
    return async () =>
      (await enquirer.prompt<{ text?: unknown }>({ type: 'input', name: 'text', message: ASKED })).text;
  },
  '@clack/prompts': async () => {
    const { text } = await import('@clack/prompts');
    return (signal) => text({ message: ASKED, signal });
  },
  ink: async () => {
    const { Box, render, Text, useApp, useInput } = await import('ink');
    const { createElement, useState } = await import('react');
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
    return async () => {
      let answer = '';
      const done = (text: string): void => {
        answer = text;
      };
      await render(createElement(InkPrompt, { done })).waitUntilExit();
      return answer;
    };
  },
  'a line editor of its own': async () => () =>
    new Promise((resolve) => {
      const { stdin, stdout } = process;
      let typed = '';
      stdin.setRawMode(true);
      stdout.write(`${ASKED} `);
      const end = (answer: string): void => {
        stdin.off('data', read);
        stdin.pause();
        stdin.setRawMode(false);
        stdout.write('\r\n');
        resolve(answer);
      };
      const read = (chunk: Buffer | string): void => {
        const text = chunk.toString();
        if (text === '\x1b' || text === '\x03') end('');
        else if (text.endsWith('\r')) end(typed + text.slice(0, -1));
        else {
          typed += text;
          stdout.write(text);
        }
      };
      stdin.on('data', read);
      stdin.resume();
    }),
};

const arePairs = process.env['PAIRS'] !== undefined;
const agent = {
  state: 'running' as TerminalController['state'],
  cancel(): void {
    say('<cancel>');
    if (arePairs) this.state = 'cancelling';
  },
  kill(): void {
    say('<kill>');
    if (arePairs) this.state = 'killing';
  },
};
// Of two presses nobody knows how far a busy machine takes them apart.
const terminal = watchTerminal(agent, { doubleMs: arePairs ? 5000 : 0 });
const ask = await libraries[process.env['LIBRARY'] ?? '']?.();
if (ask === undefined) throw new Error('LIBRARY names no library');
setInterval(() => undefined, 1000);

const { ESCAPE: escape = 'prompt', STOP_MS: stopMs } = process.env;

async function open(): Promise<void> {
  const stop = new CancellationTokenSource();
  if (stopMs !== undefined) setTimeout(() => stop.cancel('user'), Number(stopMs));
  let answer: unknown;
  try {
    answer =
      process.env['GATED'] === '1'
        ? await terminal.prompt(({ signal }) => (ask as Ask)(signal), {
            token: stop.token,
            escape: escape as 'prompt',
          })
        : await ask?.(stop.token.signal);
  } catch (error) {
    answer = isCancelledError(error) ? '<stopped>' : undefined; // ESC ended it
  }
  say(`<answer ${typeof answer === 'string' && answer !== '' ? answer : 'none'}>`);
}

/** As soon as the byte is there, and before anybody can know what it is. */
function openAtEscape(chunk: Buffer | string): void {
  if (!chunk.toString().includes('\x1b')) return; // a string where Ink has read before
  process.stdin.off('data', openAtEscape);
  void open();
}

terminal.handle((event) => {
  if (event.type !== 'key') return false;
  if (event.name === 'p' && !terminal.gate.isWaitingInput) void open();
  else if (event.name === 'o') {
    process.stdin.on('data', openAtEscape);
    say('<armed>');
  } else if (event.name === 't') say(`<typed ${String(terminal.takeTypeAhead().length)}>`);
  else if (event.name === 'r') {
    agent.state = 'running';
    say('<running>');
  } else if (event.name === 's') say(process.stdin.isRaw ? '<raw>' : '<cooked>');
  else if (event.name === 'q') process.exit(0);
  else return false;
  return true;
});
say('<ready>');
