import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';

import { switchedOn } from './support/terminal-modes.ts';
import { fixture, node, openTerminal, type Screen } from './support/terminal-pty.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let screen: Screen;

const everySwitch = { OPTIONS: '{"kitty":true,"modifyOtherKeys":true,"paste":true,"focus":true}' };

async function open(scene: string, env?: Readonly<Record<string, string>>): Promise<void> {
  screen = await openTerminal(scene, env);
  await screen.shows(/<ready>/);
}

function count(word: string): number {
  return screen.text().split(word).length - 1;
}

describe('S29 in a pseudo-terminal', () => {
  afterEach(async () => {
    await screen.close();
  });

  it('S29 a lone ESC cancels within 60 ms', async () => {
    await open('return');
    const waits: number[] = [];
    // What is late each time is slow; what is late now and then has met a busy machine.
    while (waits.length < 5 || (waits.length < 40 && Math.min(...waits) > 60)) {
      await screen.answered('r', /<running>/);
      await pause(20);
      const pressedAt = Date.now();
      const match = await screen.answered('\x1b', /<cancel (\d+)>/);
      waits.push(Number(match[1]) - pressedAt);
    }
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(49);
    expect(Math.min(...waits)).toBeLessThanOrEqual(60);
  });

  it('S29 an arrow key cut in two by 30 ms is no ESC', async () => {
    await open('return', { ESCDELAY: '100' });
    let cut = 0;
    for (let round = 0; round < 20 && cut < 5; round++) {
      const cancels = count('<cancel');
      const from = screen.text().length;
      screen.type('\x1b');
      const at = performance.now();
      await pause(30);
      screen.type('[A');
      // A writer that was itself late has tested nothing.
      const late = performance.now() - at > 42;
      await screen.shows(/<up>|<cancel/, from);
      if (late) {
        await screen.answered('r', /<running>/);
        continue;
      }
      cut++;
      expect(count('<cancel')).toBe(cancels);
    }
    expect(cut).toBe(5);
  });

  it('S29 ESC ESC 100 ms apart cancels, then kills', async () => {
    await open('return', { ESCDELAY: '20' });
    screen.type('\x1b');
    await pause(100);
    screen.type('\x1b');
    await screen.shows(/<cancel \d+>\s+<kill>/);
  });

  it('S29 CSI 27 u is ESC, its release is nothing', async () => {
    await open('return');
    screen.type('\x1b[27;1:3u');
    await screen.answered('s', /<raw>/);
    expect(count('<cancel')).toBe(0);
    await screen.answered('\x1b[27;129u', /<cancel/);
  });

  it('S29 Ctrl+C twice leaves with 130 and restores the terminal', async () => {
    await open('return');
    await screen.answered('\x03', /<cancel/);
    await screen.answered('\x03', /<exit 130>/);
    const { before, after } = await screen.finish();
    expect(after).toBe(before);
  });

  it('S29 the signal and the raw byte count as one pair', async () => {
    await open('return');
    await screen.answered('i', /<cancel/); // raises SIGINT
    await screen.answered('\x03', /<exit 130>/);
  });

  it.each([
    ['return', 0],
    ['close', 0],
    ['exit', 7],
    ['throw', 1],
    ['reject', 1],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
  ])('S29 the terminal is restored after %s, and the exit code is %i', async (scene, code) => {
    await open(scene, everySwitch);
    await screen.answered('s', /<raw>/);
    expect(switchedOn(screen.text())).toEqual(['kitty', 'modifyOtherKeys', 'paste', 'focus']);
    await screen.answered('q', new RegExp(`<exit ${String(code)}>`));
    expect(switchedOn(screen.text())).toEqual([]);
    const { before, after, stderr } = await screen.finish();
    expect(before).toContain(' icanon');
    expect(after).toBe(before);
    if (scene === 'throw' || scene === 'reject') expect(stderr).toContain('on purpose');
    else expect(stderr).toMatch(/^(Terminated|Hangup|Quit)?\n?$/); // the shell's own word for the signal
  });

  it.each([
    ['SIGKILL', 137],
    ['abort', 134],
  ])('S29 with the crash guard the terminal is restored after %s as well', async (scene, code) => {
    await open(scene, { GUARD: '1', SETTLE: '1', ...everySwitch });
    await screen.answered('s', /<raw>/);
    await screen.answered('q', new RegExp(`<exit ${String(code)}>`));
    const { before, after } = await screen.finish();
    expect(before).toContain(' icanon');
    expect(after).toBe(before);
    expect(switchedOn(screen.text())).toEqual([]);
  });

  it('S29 an open prompt keeps ESC, works with readline, and gives raw mode back', async () => {
    await open('return');
    await screen.answered('p', /<asking>/);
    screen.type('\x1b');
    await pause(100);
    screen.type('\x1b');
    await pause(600); // readline itself waits half a second for the rest of an ESC
    await screen.answered('yes\r', /<answer "yes">/);
    expect([count('<cancel'), count('<kill')]).toEqual([0, 0]);
    await screen.answered('s', /<raw>/);
    await screen.answered('\x1b', /<cancel/);
  });

  it('S29 a prompt that nobody answers ends at its limit, and the next is asked', async () => {
    await open('return', { PROMPT_MS: '1500' });
    await screen.answered('p', /<asking>/);
    await screen.shows(/<TimeoutError>/);
    await screen.answered('s', /<raw>/);
    await screen.answered('p', /<asking>/);
    await screen.answered('yes\r', /<answer "yes">/);
  });

  it('S29 loses no byte typed ahead: each prompt gets the next line', async () => {
    await open('return');
    screen.type('abc\x7fd\rxy');
    await screen.answered('p', /<answer "abd">/);
    await screen.answered('p', /<asking>/);
    await screen.answered('z\r', /<answer "xyz">/);
    await screen.answered('t', /<typed "">/);
  });

  it('S29 a prompt may listen to the stream itself, and an ESC that it has not read stops nothing', async () => {
    await open('return');
    await screen.answered('w', /<waiting>/);
    await screen.answered('yes\r', /<chunk "yes\\n">/);
    await screen.answered('w', /<waiting>/);
    await screen.answered('no\r\x1b', /<chunk "no\\n">/);
    await screen.answered('s', /<raw>/);
    await pause(200);
    expect(screen.text()).not.toContain('<cancel');
    await screen.answered('\x1b', /<cancel/);
  });

  it('S29 loses no byte of a burst around the opening of a prompt', async () => {
    await open('return');
    await screen.answered('one\rpman\r', /<answer "one">/);
    await screen.answered('p', /<answer "man">/);
    await screen.answered('s', /<raw>/);
  });
});

