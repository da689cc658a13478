import { expect, it } from 'vitest';

import type { DriverStart } from '../../../../src/testing/program/drivers/driver.ts';
import { LinesDriver } from '../../../../src/testing/program/drivers/lines-driver.ts';
import { waitUntil } from '../../../../src/testing/waiting.ts';
import { folder, patience } from '../support.ts';

const echo = `
process.on('SIGINT', () => console.log('interrupted'));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => console.log('heard ' + line)).on('close', () => process.exit(4));
console.log('ready');`;

function startOf(command: readonly string[], commandFor: DriverStart['commandFor'] = () => undefined): DriverStart {
  const profile = { command, ready: 'ready' };
  return { profile, command, commandFor, env: {}, cwd: folder(), notes: '', terminals: undefined, patience, mcp: '' };
}

it.skipIf(process.platform === 'win32')(
  'lines are prompts, a signal is the stop, and the end of input the way out',
  async () => {
    const driver = new LinesDriver(startOf([process.execPath, '-e', echo]));
    expect(await driver.ready(10_000)).toBe(true);
    await driver.say('hello');
    await waitUntil('it is heard', () => driver.output.text.includes('heard hello'), 10_000);
    await driver.stop();
    await waitUntil('it is interrupted', () => driver.screen.includes('interrupted'), 10_000);
    expect([driver.canGoOn, driver.hangUp(), await driver.terminalLeft()]).toEqual([true, false, undefined]);
    await driver.quit();
    await waitUntil('it ends', () => driver.end !== undefined, 10_000);
    expect([driver.end, driver.canGoOn, await driver.pid()]).toEqual([
      { code: 4, at: expect.any(Number) },
      false,
      undefined,
    ]);
    await driver.close();
  },
);

it.skipIf(process.platform === 'win32')(
  'a program that takes one prompt is started for each, the next time as the profile says',
  async () => {
    const command = ['sh', '-c', 'echo "{prompt}"'];
    const commandFor: DriverStart['commandFor'] = (prompt, isFirst) => [
      'sh',
      '-c',
      `echo "${isFirst ? 'first' : 'next'} ${prompt}"`,
    ];
    const driver = new LinesDriver(startOf(command, commandFor));
    expect(await driver.ready(1)).toBe(true);
    for (const text of ['one', 'two']) {
      await driver.say(text);
      await waitUntil('it is said', () => driver.output.text.includes(text), 10_000);
    }
    expect([driver.output.text, driver.canGoOn]).toEqual(['first one\nnext two\n', true]);
    await driver.close();
    const missing = new LinesDriver(startOf(['/no/such/program']));
    expect(await missing.ready(10_000)).toBe(false);
    expect(missing.end).toEqual({ code: 127, at: expect.any(Number) });
    await missing.close();
  },
);
