import { readlinkSync } from 'node:fs';
import { expect, it } from 'vitest';

import { hangup, kill, quit, resume, terminate } from '../../../../src/testing/program/checks/leaving.ts';
import type { ProcessRow } from '../../../../src/testing/program/outside/processes.ts';
import { fakeStage, requestOf } from '../support.ts';

const working = {
  setup: { profile: { command: ['a'] } },
  say: () => Promise.resolve(''),
  request: () => Promise.resolve(requestOf([])),
  runs: () => Promise.resolve(),
  commands: { areUp: true },
  ownProcesses: () => Promise.resolve([]),
  driver: { pid: () => Promise.resolve(undefined), hangUp: () => false },
};

it('a program without a window is not hung up, one without an input not left, and one without a process not signalled', async () => {
  await expect(hangup.play(fakeStage(working), 1)).rejects.toThrow('it has no window');
  const brief = { ...working, setup: { profile: { command: ['a', '{prompt}'] } } };
  await expect(quit.play(fakeStage(brief), 1)).rejects.toThrow('every prompt of it is one: who leaves presses stop');
  await expect(terminate.play(fakeStage(working), 1)).rejects.toThrow('the program has no process of its own');
  await expect(kill.play(fakeStage(working), 1)).rejects.toThrow('the program has no process of its own');
});

it('who leaves presses again while the program is still there, three times at most', async () => {
  const leave = async (needed: number) => {
    const said: string[] = [];
    let quits = 0;
    const driver = {
      quit: () => ((quits += 1), Promise.resolve()),
      get end() {
        return quits >= needed ? { code: 0 } : undefined;
      },
      terminalLeft: () => Promise.resolve(undefined),
    };
    const stage = fakeStage({
      ...working,
      driver,
      until: (isSo: () => boolean) => Promise.resolve(isSo()),
      timeline: { note: (_who: string, what: string) => said.push(what) },
      left: () => Promise.resolve({ left: [], ms: 9, living: [] }),
      find: () => undefined,
    });
    await quit.play(stage, 1);
    return [quits, ...said];
  };
  const again = 'leaves again, for it is still there';
  expect(await leave(1)).toEqual([1, 'leaves']);
  expect(await leave(2)).toEqual([2, again, 'leaves']);
  expect(await leave(9)).toEqual([3, again, again, 'leaves']);
});

it('a program is taken up again only as its profile says', async () => {
  const withProfile = (profile: object) =>
    fakeStage({ driver: {}, setup: { profile: { command: ['a'], ...profile } } });
  await expect(resume.play(withProfile({}), 1)).rejects.toThrow('the profile does not say how it is taken up again');
  await expect(resume.play(withProfile({ resume: ['a', '{prompt}'] }), 1)).rejects.toThrow('every prompt of it is one');
  const protocol = { through: 'acp', resume: ['a'] };
  await expect(resume.play(withProfile(protocol), 1)).rejects.toThrow('it does not load sessions');
});

it('who lives on is looked for among the commands and among what the program had started itself', async () => {
  const launched = { pid: 7, ppid: 1, command: 'node agent' };
  const found: string[] = [];
  const stage = fakeStage({
    ...working,
    driver: { hangUp: () => true },
    ownProcesses: () => Promise.resolve([launched]),
    timeline: { note: () => undefined },
    left: (_: number, others: readonly object[]) =>
      Promise.resolve({ left: others.map(() => 'node agent (7)'), ms: 9, living: others }),
    find: (about: string, isSo: boolean, sentence: string) => found.push(`${about} ${String(isSo)}: ${sentence}`),
  });
  await hangup.play(stage, 1);
  expect(found).toEqual(['tree-after-hangup false: alive after 9 ms: node agent (7)']);
});

it.skipIf(process.platform !== 'linux')(
  'a terminal that somebody of the program still reads from is not left yet, and one that nobody has is judged',
  async () => {
    const leave = async (path: string, ...line: readonly string[]) => {
      const found: string[] = [];
      const living: readonly ProcessRow[] = [{ pid: process.pid, ppid: 1, command: '/opt/agent' }];
      await quit.play(
        fakeStage({
          ...working,
          driver: {
            quit: () => Promise.resolve(),
            end: { code: 0 },
            terminalLeft: () =>
              Promise.resolve({ modes: ['bracketed paste'], line: line.length === 0 ? undefined : line, path }),
          },
          until: (isSo: () => boolean) => Promise.resolve(isSo()),
          timeline: { note: () => undefined },
          left: () => Promise.resolve({ left: ['agent'], ms: 9, living }),
          find: (about: string, isSo: boolean, sentence: string) => found.push(`${about} ${String(isSo)}: ${sentence}`),
        }),
        1,
      );
      return found.at(-1);
    };
    expect(await leave('/dev/pts/none')).toBe('terminal false: left: bracketed paste');
    expect(await leave('/dev/pts/none', '-icanon')).toBe('terminal false: left: bracketed paste, stty -icanon');
    const own = readlinkSync(`/proc/${String(process.pid)}/fd/0`);
    const unknown = `fact false: what it leaves of the terminal is not known: agent (${String(process.pid)}) still reads from it`;
    expect(await leave(own, '-icanon')).toBe(unknown);
  },
);
