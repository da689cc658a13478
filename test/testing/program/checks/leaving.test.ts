import { expect, it } from 'vitest';

import { hangup, kill, resume, terminate } from '../../../../src/testing/program/checks/leaving.ts';
import { fakeStage } from '../support.ts';

const working = {
  say: () => Promise.resolve(''),
  request: () => Promise.resolve({}),
  runs: () => Promise.resolve(),
  commands: { areUp: true },
  driver: { pid: () => Promise.resolve(undefined), hangUp: () => false },
};

it('a program without a window is not hung up, and one without a process not signalled', async () => {
  await expect(hangup.play(fakeStage(working), 1)).rejects.toThrow('it has no window');
  await expect(terminate.play(fakeStage(working), 1)).rejects.toThrow('the program has no process of its own');
  await expect(kill.play(fakeStage(working), 1)).rejects.toThrow('the program has no process of its own');
});

it('a program is taken up again only as its profile says', async () => {
  const withProfile = (profile: object) => fakeStage({ setup: { profile } });
  await expect(resume.play(withProfile({}), 1)).rejects.toThrow('the profile does not say how it is taken up again');
  await expect(resume.play(withProfile({ resume: ['a', '{prompt}'] }), 1)).rejects.toThrow('every prompt of it is one');
});
