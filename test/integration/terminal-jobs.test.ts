import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, it } from 'vitest';

import { switchedOn } from './support/terminal-modes.ts';
import { openTerminal, type Screen } from './support/terminal-pty.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let screen: Screen;
afterEach(() => screen.close());

/** Sets modes of its own before each prompt, and sends nothing to a running job that it brings to the front. */
const bash = ['bash', '--norc', '--noprofile', '-i'] as const;
/** Leaves the modes as they are, so that it shows how it found them. */
const sh = ['/bin/sh', '-i'] as const;

/** A shell with jobs, and the agent in front of it. */
async function openShell(
  shell: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  screen = await openTerminal('return', { PS1: '$ ', ...env }, shell);
  await screen.shows(/\$ /);
  await screen.answered('"$NODE" "$FIXTURE" return\r', /<ready>/);
}

describe('S29 jobs in a pseudo-terminal', () => {
  it('S29 Ctrl+Z gives the terminal back and stops the program, fg takes it again', async () => {
    await openShell(sh);
    await screen.answered('s', /<raw>/);
    await screen.answered('\x1a', /Stopped/);
    await screen.answered('stty -a | grep -o -- "-\\?icanon" | sed "s/^/mode /"\r', /mode icanon/);
    await screen.answered('fg\r', /FIXTURE/);
    await pause(300);
    await screen.answered('s', /<raw>/);
    await screen.answered('\x1b', /<cancel/);
    await screen.answered('\x1a', /Stopped/); // and once more
    await screen.answered('fg\r', /FIXTURE/);
    await pause(300);
    await screen.answered('s', /<raw>/);
  });

  it('S29 in the background it leaves the terminal alone and runs on, and takes it when it is brought to the front', async () => {
    await openShell(bash);
    await screen.answered('\x1a', /Stopped/);
    await screen.answered('bg\r', /FIXTURE.*&/);
    await pause(600);
    await screen.answered('jobs\r', /Running/);
    await screen.answered('stty -a | grep -o -- "-\\?icanon" | sed "s/^/mode /"\r', /mode icanon/);
    await screen.answered('fg\r', /FIXTURE/);
    await pause(600);
    await screen.answered('s', /<raw>/);
    await screen.answered('\x1b', /<cancel/);
  });

  it('S29 a SIGTSTP from elsewhere gives the terminal back too', async () => {
    await openShell(sh);
    await screen.answered('z', /Stopped/);
    await screen.answered('stty -a | grep -o -- "-\\?icanon" | sed "s/^/mode /"\r', /mode icanon/);
    await screen.answered('fg\r', /FIXTURE/);
    await pause(300);
    await screen.answered('s', /<raw>/);
  });

  it('S29 a SIGSTOP, which nobody can catch, leaves the switches on, and fg sets our mode anew', async () => {
    screen = await openTerminal('return', { PS1: '$ ', OPTIONS: '{"focus":true}' }, bash);
    await screen.shows(/\$ /);
    await screen.answered('"$NODE" "$FIXTURE" return\r', /<ready>/);
    await screen.answered('k', /Stopped/);
    expect(switchedOn(screen.text().replaceAll(/\x1b\[\?2004[hl]/g, ''))).toEqual(['focus']); // bash marks pastes itself
    await screen.answered('fg\r', /FIXTURE/);
    await pause(300);
    await screen.answered('s', /<raw>/);
    await screen.answered('\x1b', /<cancel/);
    await screen.answered('q', /\$ /);
    expect(switchedOn(screen.text().replaceAll(/\x1b\[\?2004[hl]/g, ''))).toEqual([]);
  });

  it('S29 begun in the background it waits until it is in front', async () => {
    screen = await openTerminal('return', { PS1: '$ ' }, bash);
    await screen.shows(/\$ /);
    await screen.answered('"$NODE" "$FIXTURE" return &\r', /<ready>/);
    await pause(400);
    await screen.answered('jobs\r', /Running/);
    await screen.answered('fg\r', /FIXTURE/);
    await pause(400);
    await screen.answered('s', /<raw>/);
  });
});

describe('Ctrl+Z at a prompt of readline', () => {
  const fixture = fileURLToPath(new URL('support/prompt-jobs.ts', import.meta.url));

  // A server of its own, which ends with its client.
  const session = String.raw`printf 'set -g destroy-unattached on\n' > "$DIR/conf"; unset TMUX; exec tmux -S "$DIR/tmux" -f "$DIR/conf" new-session "PS1='\$ ' exec /bin/sh -i"`;
  const tmux = ['/bin/sh', '-c', session] as const;

  it.each([
    ['a plain shell', '"$NODE" "$FIXTURE"', sh],
    ['sh -c', `sh -c '"$NODE" "$FIXTURE"; true'`, sh],
    ['npm run', 'npm run --silent ask', sh],
    ['npm run in tmux', 'npm run --silent ask', tmux],
  ])('under %s gives the terminal back, and fg shows the prompt with what was typed', async (_name, command, shell) => {
    screen = await openTerminal('', { PS1: '$ ', FIXTURE: fixture }, shell);
    await screen.shows(/\$ /);
    const scripts = String.raw`{"scripts":{"ask":"\"$NODE\" \"$FIXTURE\""}}`;
    await screen.answered(`cd "$DIR"; echo '${scripts}' > package.json; echo "<cd$((1))>"\r`, /<cd1>/);
    await screen.answered(`${command}\r`, /asks> /);
    await pause(200);
    await screen.answered('hal', /hal/);
    await screen.answered('\x1a', /Stopped/);
    await screen.answered('stty -a | grep -o -- "-\\?icanon" | sed "s/^/mode /"\r', /mode icanon/);
    await screen.answered('fg\r', /asks> .*hal/);
    for (let times = 0; times < 8; times++) {
      // Whoever started us is stopped first: the shell may continue the job before we have heard of it.
      await screen.answered('\x1a', /Stopped/);
      await screen.answered('fg\r', /asks> .*hal/);
    }
    await screen.answered('lo\r', /<answer hallo>/);
  });
});

describe('Ctrl+Z in the demo', () => {
  it('at its prompt and at a question stops it with what has started it, and fg brings both back', async () => {
    const demo = fileURLToPath(new URL('../../examples/agent/main.ts', import.meta.url));
    screen = await openTerminal('', { PS1: '$ ', FIXTURE: demo }, sh);
    await screen.shows(/\$ /);
    await screen.answered(`sh -c '"$NODE" "$FIXTURE" --embedded; true'\r`, /> \x1b\[3G/);
    const stopAndGoOn = async (shown: RegExp): Promise<void> => {
      await screen.answered('\x1a', /Stopped/);
      await screen.answered('fg\r', shown);
    };
    await stopAndGoOn(/> \x1b\[3G/);
    await screen.answered('write\r', /that is all\.[^]*> \x1b\[3G/);
    await screen.answered('remove\r', /\[y\/N\] /);
    await stopAndGoOn(/\[y\/N\] /);
    await screen.answered('n\r', /that is all\.[^]*> \x1b\[3G/);
    await screen.answered('\r', /\$ /);
  });
});

describe('S29 a program in between', () => {
  it('S29 has the terminal in line mode, its Ctrl+C is its own, and we read again afterwards', async () => {
    screen = await openTerminal('return');
    await screen.shows(/<ready>/);
    screen.type('h');
    await pause(300);
    await screen.answered('\x1bhello\r', /<read \x1bhello>/);
    await screen.shows(/<back 0>/);
    expect(screen.text()).not.toContain('<raw inside>');
    expect(screen.text()).not.toContain('<cancel');
    screen.type('h');
    await pause(300);
    await screen.answered('\x03', /<back SIGINT>/);
    expect(screen.text()).not.toContain('<cancel');
    await screen.answered('s', /<raw>/);
    await screen.answered('\x1b', /<cancel/);
  });

  it('S29 with inherited stdin is stopped by Ctrl+Z together with us, and both go on after fg', async () => {
    await openShell(sh, { PROGRAM: 'echo "<asks>"; read x; echo "<read $x>"' });
    await screen.answered('j', /<asks>/);
    await screen.answered('\x1a', /Stopped/);
    await pause(500); // the shell says so of us; what we have started hears of it by itself
    await screen.answered('echo "<shell"$((1))">"\r', /<shell1>/);
    await screen.answered('fg\r', /FIXTURE/);
    await screen.answered('hello\r', /<read hello>/);
    await screen.shows(/<ended 0, by itself>/);
    await screen.answered('s', /<raw>/);
    await screen.answered('\x1b', /<cancel/);
  });

  it('S29 vim can be used and left, and ESC in it stops nothing', async () => {
    screen = await openTerminal('return', { PROGRAM: 'vim -u NONE -N "$DIR/text"' });
    await screen.shows(/<ready>/);
    await screen.answered('h', /VIM|~/);
    await pause(300);
    screen.type('ihello');
    await pause(100);
    screen.type('\x1b');
    await pause(1200);
    await screen.answered(':wq\r', /<back 0>/);
    expect(screen.text()).not.toContain('<cancel');
    await screen.answered('s', /<raw>/);
    await screen.answered('\x1b', /<cancel/);
  });
});
