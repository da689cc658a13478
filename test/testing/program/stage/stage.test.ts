import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';

import { CancelledError, CancellationTokenSource } from '../../../../src/index.ts';
import { Stage } from '../../../../src/testing/program/stage/stage.ts';
import { readProcesses } from '../../../../src/testing/program/outside/processes.ts';
import { Patience } from '../../../../src/testing/program/stage/patience.ts';
import { waitUntil } from '../../../../src/testing/waiting.ts';
import { bash, knownBy, lineAgent, requestOf, setupOf } from '../support.ts';

it('a stage answers the conversation by its script, and what is beside it with a word', async () => {
  const stage = await Stage.open(setupOf({ command: ['a'] }, knownBy(requestOf([]))), (_, n) => `answer ${String(n)}`);
  const prompt = { role: 'user', content: `${stage.mark} begin` };
  const script = (_: unknown, n: number) => `answer ${String(n)}`;
  expect(stage.answer(requestOf([prompt], []), script)).toBe('Check');
  expect(stage.answer(requestOf([{ role: 'user', content: 'else' }]), script)).toBe('Check');
  expect(stage.answer(requestOf([prompt]), script)).toBe('answer 1');
  expect(stage.main).toHaveLength(1);
  expect(stage.shellCalls(requestOf([], [bash]), 'ls', 'pwd')).toEqual([
    { name: 'bash', input: { command: 'ls' } },
    { name: 'bash', input: { command: 'pwd' } },
  ]);
  expect(stage.shellCalls(requestOf([], []), 'ls')).toEqual([]);
  await stage.close();
  expect(existsSync(stage.folder)).toBe(false);
});

it.skipIf(process.platform === 'win32')('a stage starts a program, speaks with it, and leaves none of it', async () => {
  const profile = { command: [process.execPath, '-e', lineAgent], through: 'lines', ready: 'ready' } as const;
  const stage = await Stage.open(setupOf(profile), () => 'Hello from the model.');
  await stage.start();
  await stage.say('begin');
  expect((await stage.request(1)).dialect).toBe('anthropic');
  await stage.need('the answer', () => stage.driver.screen.includes('Hello from the model.'), 10_000);
  const pid = await stage.driver.pid();
  await stage.close();
  expect(() => process.kill(pid ?? 0, 0)).toThrow();
  expect(stage.timeline.entries.map(({ what }) => what)).toEqual([
    'starts the program',
    'is ready',
    `says “${stage.mark} begin”`,
  ]);
});

it('a request that the provider refuses is named as such, and not as one that did not come', async () => {
  const stage = await Stage.open(setupOf({ command: ['a'] }), () => 'Hello.');
  const orphan = { type: 'tool_result', tool_use_id: 'nobody', content: 'ok' };
  const messages = [{ role: 'user', content: [orphan, { type: 'text', text: `${stage.mark} begin` }] }];
  const body = JSON.stringify({ model: 'm', max_tokens: 9, messages });
  const response = await fetch(`${stage.server.url}/v1/messages`, { method: 'POST', body });
  await response.arrayBuffer();
  await expect(stage.request(1, 1)).rejects.toThrow('request 1 of the conversation was refused: see the screen');
  expect(stage.findings).toMatchObject([
    { about: 'legal', status: 'failed', sentence: expect.stringContaining('nobody') },
  ]);
  await expect(stage.request(2, 1)).rejects.toThrow('request 2 of the conversation was refused');
  await stage.close();
});

it('a stage that nobody wants any more ends each wait, and a limit that passes does not', async () => {
  const stop = new CancellationTokenSource();
  const patience = await Patience.begin(stop.token);
  const stage = await Stage.open({ ...setupOf({ command: ['a'] }), patience }, () => 'Hello.');
  expect(await stage.until(() => false, 1)).toBe(false);
  await expect(stage.until(() => Promise.reject(new Error('no ps')), 1000)).rejects.toThrow('no ps');
  const waits = [stage.watch(60_000), stage.until(() => false, 60_000), stage.request(1)];
  const ends = Promise.allSettled(waits);
  stop.cancel('user');
  const reasons = (await ends).map((end) => end.status === 'rejected' && end.reason instanceof CancelledError);
  expect(reasons).toEqual([true, true, true]);
  await stage.close();
});

