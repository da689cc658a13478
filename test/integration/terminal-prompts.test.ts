/** The prompts that people use, lent the terminal and beside it: whose ESC is it, and who reads afterwards. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { openTerminal, type Screen } from './support/terminal-pty.ts';

const FIXTURE = fileURLToPath(new URL('support/terminal-prompts.ts', import.meta.url));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function openPrompt(library: string, gated: '0' | '1', env: Readonly<Record<string, string>>): Promise<Screen> {
  const screen = await openTerminal('', { FIXTURE, LIBRARY: library, GATED: gated, ESCDELAY: '30', ...env });
  await screen.shows(/<ready>/);
  await screen.answered('p', /Which\?/);
  await pause(300); // it has shown itself, and now begins to read
  return screen;
}

/** Runs `body` with the prompt open, then ends the program: the terminal must be as it was. */
async function withPrompt(
  library: string,
  gated: '0' | '1',
  body: (screen: Screen) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const screen = await openPrompt(library, gated, env);
  try {
    await body(screen);
    await screen.answered('q', /<exit 0>/);
    const { before, after } = await screen.finish();
    expect(after).toBe(before);
  } finally {
    await screen.close();
  }
}

/** Ink takes what comes in one piece for a paste: each key is shown before the next. */
async function typeSlowly(screen: Screen, text: string): Promise<void> {
  for (const key of text) await screen.answered(key, new RegExp(`${key}[^]*`));
  await pause(30);
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
        await typeSlowly(screen, 'yes');
        await screen.answered('\r', /<answer yes>/);
        await screen.answered('p', /Which\?/);
        await pause(150);
        screen.type('\x1b');
        await pause(READLINE_MS);
        expect(screen.text()).not.toContain('<cancel>');
        screen.type('\r');
        await screen.shows(/<answer none>/);
        await screen.answered('s', /<raw>/);
        await screen.answered('\x1b', /<cancel>/);
      });
    },
  );

  it.each(libraries)('S29 of %s beside the watcher leaves ESC to the agent, and is followed by it', async (library) => {
    await withPrompt(library, '0', async (screen) => {
      await screen.answered('\x1b', /<cancel>/);
      await pause(READLINE_MS);
      screen.type('\r');
      await screen.shows(/<answer none>/);
      await screen.answered('s', /<raw>/);
    });
  });
});

/** How often the agent was told something by now. */
const told = (screen: Screen): number => [...screen.text().matchAll(/<(?:cancel|kill)>/g)].length;

describe.concurrent('a key at its moment', () => {
  it.each(libraries)(
    'at a question of %s ESC is the stop with cancel-turn, once, and the prompt rejects',
    async (library) => {
      const body = async (screen: Screen): Promise<void> => {
        await screen.answered('a\x1bb\x1bc', /a/); // a paste that has ESC in it is text
        await pause(READLINE_MS);
        expect(told(screen)).toBe(0);
        await screen.answered('\x1b', /<answer <stopped>>/);
        expect(told(screen)).toBe(1);
        await pause(READLINE_MS); // in which readline takes the next key for Alt with it
        await screen.answered('p', /Which\?/);
        await pause(300);
        await typeSlowly(screen, 'yes');
        await screen.answered('\r', /<answer yes>/); // and an answer is one
        await screen.answered('\x1b', /<cancel>/);
        expect(told(screen)).toBe(2);
      };
      await withPrompt(library, '1', body, { ESCAPE: 'cancel-turn' });
    },
  );

  it.each(libraries)(
    'before a question of %s ESC is for the run, though it is decided when that could be open',
    async (library) => {
      await withPrompt(library, '1', async (screen) => {
        await typeSlowly(screen, 'yes');
        await screen.answered('\r', /<answer yes>/);
        await screen.answered('s', /<raw>/);
        await screen.answered('o', /<armed>/);
        await screen.answered('\x1b', /<cancel>[^]*Which\?/);
        await pause(300);
        await typeSlowly(screen, 'no');
        await screen.answered('\r', /<answer no>/);
        expect(told(screen)).toBe(1);
      });
    },
  );

  it.each(libraries)('an answer of %s that a stop has made is none', async (library) => {
    const body = async (screen: Screen): Promise<void> => {
      await screen.shows(/<answer <stopped>>/);
      await screen.answered('s', /<(?:raw|cooked)>/);
      expect(told(screen)).toBe(0);
    };
    await withPrompt(library, '1', body, { STOP_MS: '700' });
  });
});

/** What a person presses, and what the agent is told while no prompt has the keyboard. */
const presses: readonly (readonly [keys: readonly string[], told: readonly string[]])[] = [
  [['\x1b'], ['<cancel>']],
  [['\x03'], ['<cancel>']],
  [
    ['\x1b', '\x1b'],
    ['<cancel>', '<kill>'],
  ],
  [['a\x1bb\x1bc'], []], // a paste
];

const toldFrom = (screen: Screen, from: number): string[] =>
  screen
    .text()
    .slice(from)
    .match(/<(?:cancel|kill)>/g) ?? [];

/** Each press, and nothing else, is for the agent; none of it is left for a later prompt. */
async function expectAgentsKeys(screen: Screen): Promise<void> {
  for (const [keys, expected] of presses) {
    const from = screen.text().length;
    for (const [at, key] of keys.entries()) {
      screen.type(key);
      if (expected[at] !== undefined) await screen.shows(new RegExp(expected.slice(0, at + 1).join('[^]*')), from);
    }
    await pause(150);
    expect(toldFrom(screen, from)).toEqual(expected);
    await screen.answered('t', /<typed \d+>/);
    await screen.answered('r', /<running>/);
  }
}

describe.concurrent('a key, a pair and a paste', () => {
  const every = [...libraries, 'a line editor of its own'];

  it.each(every)('before and after a question of %s are for the agent, each once', async (library) => {
    const body = async (screen: Screen): Promise<void> => {
      await typeSlowly(screen, 'yes');
      await screen.answered('\r', /<answer yes>/);
      await expectAgentsKeys(screen); // after this one, and before the next
      await screen.answered('p', /Which\?/);
      await pause(300);
      await typeSlowly(screen, 'no');
      await screen.answered('\r', /<answer no>/);
      await expectAgentsKeys(screen);
    };
    await withPrompt(library, '1', body, { PAIRS: '1' });
  });

  it.each(every)('at a question of %s are its own, and the agent is told nothing', async (library) => {
    const body = async (screen: Screen): Promise<void> => {
      let from = screen.text().length;
      const hasEnded = (): boolean => screen.text().slice(from).includes('<answer');
      for (const [keys] of presses) {
        // It closes its readline twice, and so ends the program, also alone.
        if (library === 'enquirer' && keys.includes('\x03')) continue;
        for (const key of keys) {
          if (hasEnded()) break; // what comes then is not at a question any more
          screen.type(key);
          await pause(READLINE_MS);
        }
        // Whether it ends the prompt is the library's affair.
        if (!hasEnded()) await screen.answered('\r', /<answer/);
        await screen.answered('s', /<raw>/);
        expect(toldFrom(screen, from)).toEqual([]);
        from = screen.text().length;
        await screen.answered('p', /Which\?/);
        await pause(300);
      }
      await typeSlowly(screen, 'yes');
      await screen.answered('\r', /<answer yes>/);
    };
    await withPrompt(library, '1', body, { PAIRS: '1' });
  });
});