describe('with half a terminal', () => {
  const run = (command: string): [string, ...string[]] => [
    '/bin/sh',
    '-c',
    `trap : INT; stty -a > "$DIR/before"; ${command}; stty -a > "$DIR/after"; : > "$DIR/stderr"; echo "<out>"; read -r _`,
  ];
  const options = { OPTIONS: '{"focus":true,"paste":true,"kitty":true}' };
  let half: Screen;
  afterEach(() => half.close());

  it('S29 hears its keys where only the input is one, and asks nothing of what it writes to', async () => {
    half = await openTerminal('return', options, run('"$NODE" "$FIXTURE" return | cat'));
    await half.shows(/<ready>/);
    half.type('s');
    await half.shows(/<raw>/);
    half.type('\x1b');
    await half.shows(/<cancel/);
    half.type('q');
    await half.shows(/<out>/);
    expect(half.text()).not.toContain('\x1b');
    const { before, after } = await half.finish();
    expect(after).toBe(before);
  });

  it('S29 touches nothing where only the output is one, and obeys Ctrl+C', async () => {
    half = await openTerminal('return', options, run('sleep 60 | "$NODE" "$FIXTURE" return'));
    await half.shows(/<ready, no terminal>/);
    half.type('\x1b');
    half.type('\x03');
    await half.shows(/<cancel/);
    half.type('\x03');
    await half.shows(/<kill>[^]*<out>/);
    expect(half.text().match(/<cancel/g)).toHaveLength(1);
    expect(half.text()).not.toMatch(/\x1b\[[?>]/);
    const { before, after } = await half.finish();
    expect(after).toBe(before);
  });
});

describe('without a terminal', () => {
  let child: ChildProcess;
  let output: string;

  afterEach(() => {
    child.kill('SIGKILL');
  });

  /** The fixture with an open pipe for a keyboard. */
  function start(scene: string): Promise<string> {
    child = spawn(node, [fixture, scene], { stdio: ['pipe', 'pipe', 'inherit'] });
    output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
    return new Promise((resolve) => {
      child.on('close', (code, signal) => {
        resolve(`${String(code)} ${String(signal)}`);
      });
    });
  }

  async function sees(word: string): Promise<void> {
    while (!output.includes(word)) await once(child.stdout as Readable, 'data');
  }

  it('S29 writes nothing and keeps nothing alive, though the pipe stays open', async () => {
    expect(await start('nothing to do')).toBe('0 null');
    expect(output).toBe('<ready, no terminal>\n');
  });

  it('S29 obeys SIGINT by the same rule', async () => {
    const end = start('return');
    await sees('<ready');
    child.kill('SIGINT');
    await sees('<cancel');
    child.kill('SIGINT');
    expect(await end).toBe('130 null');
    expect(output).toContain('<kill>');
  });
});
