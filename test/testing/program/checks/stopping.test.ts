import { expect, it } from 'vitest';

import { batch, retry, stream, tool } from '../../../../src/testing/program/checks/stopping.ts';
import { NotApplicable } from '../../../../src/testing/program/stage/findings.ts';
import { fakeStage, requestOf } from '../support.ts';

const stage = fakeStage({
  setup: { profile: { command: ['a'] } },
  main: [],
  folder: '/f',
  commands: { command: 'sh /c/all.sh' },
  shellCalls: (_: unknown, ...commands: string[]) => commands.map((command) => ({ name: 'bash', input: { command } })),
});

it('the model streams for long enough to be stopped, and is short after that', () => {
  expect(stream.script(requestOf([]), 1, stage)).toMatchObject({ chunkMs: 30 });
  expect(stream.script(requestOf([]), 2, stage)).toBe('Understood.');
});

it('the model calls the hostile commands, and in a batch a second one', () => {
  expect(tool.script(requestOf([]), 1, stage)).toMatchObject({ toolCalls: [{ input: { command: 'sh /c/all.sh' } }] });
  expect(batch.script(requestOf([]), 1, stage)).toMatchObject({
    toolCalls: [{ input: { command: 'sh /c/all.sh' } }, { input: { command: 'touch /f/second' } }],
  });
});

it('the model has no time in the words of its provider', () => {
  const busy = fakeStage({ main: [{}] });
  expect(retry.script(requestOf([]), 1, stage)).toMatchObject({ status: 429 });
  expect(retry.script(requestOf([]), 2, busy)).toMatchObject({ status: 529 });
  expect(retry.script(requestOf([], [], { dialect: 'openai-chat' }), 2, busy)).toMatchObject({ status: 503 });
});

it('the next prompt is answered, whatever came before', () => {
  const next = requestOf([{ role: 'user', content: 'q please go on' }]);
  expect(retry.script(next, 3, fakeStage({ main: [{}, {}] }))).toBe('Understood.');
});

it('a program that does not ask again has no wait to be stopped in', async () => {
  const silent = fakeStage({
    say: () => Promise.resolve(''),
    request: () => Promise.resolve({}),
    until: () => Promise.resolve(false),
    main: [],
  });
  await expect(retry.play(silent, 1)).rejects.toThrow(NotApplicable);
});
