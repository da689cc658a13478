/** Inside tmux, with a client attached: keys go through two terminals and a server in between. */
import { afterEach, describe, expect, it } from 'vitest';

import { openTerminal, type Screen } from './support/terminal-pty.ts';

/** One server of its own, so that nobody's configuration and nobody's sessions are touched; it ends with its client. */
const script = `
stty -a > "$DIR/before"
echo 'set -g destroy-unattached on' > "$DIR/conf"
tmux -S "$DIR/tmux" -f "$DIR/conf" new-session "\\"$NODE\\" \\"$FIXTURE\\" return; echo \\"<status \\$?>\\"; stty -a > \\"$DIR/inside\\"; read -r _"
stty -a > "$DIR/after"
: > "$DIR/stderr"
echo "<out>"
read -r _
`;

let screen: Screen;

describe('S29 in tmux', () => {
  afterEach(async () => {
    await screen.close();
  });

  it('S29 an ESC cancels, an arrow key does not, a paste is text, and the terminal is given back', async () => {
    screen = await openTerminal('return', { OPTIONS: '{"focus":true,"paste":true}', TMUX: '' }, [
      '/bin/sh',
      '-c',
      `unset TMUX; ${script}`,
    ]);
    await screen.shows(/<ready>/);
    await screen.shows(/<hint tmux holds each ESC back for 500 ms/);
    await screen.answered('\x1b[A', /<up>/);
    await screen.answered('s', /<raw>/);
    expect(screen.text()).not.toContain('<cancel');
    await screen.answered('\x1b', /<cancel/);
    await screen.answered('r', /<running>/);
    await screen.answered('\x1b[200~one\x1btwo\x1b[201~t', /<typed "one\\u001btwo">/);
    await screen.answered('p', /<asking>/);
    await screen.answered('yes\r', /<answer "yes">/);
    expect(screen.text().match(/<cancel/g)).toHaveLength(1);
    await screen.answered('q', /<status 0>/);
    await screen.answered('\r', /<out>/);
    const { before, after } = await screen.finish();
    expect(after).toBe(before);
  });
});