it.skipIf(process.platform === 'win32')(
  'a stage names who lives on: the program, what it has started, and no number alone',
  async () => {
    const agent = `require('node:child_process').spawn('sleep', ['61']); console.log('ready'); setInterval(() => {}, 9000)`;
    const profile = { command: [process.execPath, '-e', agent], through: 'lines', ready: 'ready' } as const;
    const stage = await Stage.open({ ...setupOf(profile), goneMs: 50 }, () => 'Hello.');
    await stage.start();
    const own = await stage.ownProcesses();
    expect(own.map(({ command }) => command)).toEqual([expect.stringContaining('setInterval'), 'sleep 61']);
    const [, sleep] = own;
    expect((await stage.left(0, own)).left).toEqual([
      expect.stringMatching(/^\S*node.* -e require.* \(\d+\)$/),
      `sleep 61 (${String(sleep?.pid)})`,
    ]);
    const { left } = await stage.left(0, [{ pid: process.pid, ppid: 1, command: 'somebody of before' }]);
    expect(left.filter((name) => name.endsWith(`(${String(process.pid)})`))).toEqual([]);
    await stage.close();
  },
);

it.skipIf(process.platform !== 'linux')(
  'a stage knows what has left its family, and what has changed its words, by the environment',
  async () => {
    const daemon = `require('node:child_process').spawn('sleep', ['62'], { detached: true, stdio: 'ignore' })`;
    const leave = `require('node:child_process').spawnSync(process.execPath, ['-e', \`${daemon}.unref()\`])`;
    const agent = `${leave}; console.log('ready'); process.on('SIGUSR2', () => (process.title = 'other')); setInterval(() => {}, 9000)`;
    const profile = { command: [process.execPath, '-e', agent], through: 'lines', ready: 'ready' } as const;
    const stage = await Stage.open({ ...setupOf(profile), goneMs: 50 }, () => 'Hello.');
    await stage.start();
    const own = await stage.ownProcesses();
    expect(own.map(({ command }) => command)).toEqual(expect.arrayContaining(['sleep 62']));
    const pid = (await stage.driver.pid()) ?? 0;
    process.kill(pid, 'SIGUSR2');
    await stage.need(
      'its other name',
      async () => (await stage.ownProcesses()).some((row) => row.pid === pid && !row.command.includes('spawnSync')),
      10_000,
    );
    expect((await stage.left(0, own)).left).toHaveLength(2);
    await stage.close();
    const isGone = async () => {
      const rows = await readProcesses();
      return own.every(({ pid: one }) => rows.every((row) => row.pid !== one));
    };
    await waitUntil('the end of them', isGone, 10_000);
  },
);

it.skipIf(process.platform === 'win32')(
  'a stop is heard before the program is ready, and nothing is left of it',
  async () => {
    const stop = new CancellationTokenSource();
    const command = [process.execPath, '-e', `console.log('up'); setInterval(() => {}, 9000)`];
    const setup = setupOf({ command, through: 'lines', ready: 'never' });
    const patience = await Patience.begin(stop.token, () => Promise.resolve(100));
    const stage = await Stage.open({ ...setup, patience }, () => 'Hello.');
    const started = stage.start();
    await waitUntil('it runs', () => stage.driver.screen.includes('up'), 30_000);
    const pid = await stage.driver.pid();
    stop.cancel('user');
    await expect(started).rejects.toThrow(CancelledError);
    await stage.close();
    expect(() => process.kill(pid ?? 0, 0)).toThrow();
  },
);
