import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { Family, nameOf } from '../../../../src/testing/program/stage/family.ts';
import { waitUntil } from '../../../../src/testing/waiting.ts';
import { folder } from '../support.ts';

it.skipIf(process.platform === 'win32')('a family is a program with what it has started, and no command', async () => {
  const commands = folder();
  const family = new Family(commands, `family${String(process.pid)}`);
  const script = `for (const time of ['71', '72']) console.log(require('node:child_process').spawn('sleep', [time]).pid); setInterval(() => {}, 9000)`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  const pids: number[] = [];
  child.stdout.on('data', (data: Buffer) => pids.push(...String(data).trim().split('\n').map(Number)));
  await waitUntil('both', () => pids.length === 2, 10_000);
  await waitUntil('their words', async () => (await family.all(child.pid)).slice(1).every((row) => row.command.startsWith('sleep')), 10_000); // prettier-ignore
  writeFileSync(join(commands, 'session'), `${String(pids[1])}\n`);
  const members = await family.members(child.pid);
  expect(members.map(({ pid }) => pid)).toEqual([child.pid, pids[0]]);
  expect(await family.remaining(members)).toHaveLength(2);
  expect(await family.remaining([{ pid: process.pid, ppid: 1, command: 'somebody of before' }])).toEqual([]);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await waitUntil('their end', async () => (await family.remaining(members)).length === 0, 10_000);
  const unseen = new Family(commands, 'unseen');
  expect([await unseen.members(undefined), await unseen.all(undefined)]).toEqual([[], []]);
});

it.skipIf(process.platform !== 'linux')(
  'what has left a family without its environment is known by its folder',
  async () => {
    const work = folder();
    const family = new Family('/no/such/folder', `bare${String(process.pid)}`, [work]);
    const program = spawn('sleep', ['75'], { stdio: 'ignore' });
    const daemon = spawn('sleep', ['76'], { cwd: work, env: {}, detached: true, stdio: 'ignore' });
    await Promise.all([once(program, 'spawn'), once(daemon, 'spawn')]);
    expect((await family.all(program.pid)).map(({ pid }) => pid).sort()).toEqual([program.pid, daemon.pid].sort());
    const ended = once(program, 'exit');
    program.kill('SIGKILL');
    await ended;
    expect((await family.all(undefined)).map(({ pid }) => pid)).toEqual([daemon.pid]);
    const exited = once(daemon, 'exit');
    await family.end();
    expect(await exited).toEqual([null, 'SIGKILL']);
  },
);

it.skipIf(process.platform !== 'linux')('what has left a family is known by its environment', async () => {
  const mark = `left${String(process.pid)}`;
  const family = new Family('/no/such/folder', mark);
  const env = { ...process.env, DESIST_CHECK: mark };
  const stranger = spawn('sleep', ['73'], { env, stdio: 'ignore' });
  const program = spawn('sleep', ['74'], { stdio: 'ignore' });
  await Promise.all([once(stranger, 'spawn'), once(program, 'spawn')]);
  const members = await family.members(program.pid);
  expect(members.map(({ pid }) => pid).sort()).toEqual([stranger.pid, program.pid].sort());
  // Its words have changed since, and it is still the same.
  expect(await family.remaining([{ pid: stranger.pid ?? 0, ppid: 1, command: 'as it was called' }])).toHaveLength(1);
  // Nor does it matter that nobody has seen it before: it may have been started on the way out.
  expect((await family.remaining([])).map(nameOf)).toEqual([`sleep 73 (${String(stranger.pid)})`]);
  const exited = once(stranger, 'exit');
  await family.end();
  expect(await exited).toEqual([null, 'SIGKILL']);
  expect(program.exitCode).toBeNull();
  // One that has been seen goes also without the mark.
  const end = once(program, 'exit');
  await family.end([{ pid: program.pid ?? 0, ppid: 1, command: 'sleep 74' }]);
  expect(await end).toEqual([null, 'SIGKILL']);
});

it.skipIf(process.platform !== 'linux')(
  'who has left with nothing but the address of the model is of the family of its server alone',
  async () => {
    const url = 'http://127.0.0.1:4123';
    const sleep = (address: string) => spawn('/bin/sleep', ['77'], { env: { BASE_URL: address }, stdio: 'ignore' });
    const own = [sleep(url), sleep(`${url}/v1`)];
    const other = sleep(`${url}4`);
    await Promise.all([...own, other].map((child) => once(child, 'spawn')));
    const ends = own.map((child) => once(child, 'exit'));
    await new Family('/no/such/folder', `url${String(process.pid)}`, [], url).end();
    await Promise.all(ends);
    expect(other.signalCode).toBeNull();
    other.kill('SIGKILL');
    await once(other, 'exit');
  },
);
