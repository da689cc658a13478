import { expect, it } from 'vitest';

import {
  atCommand,
  atWork,
  atWorkBehind,
  behindFinished,
  endless,
  isRunner,
  work,
} from '../../../../src/testing/program/checks/at-work.ts';
import { fakeStage, folder, requestOf } from '../support.ts';

function stageOf(request: object, done: string[] = []) {
  return fakeStage({
    setup: { profile: { command: ['a'] } },
    say: () => Promise.resolve(''),
    request: () => Promise.resolve(request),
    runs: (isUp: () => boolean) => Promise.resolve(done.push(`runs ${String(isUp())}`)),
    need: (what: string) => Promise.resolve(done.push(what)),
    until: (isSo: () => boolean) => Promise.resolve(done.push(`waits ${String(isSo())}`)),
    driver: { output: { since: () => '\x1b[32mw1 w2 w3' } },
    seeProcesses: () => Promise.resolve(),
    timeline: { note: () => undefined },
    commands: { areUp: true, command: 'sh all.sh' },
    server: { requests: [request] },
    conversation: { isOf: () => true },
    shellCalls: (_: unknown, command: string) => [{ name: 'bash', input: { command } }],
  });
}

const runner = requestOf([]);
const speaker = requestOf([], [], { stream: true, deltasWritten: 9 });

it('the work of a program with a shell tool is a command, and that of another one a reply without an end', () => {
  expect([isRunner(runner, stageOf(runner)), isRunner(speaker, stageOf(speaker))]).toEqual([true, false]);
  const named = fakeStage({ setup: { profile: { command: ['a'], shell: 'do_it' } } });
  expect([isRunner(requestOf([], [{ name: 'do_it' }]), named), isRunner(runner, named)]).toEqual([true, false]);
  expect(work(runner, 1, stageOf(runner))).toMatchObject({ toolCalls: [{ input: { command: 'sh all.sh' } }] });
  expect(work(speaker, 1, stageOf(speaker))).toBe(endless);
  expect(endless).toMatchObject({ text: expect.stringMatching(/^w1 w2 .* w1999 w2000$/), silentAfter: 1999 });
  expect(work(runner, 2, stageOf(runner))).toBe('Understood.');
});

it('a program is at work once its command runs, or once its reply streams', async () => {
  const done: string[] = [];
  await atWork(stageOf(runner, done), () => false);
  await atWork(stageOf(speaker, done));
  expect(done).toEqual(['runs false', 'the stream', 'waits true']);
});

it('a program without a shell tool has no command to be waited for', async () => {
  await expect(atCommand(stageOf(speaker))).rejects.toThrow('the program declares no tool that runs commands');
});

it('a program with a shell tool ends two commands before it works, and one without has nothing that could end', async () => {
  const done: string[] = [];
  const ended = stageOf(runner, done);
  const run = folder();
  Object.assign(ended, { folder: run });
  const script = behindFinished(work);
  expect(script(runner, 1, ended)).toMatchObject({ toolCalls: [{ input: { command: `touch ${run}/ended` } }] });
  expect(script(runner, 2, ended)).toMatchObject({ toolCalls: [{ input: { command: `sh ${run}/slow.sh` } }] });
  expect(script(runner, 3, ended)).toEqual(work(runner, 1, ended));
  expect(script(speaker, 1, stageOf(speaker))).toBe(endless);
  expect(script(speaker, 2, stageOf(speaker))).toBe('Understood.');
  await atWorkBehind(ended);
  await atWorkBehind(stageOf(speaker, done));
  expect(done).toEqual(['runs false', 'runs false', 'runs true', 'the stream', 'waits true']);
});

it('a program that has asked on before anybody looked has asked', async () => {
  const done: string[] = [];
  const requests = [1, 2, 3].map((n) => requestOf([{ role: 'user', content: String(n) }]));
  const request = (n: number) => Promise.resolve(requests[n - 1]);
  const quick = stageOf(runner, done);
  Object.assign(quick, { folder: folder(), server: { requests }, request });
  await atCommand(quick);
  expect(done).toEqual(['runs false', 'runs true', 'runs true']);
});
