/** The recipe of a program in a terminal, as the page prints it: typed to in a real one. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { markdownSnippets } from '../docs/snippets.ts';
import { requireBuild, root } from '../package/consumer.ts';
import { openTerminal, type Screen } from './support/terminal-pty.ts';

const page = 'docs/recipes/cli-with-esc.md';

describe('the recipe of a program in a terminal', () => {
  let screen: Screen;
  let folder = '';

  afterEach(async () => {
    await screen.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('stops its command at ESC, asks again, and gives the terminal back', async () => {
    requireBuild();
    mkdirSync(join(root, '.artifacts'), { recursive: true });
    folder = mkdtempSync(join(root, '.artifacts/recipe-'));
    const FIXTURE = join(folder, 'cli.ts');
    const [program] = markdownSnippets(page, readFileSync(join(root, page), 'utf8'));
    writeFileSync(FIXTURE, program?.code ?? '');

    screen = await openTerminal('', { FIXTURE, ESCDELAY: '30' });
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
});
