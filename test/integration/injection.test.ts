import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { PRIORITY_INSTRUCTION } from '../../src/index.ts';
import { startModelServer, type ModelServer } from '../../src/testing/index.ts';
import { emulate, feed, textOf } from '../adapters/terminal/output/emulated-screen.ts';
import { openTerminal, type Screen } from './support/terminal-pty.ts';

const fixture = fileURLToPath(new URL('support/injection-agent.ts', import.meta.url));
const words = Array.from({ length: 40 }, (_, index) => `w${String(index)}`).join(' ');

let server: ModelServer;
let screen: Screen;

beforeEach(async () => {
  server = await startModelServer({
    script: [{ text: words, chunkMs: 40, toolCalls: [{ name: 'install', input: {} }] }, { text: 'Understood.' }],
  });
  screen = await openTerminal('injection', { FIXTURE: fixture, MODEL_URL: server.url, ESCDELAY: '20' });
  await screen.shows(/w3 /);
});

afterEach(async () => {
  await screen.close();
  await server.close();
});

/** What a person sees, row by row. */
async function seen(): Promise<string> {
  const terminal = emulate(100, 30);
  await feed(terminal, screen.text());
  const text = textOf(terminal);
  terminal.dispose();
  return text;
}

/** Whatever breaks its rows: the terminal, or the line in between. */
function unbroken(text: string): string {
  return text.replace(/\s+/g, '');
}

describe('S30 in a pseudo-terminal', () => {
  it('S30 a line typed while the model streams is in its next request, and the output goes on unharmed', async () => {
    screen.type('`');
    await screen.shows(/inject> /);
    screen.type('\x1b[200~use pnpm,\nnot npm\x1b[201~');
    await screen.shows(/use pnpm,⏎not npm/);
    expect(await seen()).toMatch(/w3.*\ninject> use pnpm,⏎not npm$/);
    screen.type('\r');
    await screen.shows(/<completed>/);

    const [first, second] = server.requests.map(({ body }) => body as { system: unknown; messages: unknown });
    expect([first?.system, second?.system]).toEqual([PRIORITY_INSTRUCTION, PRIORITY_INSTRUCTION]);
    expect(JSON.stringify(first?.messages)).not.toContain('PRIORITY');
    expect(second?.messages).toContainEqual({ role: 'user', content: '[PRIORITY USER MESSAGE]: use pnpm,\nnot npm' });
    const text = await seen();
    expect(text.match(/<delivered>/g)).toHaveLength(1);
    expect(unbroken(text.replace(/inject> .*/, ''))).toContain(unbroken(words));
    expect(text).toContain('inject> use pnpm,⏎not npm');
    expect((await screen.finish()).stderr).toBe('');
  });

  it('S30 a window whose size changes all the time takes no key and no text', async () => {
    screen.type('`');
    await screen.shows(/inject> /);
    for (const [at, key] of [...'use pnpm, and not npm'].entries()) {
      for (let times = 0; times < 10; times++) screen.resize(20 + ((at * 37 + times * 11) % 100), 5 + (times % 20));
      screen.type(key);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    screen.resize(100, 30);
    screen.type('\r');
    await screen.shows(/<completed>/);
    const { messages } = server.requests[1]?.body as { messages: unknown };
    expect(messages).toContainEqual({ role: 'user', content: '[PRIORITY USER MESSAGE]: use pnpm, and not npm' });
    expect((await screen.finish()).stderr).toBe('');
  });

  it('S30 an ESC closes the line and cancels nothing', async () => {
    screen.type('`never mind');
    await screen.shows(/never mind/);
    screen.type('\x1b');
    await screen.shows(/<completed>/);
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain('never mind');
    const text = await seen();
    expect(unbroken(text)).toContain(unbroken(words));
    expect(text).not.toContain('inject>');
  });
});

describe('S29 after a cancel', () => {
  it('S29 not one byte of the model reaches the screen once the cancel was said', async () => {
    screen.type('\x1b');
    await screen.shows(/<exit 0>/);
    const text = await seen();
    expect(text.slice(text.indexOf('Interrupted.'))).toMatch(
      /^Interrupted\. Tell Ada what to do instead\.\n<cancelled>\n<exit 0>$/,
    );
  });
});
