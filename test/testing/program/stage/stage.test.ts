import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';

import { NotApplicable } from '../../../../src/testing/program/stage/findings.ts';
import { Stage } from '../../../../src/testing/program/stage/stage.ts';
import { bash, lineAgent, requestOf, setupOf } from '../support.ts';

it('a stage answers the conversation by its script, and what is beside it with a word', async () => {
  const stage = await Stage.open(setupOf({ command: ['a'] }, 1), (_, n) => `answer ${String(n)}`);
  const prompt = { role: 'user', content: `${stage.mark} begin` };
  const script = (_: unknown, n: number) => `answer ${String(n)}`;
  expect(stage.answer(requestOf([prompt], []), script)).toBe('Check');
  expect(stage.answer(requestOf([{ role: 'user', content: 'else' }]), script)).toBe('Check');
  expect(stage.answer(requestOf([prompt]), script)).toBe('answer 1');
  expect(stage.main).toHaveLength(1);
  expect(stage.shellCall(requestOf([], [bash]), 'ls')).toEqual({ name: 'bash', input: { command: 'ls' } });
  expect(() => stage.shellCall(requestOf([], []), 'ls')).toThrow(NotApplicable);
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
