/** Several watchers of one keyboard, also of two copies of the package: one owner, one gate, one stop a press. */
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

import { openTerminal, type Screen } from './support/terminal-pty.ts';

const FIXTURE = fileURLToPath(new URL('support/terminal-copies.ts', import.meta.url));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let screen: Screen;

/** What a key is answered with. */
async function after(keys: string, pattern: RegExp): Promise<void> {
  const from = screen.text().length;
  screen.type(keys);
  await screen.shows(pattern, from);
}

describe('several watchers of one terminal', () => {
  afterEach(async () => {
    await screen.close();
  });

  it('S29 stop one agent at a press, whichever copy watches it, and give the terminal back with the last', async () => {
    screen = await openTerminal('', { FIXTURE, ESCDELAY: '30' });
    await screen.shows(/<ready>/);
    await after('a', /<a: a>/);
    await after('\x1b', /<cancel a>/); // the oldest, for nothing else runs
    await pause(600);
    await after('a', /<a: a>/);
    await after('b', /<b: ab>/);
    await after('c', /<c: abc>/);
    // The newest that is busy, one after the other; a press in the moment after an end would be swallowed.
    await after('\x1b', /<cancel c>/);
    await pause(600);
    await after('\x1b', /<cancel b>/);
    await after('s', /<s: a>/);
    expect(screen.text()).not.toContain('<kill');
    await after('b', /<b: ab>/);
    await after('g', /<g: ab>/);
    screen.type('\x1b'); // a prompt's, also for the other copy
    await pause(100);
    await after('g', /<g: ab>/);
    await pause(600);
    await after('\x1b', /<cancel b>/);
    await after('b', /<b: ab>/);
    await after('p', /<asks>/); // a program's terminal, whichever copy has started it
    await after('\x1bhello\r', /<read \x1bhello>/);
    await screen.shows(/<ended 0>/);
    await after('\x1b', /<cancel b>/);
    await after('q', /<exit 0>/);
    expect(screen.text().match(/<cancel/g)).toHaveLength(5);
    const { before, after: found, stderr } = await screen.finish();
    expect({ found, stderr }).toEqual({ found: before, stderr: '' });
  });
});
