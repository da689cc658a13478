/** What `useHandOver` lends and gets back, with the Ink that people have, also where Ink takes the screen for none. */
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

import { openTerminal, type Screen } from '../integration/support/terminal-pty.ts';
import { inks } from './support/ink-versions.ts';

const FIXTURE = fileURLToPath(new URL('support/ink-agent.ts', import.meta.url));

const handing = inks.filter(({ hands }) => hands);

/** As the shell of other tests, with the output in a pipe, whose end outlives a Ctrl+C. */
const piped = `
trap : INT
stty -a > "$DIR/before"
"$NODE" "$FIXTURE" 2> "$DIR/stderr" | (trap "" INT; cat)
stty -a > "$DIR/after"
echo "<exit>"
read -r _
`;

const screens = [
  { where: 'on a terminal', env: {}, shell: undefined },
  { where: 'in CI', env: { CI: 'true' }, shell: undefined },
  { where: 'with its output in a pipe', env: {}, shell: ['/bin/sh', '-c', piped] as [string, ...string[]] },
];

let screen: Screen;
afterEach(() => screen.close());

/** What is shown after a key. */
function after(keys: string, pattern: RegExp): Promise<RegExpExecArray> {
  const from = screen.text().length;
  screen.type(keys);
  return screen.shows(pattern, from);
}

/** Two Ctrl+C, of which the first stops what runs: the settings of the terminal are those of before. */
async function leave(): Promise<void> {
  await after('\x03', /\[idle/);
  await after('\x03', /<exit/);
  const { before, after: found } = await screen.finish();
  expect(found).toBe(before);
}

const asks = 'stty -a | grep -o -- "-\\?icanon" | sed "s/^/mode /"; echo "<child>"; read x; echo "<read $x>"';

async function openHow(HOW: string, env: Readonly<Record<string, string>>): Promise<void> {
  screen = await openTerminal('', { FIXTURE, ...env, HOW, ESCDELAY: '200', PROGRAM: asks });
}

it.each(inks)(
  '$title leaves the terminal to a run with our standard input, without a hand-over',
  async ({ MAJOR, INK }) => {
    await openHow('run', { MAJOR, INK });
    await screen.shows(/\[idle/);
    await after('r', /\[running/);
    await after('v', /mode icanon[^]*<child>/);
    await after('hello\x1b\r', /<read hello[^]*\[running[^]*saw=rv\.\s/);
    await after('x', /\[running[^]*saw=rv\.x\s/);
    await leave();
  },
);

describe.each(handing)('$title', ({ MAJOR, INK }) => {
  it('hands the terminal over as soon as it draws', async () => {
    await openHow('at once', { MAJOR, INK, CI: 'true', SAYS: 'yes' });
    await screen.shows(/mode icanon[^]*<child>/);
    await after('hello\r', /<read hello>/);
    await new Promise((resolve) => setTimeout(resolve, 200)); // nothing is drawn anew that would say so
    await after('x', /saw=x\s/);
    await after('r', /\[running/);
    await leave();
  });

  it.each([
    ['on a terminal', {}],
    ['in CI', { CI: '1', SAYS: 'yes' }],
  ])('lets a prompt of a watcher open inside the hand-over %s', async (_, env) => {
    await openHow('prompt', { MAJOR, INK, ...env });
    await screen.shows(/\[idle/);
    await after('r', /\[running/);
    await after('v', /<child>/);
    await after('hello\r', /<read hello>[^]*\[running[^]*saw=rv\.\s/);
    await leave();
  });
});

describe.each(handing)('a program that $title hands the terminal to', ({ MAJOR, INK }) => {
  describe.each(screens)('$where', ({ env, shell }) => {
    async function open(PROGRAM: string): Promise<void> {
      screen = await openTerminal('', { FIXTURE, MAJOR, INK, SAYS: 'yes', ESCDELAY: '200', ...env, PROGRAM }, shell);
      await screen.shows(/\[idle - - rewinds=0\]/);
      await after('r', /\[running - -/);
    }

    it('has it in line mode and all of its keys, and Ctrl+C ends it and nothing else', async () => {
      await open(asks);
      await after('v', /mode icanon[^]*<child>/);
      await after('ab\x1b\r', /<read ab[^]*\[running[^]*saw=rv\.\s/);
      await after('x', /\[running[^]*saw=rv\.x\s/);
      await after('v', /mode icanon[^]*<child>/);
      await after('\x03', /\[running[^]*saw=rv\.xv\.\s/);
      await after('y', /\[running[^]*saw=rv\.xv\.y\s/);
      await leave();
    });

    it('does not leave its settings behind when it is killed', async () => {
      const second = 'stty -a > "$DIR/second"; cmp "$DIR/second" "$DIR/before" && echo "<alike>"';
      const first = 'touch "$DIR/once"; stty raw -echo; echo "<child>"; kill -9 $$';
      await open(`if [ -e "$DIR/once" ]; then ${second}; else ${first}; fi`);
      await after('v', /<child>[^]*saw=rv\.\s/);
      await after('v', /<alike>[^]*saw=rv\.v\.\s/);
      await leave();
    });
  });
});
