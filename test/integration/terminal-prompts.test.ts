/** The prompts that people use, lent the terminal and beside it: whose ESC is it, and who reads afterwards. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { openTerminal, type Screen } from './support/terminal-pty.ts';

const FIXTURE = fileURLToPath(new URL('support/terminal-prompts.ts', import.meta.url));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function answered(screen: Screen, keys: string, pattern: RegExp): Promise<void> {
  const from = screen.text().length;
  screen.type(keys);
  await screen.shows(pattern, from);
}

async function openPrompt(library: string, gated: '0' | '1'): Promise<Screen> {
  const screen = await openTerminal('', { FIXTURE, LIBRARY: library, GATED: gated, ESCDELAY: '30' });
  await screen.shows(/<ready>/);
  await answered(screen, 'p', /Which\?/);
  await pause(300); // it has shown itself, and now begins to read
  return screen;
}

/** Runs `body` with the prompt open, then ends the program: the terminal must be as it was. */
async function withPrompt(library: string, gated: '0' | '1', body: (screen: Screen) => Promise<void>): Promise<void> {
  const screen = await openPrompt(library, gated);
  try {
    await body(screen);
    await answered(screen, 'q', /<exit 0>/);
    const { before, after } = await screen.finish();
    expect(after).toBe(before);
  } finally {
    await screen.close();
  }
}

/** readline waits half a second for the rest of an ESC. */
const READLINE_MS = 700;

const libraries = ['readline', '@inquirer/prompts', 'prompts', 'enquirer', '@clack/prompts', 'ink'];

// Nothing in it is timed, and each spends its time waiting: they may run beside each other.
describe.concurrent('S29 a prompt', () => {
  it.each(libraries)(
    'S29 of %s that was lent the terminal keeps its ESC, answers, and gives the keyboard back',
    async (library) => {
      await withPrompt(library, '1', async (screen) => {
        for (const key of 'yes') {
          screen.type(key);
          await pause(10);
        }
        await answered(screen, '\r', /<answer yes>/);
        await answered(screen, 'p', /Which\?/);
        await pause(150);
        screen.type('\x1b');
        await pause(READLINE_MS);
        expect(screen.text()).not.toContain('<cancel>');
        screen.type('\r');
        await screen.shows(/<answer none>/);
        await answered(screen, 's', /<raw>/);
        await answered(screen, '\x1b', /<cancel>/);
      });
    },
  );

  it.each(libraries)('S29 of %s beside the watcher leaves ESC to the agent, and is followed by it', async (library) => {
    await withPrompt(library, '0', async (screen) => {
      await answered(screen, '\x1b', /<cancel>/);
      await pause(READLINE_MS);
      screen.type('\r');
      await screen.shows(/<answer none>/);
      await answered(screen, 's', /<raw>/);
    });
  });
});
