import * as terminals from '@lydell/node-pty';
import { expect, it } from 'vitest';

import { TerminalDriver } from '../../../../src/testing/program/drivers/terminal-driver.ts';
import { waitUntil } from '../../../../src/testing/waiting.ts';
import { folder } from '../support.ts';

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

it.skipIf(process.platform === 'win32')(
  'keys are typed and seen, and what is left of the terminal is told',
  { timeout: 60_000 },
  async () => {
    const command = [process.execPath, '-e', agent];
    const common = { commandFor: () => undefined, env: { PATH: process.env['PATH'] ?? '' }, factor: 5, mcp: '' };
    const profile = { command, ready: '> $', quit: ['\x03'] };
    const driver = new TerminalDriver({ ...common, terminals, profile, command, cwd: folder(), notes: folder() });
    expect(await driver.ready(30_000)).toBe(true);
    expect(driver.screen).toBe('ready\n> ');
    expect(await driver.say('hello there')).toBe(true);
    await waitUntil('it is heard', () => driver.screen.endsWith('> hello there\nheard\n> '), 30_000);
    await driver.stop();
    await waitUntil('it is stopped', () => driver.screen.includes('stopped'), 30_000);
    expect(await driver.pid()).toBeGreaterThan(0);
    await driver.quit();
    await waitUntil('it ends', () => driver.end !== undefined, 30_000);
    expect([driver.end, driver.canGoOn]).toEqual([{ code: 3 }, false]);
    expect((await driver.terminalLeft())?.modes).toEqual(['bracketed paste']);
    await driver.close();
  },
);
