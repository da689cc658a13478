/** The recipe of a program in a terminal, as the page prints it: typed to in a real one. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { markdownSnippets } from '../docs/snippets.ts';
import { requireBuild, root } from '../package/consumer.ts';
import { openTerminal, type Screen } from './support/terminal-pty.ts';

const page = 'docs/recipes/cli-with-esc.md';

describe('the recipe of a program in a terminal', () => {
  let opened: Screen | undefined;
  let folder = '';

  async function open(...terminal: Parameters<typeof openTerminal>): Promise<Screen> {
    return (opened = await openTerminal(...terminal));
  }

  afterEach(async () => {
    await opened?.close();
    opened = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  function save(): string {
    requireBuild();
    mkdirSync(join(root, '.artifacts'), { recursive: true });
    folder = mkdtempSync(join(root, '.artifacts/recipe-'));
    const path = join(folder, 'cli.mts');
    const [program] = markdownSnippets(page, readFileSync(join(root, page), 'utf8'));
    writeFileSync(path, program?.code ?? '');
    return path;
  }

  it('hears its prompt again after Ctrl+Z and fg', async () => {
    const screen = await open('', { FIXTURE: save(), PS1: 'shell> ' }, ['/bin/sh', '-i']);
    await screen.shows(/shell> /);
    await screen.answered('WHO=shell\r', /shell> /); // which the program's commands do not know
    await screen.answered('"$NODE" "$FIXTURE"\r', /\$ \x1b\[3G/);
    await screen.answered('\x1a', /Stopped[^]*shell> /);
    await screen.answered('fg\r', /\$ \x1b\[3G/);
    await screen.answered('echo "alive$((1+1)) [$WHO]"\r', /alive2 \[\]/);
  });

  it('stops its command at ESC, asks again, and gives the terminal back', async () => {
    const FIXTURE = save();
    const screen = await open('', { FIXTURE, ESCDELAY: '30' });
    await screen.shows(/\$ /);
    // Printed by the shell of the command, so the command runs; its child would hold it up for a minute.
    screen.type('echo begun$((1+1)); sleep 60 & sleep 60\n');
    await screen.shows(/begun2/);
    const from = screen.text().length;
    screen.type('\x1b');
    await screen.shows(/Stopped: [^\n]+\n[^]*\$ /, from);
    screen.type('exit\n');
    await screen.shows(/<exit 0>/, from);
    const { before, after, stderr } = await screen.finish();
    expect({ after, stderr }).toEqual({ after: before, stderr: '' });
  });

  it.each([
    ['Ctrl+C pressed twice at its prompt', '\x03', '\x03', 130],
    [
      'Ctrl+C pressed twice while a command is deaf to it',
      'trap "" INT TERM; echo begun$((1+1)); sleep 60\r',
      '\x03',
      130,
    ],
    ['Ctrl+D', '\x04', '', 0],
  ])('leaves at %s, and gives the terminal back', async (_title, first, second, code) => {
    const screen = await open('', { FIXTURE: save() });
    await screen.shows(/\$ /);
    screen.type(first);
    if (first.includes('begun')) {
      await screen.shows(/begun2/);
      screen.type(second);
    }
    screen.type(second);
    await screen.shows(new RegExp(`<exit ${String(code)}>`));
    const { before, after, stderr } = await screen.finish();
    expect({ after, stderr }).toEqual({ after: before, stderr: '' });
  });

  it('takes the first Ctrl+C for the text that is typed, and says what the second would do', async () => {
    const screen = await open('', { FIXTURE: save() });
    await screen.shows(/\$ /);
    screen.type('rm everything');
    await screen.shows(/everything/);
    screen.type('\x03');
    await screen.shows(/everything[^]*\x1b\[/); // the line is drawn anew
    screen.type('echo $((40+2))\r');
    await screen.shows(/\n42/);
    screen.type('\x03');
    await screen.shows(/Ctrl\+C again to leave/);
    screen.type('\x03');
    await screen.shows(/<exit 130>/);
    expect((await screen.finish()).stderr).toBe('');
  });

  it.each([
    ['', ''],
    ['echo one\necho two\necho three', 'one\ntwo\nthree\n'],
  ])('runs every line of a pipe, the last without an end too: %j', async (input, output) => {
    const { stdout, stderr, code } = await new Promise<{ stdout: string; stderr: string; code: unknown }>((resolve) => {
      execFile(process.execPath, [save()], (error, stdout, stderr) => {
        resolve({ stdout, stderr, code: error?.code ?? 0 });
      }).stdin?.end(input);
    });
    expect({ stdout, stderr, code }).toEqual({ stdout: output, stderr: '', code: 0 });
  });
});
