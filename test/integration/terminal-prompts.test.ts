/** The prompts that people use, lent the terminal and beside it: whose ESC is it, and who reads afterwards. */
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

import { openTerminal, type Screen } from './support/terminal-pty.ts';

const FIXTURE = fileURLToPath(new URL('support/terminal-prompts.ts', import.meta.url));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let screen: Screen;

async function answered(keys: string, pattern: RegExp): Promise<void> {
  const from = screen.text().length;
  screen.type(keys);
  await screen.shows(pattern, from);
}

async function open(library: string, gated: '0' | '1'): Promise<void> {
  screen = await openTerminal('', { FIXTURE, LIBRARY: library, GATED: gated, ESCDELAY: '30' });
  await screen.shows(/<ready>/);
}

const libraries = ['readline', '@inquirer/prompts', 'prompts', 'enquirer', '@clack/prompts', 'ink'];

describe('S29 a prompt', () => {
  afterEach(async () => {
    await screen.close();
  });

  it.each(libraries)(
    'S29 of %s that was lent the terminal keeps its ESC, answers, and gives the keyboard back',
    async (library) => {
      await open(library, '1');
      await answered('p', /Which\?/);
      await pause(150);
      await answered('yes\r', /<answer yes>/);
      await answered('p', /Which\?/);
      await pause(150);
      screen.type('\x1b');
      await pause(700); // readline waits half a second for the rest of an ESC
      expect(screen.text()).not.toContain('<cancel>');
      screen.type('\r');
      await screen.shows(/<answer none>/);
      await answered('s', /<raw>/);
      await answered('\x1b', /<cancel>/);
      await answered('q', /<exit 0>/);
      const { before, after } = await screen.finish();
      expect(after).toBe(before);
    },
  );

  it.each(libraries)('S29 of %s beside the watcher leaves ESC to the agent', async (library) => {
    await open(library, '0');
    await answered('p', /Which\?/);
    await pause(150);
    await answered('\x1b', /<cancel>/);
    await pause(700);
    screen.type('\r');
    await screen.shows(/<answer none>/);
    await answered('s', /<raw>/);
    await answered('q', /<exit 0>/);
    const { before, after } = await screen.finish();
    expect(after).toBe(before);
  });
});
