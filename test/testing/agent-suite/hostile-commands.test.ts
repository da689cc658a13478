import { exec } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { HostileCommands } from '../../../src/testing/agent-suite/hostile-commands.ts';
import { waitUntil } from '../../../src/testing/waiting.ts';

it.skipIf(process.platform === 'win32')(
  'hostile commands are seen while they live, and none is left after their release',
  async () => {
    const commands = new HostileCommands();
    const shells = Object.values(commands.lines).map((line) => exec(line));
    try {
      await waitUntil('they run', () => commands.areUp, 30_000);
      // Their shells are gone, and they live on.
      for (const shell of shells) shell.kill('SIGKILL');
      expect(await commands.alive()).toEqual(expect.arrayContaining(['background', 'no environment', 'session']));
    } finally {
      await commands.release();
    }
    expect(existsSync(commands.folder)).toBe(false);
  },
);

it('hostile commands that nobody ran are not alive, and leave no folder', async () => {
  const commands = new HostileCommands();
  expect([commands.areUp, await commands.alive(), Object.keys(commands.lines).length]).toEqual([false, [], 4]);
  expect(existsSync(commands.folder)).toBe(true);
  await commands.release();
  expect(existsSync(commands.folder)).toBe(false);
});
