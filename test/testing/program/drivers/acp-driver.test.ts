import { expect, it } from 'vitest';

import { AcpDriver } from '../../../../src/testing/program/drivers/acp-driver.ts';
import { waitUntil } from '../../../../src/testing/waiting.ts';
import { folder, patience } from '../support.ts';

const agent = `
const write = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
let prompt;
const options = [{ optionId: 'no', kind: 'reject_once' }, { optionId: 'yes', kind: 'allow_once' }];
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === 'initialize') write({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: !process.env.FORGETS } } });
  else if (method === 'session/new') write({ id, result: { sessionId: 's ' + params.mcpServers[0].args[0] } });
  else if (method === 'session/load') write(params.sessionId === 's of before' ? { id, result: null } : { id, error: { code: 1, message: 'unknown' } });
  else if (method === 'session/prompt' && params.prompt[0].text === 'fail') write({ id, error: { code: 1, message: 'no' } });
  else if (method === 'session/prompt') { prompt = id; write({ id: 'p', method: 'session/request_permission', params: { options } }); }
  else if (method === 'session/cancel') { write({ id: prompt, result: { stopReason: 'cancelled' } }); write({ id: 'q', method: 'session/request_permission', params: { options } }); }
  else console.error('said ' + JSON.stringify(result));
});`;

const command = [process.execPath, '-e', agent];
const common = { commandFor: () => undefined, notes: '', terminals: undefined, patience, mcp: '/m.cjs' };
const drive = (env: Readonly<Record<string, string>> = {}, session?: string) =>
  new AcpDriver({ ...common, env, session, profile: { command }, command, cwd: folder() });

it.skipIf(process.platform === 'win32')(
  'a conversation of the protocol is loaded again by its session, where the agent can do that',
  async () => {
    const drivers = [drive(), drive({ FORGETS: '1' }), drive({}, 's of before'), drive({}, 's of nobody')];
    expect(await Promise.all(drivers.map((driver) => driver.ready(10_000)))).toEqual([true, true, true, false]);
    const sessions = drivers.map(({ session }) => session);
    expect(sessions).toEqual(['s /m.cjs', undefined, 's of before', undefined]);
    for (const driver of drivers) await driver.close();
  },
);

it.skipIf(process.platform === 'win32')(
  'an agent of the protocol gets its prompt, its permission, and after the stop none',
  async () => {
    const driver = drive();
    expect(await driver.ready(10_000)).toBe(true);
    expect(driver.answer).toBeUndefined();
    await driver.say('hello');
    expect(driver.answer).toEqual({ how: undefined });
    await waitUntil('permission', () => driver.output.text.includes('"optionId":"yes"'), 10_000);
    await driver.stop();
    await waitUntil(
      'no permission',
      () => driver.output.text.includes('said {"outcome":{"outcome":"cancelled"}}'),
      10_000,
    );
    expect([driver.canGoOn, driver.hangUp()]).toEqual([true, false]);
    await waitUntil('the answer', () => driver.answer?.how !== undefined, 10_000);
    expect(driver.answer).toEqual({ how: 'cancelled' });
    await driver.say('fail');
    await waitUntil('the failure', () => driver.answer?.how !== undefined, 10_000);
    expect(driver.answer).toEqual({ how: 'an error: no' });
    await driver.close();
    expect(driver.end).toEqual({ code: 137, at: expect.any(Number) });
  },
);
