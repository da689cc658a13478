/** The door `desist/ink` with the Ink that people have, in a pseudo-terminal: bytes in, screen out. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openTerminal, type Screen } from '../integration/support/terminal-pty.ts';
import { inks } from './support/ink-versions.ts';

const FIXTURE = fileURLToPath(new URL('support/ink-agent.ts', import.meta.url));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let screen: Screen;

/** What is shown after a key. */
function after(keys: string, pattern: RegExp): Promise<RegExpExecArray> {
  const from = screen.text().length;
  screen.type(keys);
  return screen.shows(pattern, from);
}

// One program for each Ink, since its start takes longer than all that is typed: every test begins and ends idle.
describe.each(inks)('a program drawn with $title', ({ MAJOR, INK, hands }) => {
  beforeAll(async () => {
    screen = await openTerminal('', { FIXTURE, MAJOR, INK, ESCDELAY: '200' });
    await screen.shows(/\[idle - - rewinds=0\]/);
  });

  afterAll(async () => {
    await screen.close();
  });

  it('gives ESC to a list that is open, then to the run, and never a stop of a run to the rewind', async () => {
    await after('r', /Ada is working · 0 s · esc to interrupt/);
    await after('o', /\[running list/);
    await after('\x1b', /\[running - -/);
    await after('\x1b', /Stopped in \d+ ms\. 0 operations have ended\.[^]*Interrupted\. Tell Ada what to do instead\./);
    screen.type('\x1b'); // a late one was meant for the run
    await pause(600);
    await after('x', /\[idle - - rewinds=0\]/);
    screen.type('\x1b');
    await pause(250);
    await after('\x1b', /\[idle - - rewinds=1\]/);
  });

  it('takes no arrow key cut in two for ESC, and leaves the ESC of a prompt alone', async () => {
    await after('r', /\[running - -/);
    screen.type('\x1b');
    await pause(60);
    screen.type('[A');
    await pause(300);
    await after('p', /\[running - prompt/);
    screen.type('\x1b');
    await pause(400);
    await after('p', /\[running - - rewinds=1\]/);
    await after('\x1b', /\[idle/);
  });

  it(
    hands
      ? 'lends the terminal to another program, whose ESC and Ctrl+C stop nothing'
      : 'says that it lends no terminal',
    async () => {
      await after('r', /\[running/);
      if (hands) {
        await after('v', /<child>/);
        // Until Ink has the terminal back: its child has not ended when it has said so.
        await after('ab\x1b\r', /<read>[^]*saw=\S*rv\.\s/);
        await after('v', /<child>/);
        await pause(400); // Ink has not done with the stream at once, and went on to read it
        await after('abc\r', /<read>[^]*saw=\S*rv\.v\.\s/);
        await after('v', /<child>/);
        await after('\x03', /\[running[^]*saw=\S*rv\.v\.v\.\s/);
      } else {
        await after('v', /this Ink lends the terminal to nobody; 7\.1 does/);
      }
      await after('x', /\[running - - rewinds=1\] saw=\S*v\.?x/);
      await after('\x1b', /\[idle/);
    },
  );

  it('stops on Ctrl+C, leaves on the second, and gives the terminal back', async () => {
    await after('r', /\[running/);
    await after('\x03', /\[idle[^]*Interrupted[^]* · ctrl\+c again to leave/);
    await after('\x03', /<exit 130>/);
    const { before, after: found } = await screen.finish();
    expect(found).toBe(before);
  });
});
