import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as terminals from '@lydell/node-pty';
import { expect, it, onTestFinished, vi } from 'vitest';

import { TerminalDriver } from '../../../../src/testing/program/drivers/terminal-driver.ts';
import type { PseudoTerminals } from '../../../../src/testing/program/outside/pseudo-terminal.ts';
import type { ProgramProfile } from '../../../../src/testing/program/profile.ts';
import { waitUntil } from '../../../../src/testing/waiting.ts';
import { Patience } from '../../../../src/testing/program/stage/patience.ts';
import { folder } from '../support.ts';

const slow = await Patience.begin(undefined, () => Promise.resolve(5));

const agent = `
process.stdin.setRawMode(true);
process.stdout.write('\\x1b[?2004hready\\r\\n> ');
process.stdin.on('data', (data) => {
  for (const key of String(data)) {
    if (key === '\\r') process.stdout.write('\\r\\nheard\\r\\n> ');
    else if (key === '\\x1b') process.stdout.write('stopped\\r\\n> ');
    else if (key === '\\x03') process.exit(3);
    else process.stdout.write(key);
  }
});`;

const onUnix = it.skipIf(process.platform === 'win32');

/** A driver of that program, in terminals of that package. */
function drive(
  source: string,
  through: PseudoTerminals = terminals,
  keys: Partial<ProgramProfile> = {},
  command: readonly string[] = [process.execPath, '-e', source],
) {
  const common = { commandFor: () => undefined, env: { PATH: process.env['PATH'] ?? '' }, patience: slow, mcp: '' };
  const profile = { command, ready: '> $', quit: ['\x03'], ...keys };
  return new TerminalDriver({ ...common, terminals: through, profile, command, cwd: folder(), notes: folder() });
}

/** Real terminals; what is typed into them and what comes out of them goes through these. */
function spied(taps: {
  readonly typed?: (key: string) => void;
  readonly came?: (hand: () => void) => void;
}): PseudoTerminals {
  const {
    typed = () => undefined,
    came = (hand: () => void): void => {
      hand();
    },
  } = taps;
  return {
    spawn: (...given) => {
      const pty = terminals.spawn(...given);
      return {
        pid: pty.pid,
        onExit: (listener) => pty.onExit(listener),
        kill: (signal) => {
          pty.kill(signal);
        },
        onData: (listener) =>
          pty.onData((data) => {
            came(() => {
              listener(data);
            });
          }),
        write: (key) => {
          pty.write(key);
          typed(key);
        },
      };
    },
  };
}

onUnix('a program is ready that draws its screen anew, as it was, for ever', { timeout: 60_000 }, async () => {
  const driver = drive(`setInterval(() => process.stdout.write('\\x1b[H> '), 50);`, terminals, { ready: undefined });
  expect(await driver.ready(30_000)).toBe(true);
  expect(driver.screen).toBe('> ');
  await driver.close();
});

onUnix('keys are typed and seen, and what is left of the terminal is told', { timeout: 60_000 }, async () => {
  const driver = drive(agent);
  expect(await driver.ready(30_000)).toBe(true);
  expect(driver.screen).toBe('ready\n> ');
  expect(await driver.say('hello there')).toBe(true);
  await waitUntil('it is heard', () => driver.screen.endsWith('> hello there\nheard\n> '), 30_000);
  await driver.stop();
  await waitUntil('it is stopped', () => driver.screen.includes('stopped'), 30_000);
  expect(await driver.pid()).toBeGreaterThan(0);
  await driver.quit();
  await waitUntil('it ends', () => driver.end !== undefined, 30_000);
  expect([driver.end, driver.canGoOn]).toEqual([{ code: 3, at: expect.any(Number) }, false]);
  expect((await driver.terminalLeft())?.modes).toEqual(['bracketed paste']);
  await driver.close();
});

onUnix(
  'what a program has written in its last moment counts, however late it is read',
  { timeout: 60_000 },
  async () => {
    const held: (() => void)[] = [];
    let isSlow = false;
    const slow = spied({
      came: (hand) => {
        if (isSlow) held.push(hand);
        else hand();
      },
    });
    const driver = drive(
      agent.replace('process.exit(3)', "process.stdout.write('\\x1b[?2004l', () => process.exit(3))"),
      slow,
    );
    expect(await driver.ready(30_000)).toBe(true);
    isSlow = true;
    await driver.quit();
    await waitUntil('it ends', () => driver.end !== undefined, 30_000);
    const left = driver.terminalLeft();
    await waitUntil('its last words', () => held.length > 0, 30_000);
    // Whoever does not wait for them has judged by now.
    for (let turns = 0; turns < 50; turns++) await new Promise<void>((resolve) => setImmediate(resolve));
    isSlow = false;
    for (const hand of held) hand();
    expect((await left)?.modes).toEqual([]);
    await driver.close();
  },
);

onUnix(
  'a second key that this machine has held up is pressed with its first one again, and never alone',
  { timeout: 60_000 },
  async () => {
    const keys: string[] = [];
    let lateMs = 0;
    const clock = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => clock() + lateMs);
    onTestFinished(() => void vi.restoreAllMocks());
    const held = spied({
      typed: (key) => {
        keys.push(key);
        // The first pause takes a second longer than it should.
        if (keys.length === 1) lateMs += 1000;
      },
    });
    const driver = drive(agent, held, { stop: ['\x1b', '\x1b'] });
    expect(await driver.ready(30_000)).toBe(true);
    await driver.stop();
    expect(keys).toEqual(['\x1b', '\x1b', '\x1b']);
    await driver.close();
  },
);

onUnix('a program is the one that was started, whatever it is called', { timeout: 60_000 }, async () => {
  const name = join(folder(), 'stty-agent');
  symlinkSync('/bin/sh', name);
  const driver = drive('', terminals, {}, [name, '-c', 'printf "> "; read -r word']);
  expect(await driver.ready(30_000)).toBe(true);
  expect(await driver.pid()).toBeGreaterThan(0);
  await driver.close();
});

onUnix.each([
  ['as they were', 'true', []],
  ['with a flag off', 'stty -echo', ['-echo']],
  ['with another key', 'stty eof ^A', ['eof = ^A']],
])('line settings that a program leaves %s are named', { timeout: 60_000 }, async (_name, change, line) => {
  const driver = drive('', terminals, {}, ['/bin/sh', '-c', `${change}; printf "> "; read -r word`]);
  expect(await driver.ready(30_000)).toBe(true);
  await driver.press(['\r']);
  await waitUntil('it ends', () => driver.end !== undefined, 30_000);
  expect(await driver.terminalLeft()).toEqual({ modes: [], line, path: expect.stringMatching(/^\/dev\//) });
  await driver.close();
});

onUnix('a key that comes behind the end is nothing that the program has left', { timeout: 60_000 }, async () => {
  const driver = drive(`${agent}process.stdin.resume()`);
  expect(await driver.ready(30_000)).toBe(true);
  await driver.quit();
  await waitUntil('it ends', () => driver.end !== undefined, 30_000);
  // To Ctrl+C and Ctrl+\\ nobody is there but the shell.
  await driver.press(['\x03', '\x1c', '\x03']);
  const left = await driver.terminalLeft();
  expect([driver.end?.code, left?.line]).toEqual([3, []]);
  await driver.close();
});
