/** A person types a line to the running turn, whose end must neither end the program nor take the text. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { openTerminal } from './support/terminal-pty.ts';

describe('a prompt behind an open line', () => {
  const openLine = fileURLToPath(new URL('support/open-line.ts', import.meta.url));

  it.each([
    ['sends it, and the next prompt has it', '\r'],
    ['closes it, and the next prompt has it', '\x1b'],
  ])('waits with the program until the person %s', async (_what, last) => {
    const own = await openTerminal('', { FIXTURE: openLine, ESCDELAY: '20' });
    try {
      await own.shows(/\$ /);
      await own.answered('go\r', /<asked go>/);
      await own.answered('`and the te', /inject> and the te/);
      await new Promise((resolve) => setTimeout(resolve, 800)); // the turn has ended, and nothing but the line is open
      await own.answered('sts', /sts/);
      await own.answered(last, /\$ .*and the tests/);
      await own.answered('\r', /<asked and the tests>[^]*\$ /);
      await own.answered('exit\r', /<left>[^]*<exit 0>/);
      expect((await own.finish()).stderr).toBe('');
    } finally {
      await own.close();
    }
  });
});
