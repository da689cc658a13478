/**
 * Programs that people really start from an agent, lent the terminal in both ways. However they end – also a shell that has taken the
 * foreground for a group that is not there any more – we read again afterwards: in front, in our mode, running.
 */
import { describe, expect, it } from 'vitest';

import { findProgram } from './support/find-program.ts';
import { openTerminal, type Screen } from './support/terminal-pty.ts';

/** What is typed, and what is seen then. */
type Step = readonly [keys: string, seen: RegExp];

const bash = 'exec bash --norc --noprofile -i';
const zsh = 'exec zsh -f -i';
/** Its end is what the shell does not put on the screen as it is typed. */
const alive: Step = ['echo "<in $((40+2))>"\r', /<in 42>[^]*[#$>] /];

const programs: readonly (readonly [name: string, program: string, opens: RegExp, ...steps: Step[]])[] = [
  ['bash that is left by exit', bash, /sh> /, alive, ['exit\r', /exit/]],
  ['bash that is left by Ctrl+D', bash, /sh> /, alive, ['\x04', /exit/]],
  ['bash whose last command takes its place', bash, /sh> /, alive, ['exec true\r', /exec/]],
  ['bash whose last command takes its place and is killed', bash, /sh> /, ["exec sh -c 'kill -9 $$'\r", /exec/]],
  ['bash that is killed', bash, /sh> /, ['kill -9 $$\r', /kill/]],
  ['bash that is killed while its job is in front', bash, /sh> /, ['sh -c "kill -9 $$; sleep 0.3"\r', /kill/]],
  ['bash that leaves a job behind', bash, /sh> /, ['sleep 3 & disown\r', /\[1\]/], ['exit\r', /exit/]],
  ['bash that leaves a stopped job behind', bash, /sh> /, ["sh -c 'echo $((40+2))nd; exec sleep 60'\r", /42nd/], ['\x1a', /Stopped/], ['exit\r', /stopped jobs/], ['exit\r', /exit/]], // prettier-ignore
  ['bash in bash', bash, /sh> /, ['bash --norc --noprofile -i\r', /sh> $/], alive, ['exec true\r', /exec/], ['exec true\r', /exec/]], // prettier-ignore
  ['zsh that is left by exit', zsh, /sh> /, alive, ['exit\r', /exit/]],
  ['zsh whose last command takes its place', zsh, /sh> /, alive, ['exec true\r', /exec/]],
  ['zsh that is killed', zsh, /sh> /, ['kill -9 $$\r', /kill/]],
  ['less', 'less "$DIR/before"', /speed/, ['\x1b[B', /[^]/], ['/icanon\r', /icanon/], ['q', /[^]*/]],
  ['less at the end of a pipe', 'stty -a | less', /speed/, ['q', /[^]*/]],
  ['fzf, which reads from the terminal by its name', `printf 'one\\ntwo\\n' | fzf --no-mouse`, /2\/2/, ['two', /1\/2/], ['\r', /two/]], // prettier-ignore
  ['fzf that is left by ESC', `printf 'one\\ntwo\\n' | fzf --no-mouse`, /2\/2/, ['\x1b', /[^]*/]],
  ['who asks for a password, as sudo does', 'stty -echo < /dev/tty; printf "Password: " > /dev/tty; read x < /dev/tty; stty echo < /dev/tty; echo "<got $x>"', /Password: /, ['se\x1bcret\r', /<got se\x1bcret>/]], // prettier-ignore
  ['who asks for a password and is ended by Ctrl+C', 'stty -echo < /dev/tty; printf "Password: "; read x', /Password: /, ['\x03', /[^]*/]], // prettier-ignore
  ['a terminal within, as of ssh', `script -q -c '${bash}' /dev/null`, /[#$>] /, alive, ['exit\r', /exit/]],
  ['a terminal within a terminal within', `script -q -c "script -q -c '${bash}' /dev/null" /dev/null`, /[#$>] /, alive, ['exec true\r', /exec/]], // prettier-ignore
];

/** What a machine may be without. */
const shells = ['bash', 'zsh', 'less', 'fzf', 'script'];

const ways = [
  ['handOver', 'h', /<back (?:\d+|SIG\w+)>/],
  ['a run with inherited input', 'j', /<ended (?:\d+|SIG\w+), by itself>/],
] as const;

/** Has a program used and left; then the terminal is ours again, and at the end it is as it was. */
async function use(screen: Screen, key: string, opens: RegExp, steps: readonly Step[], ended: RegExp): Promise<void> {
  await screen.shows(/<ready>/);
  await screen.answered(key, opens);
  for (const [keys, seen] of steps) await screen.answered(keys, seen);
  await screen.shows(ended);
  expect(screen.text()).not.toContain('<cancel');
  await screen.answered('s', /<raw>/);
  await screen.answered('\x1b', /<cancel/);
  await screen.answered('q', /<exit 0>/);
  const { before, after, stderr } = await screen.finish();
  expect({ after, stderr }).toEqual({ after: before, stderr: '' });
}

describe.concurrent.each(ways)('S29 lent the terminal by %s', (_way, key, ended) => {
  it.for(programs)('S29 it is ours again after %s', { timeout: 60_000 }, async (row, { skip }) => {
    const [, program, opens, ...steps] = row;
    const missing = shells.find((name) => program.includes(name) && findProgram(name) === undefined);
    if (missing !== undefined) skip(`there is no ${missing}`);
    // The shells say what they are asked on their standard error, which is kept in a file.
    const env = { PROGRAM: `exec 2>&1; ${program}`, PS1: 'sh> ', LESS: '', FZF_DEFAULT_OPTS: '' };
    const screen = await openTerminal('return', env);
    try {
      await use(screen, key, opens, steps, ended);
    } finally {
      await screen.close();
    }
  });
});
