import { expect, it } from 'vitest';

import {
  batch,
  judgeBatch,
  lastWordIn,
  retry,
  speakInTheWait,
  stream,
  tool,
} from '../../../../src/testing/program/checks/stopping.ts';
import { NotApplicable, Unplayed } from '../../../../src/testing/program/stage/findings.ts';
import { now, type ModelRequest } from '../../../../src/testing/model-server/request-record.ts';
import { fakeStage, folder, patience, requestOf } from '../support.ts';

const stageIn = (run: string) =>
  fakeStage({
    setup: { profile: { command: ['a'] } },
    main: [],
    folder: run,
    commands: { command: 'sh /c/all.sh' },
    shellCalls: (_: unknown, ...commands: string[]) =>
      commands.map((command) => ({ name: 'bash', input: { command } })),
  });

it('the model streams for long enough to be stopped, and is short after that', () => {
  const stage = stageIn('/nowhere');
  expect(stream.script(requestOf([]), 1, stage)).toMatchObject({ chunkMs: 30 });
  expect(stream.script(requestOf([]), 2, stage)).toBe('Understood.');
});

it('a story goes on where words come that nobody has seen, however they are wrapped, and not where they are drawn anew', () => {
  expect(lastWordIn('w1 w2 w12\r\n{"text":"w3"}')).toBe(12);
  expect([lastWordIn(''), lastWordIn('wide w w12345 q1w7')]).toEqual([0, 0]);
});

it('the model calls two that end, then the hostile commands, and in a batch a second one', () => {
  const run = folder();
  const stage = stageIn(run);
  for (const { script } of [tool, batch]) {
    expect(script(requestOf([]), 1, stage)).toMatchObject({
      toolCalls: [{ input: { command: `touch ${run}/ended` } }],
    });
    expect(script(requestOf([]), 4, stage)).toBe('Understood.');
  }
  expect(tool.script(requestOf([]), 3, stage)).toMatchObject({ toolCalls: [{ input: { command: 'sh /c/all.sh' } }] });
  expect(batch.script(requestOf([]), 3, stage)).toMatchObject({
    toolCalls: [{ input: { command: 'sh /c/all.sh' } }, { input: { command: `touch ${run}/second` } }],
  });
});

it('a second call is left alone only where it could have been started: not while the first one runs', () => {
  const found: unknown[] = [];
  const stage = fakeStage({ find: (about: string, isSo: boolean) => found.push([about, isSo]) });
  judgeBatch(stage, { isStarted: true, isOver: false });
  judgeBatch(stage, { isStarted: false, isOver: true });
  judgeBatch(stage, { isStarted: false, isOver: false });
  expect(found).toEqual([
    ['batch', false],
    ['batch', true],
    ['fact', false],
  ]);
});

const prompt = (words: string, dialect = 'anthropic'): ModelRequest =>
  requestOf([{ role: 'user', content: `q ${words}` }], [], { dialect } as Partial<ModelRequest>);

it('the model has no time in the words of its provider', () => {
  const [first, openai] = [prompt('once more'), prompt('once more', 'openai-chat')];
  expect(retry.script(first, 1, fakeStage({ main: [first] }))).toMatchObject({ status: 429 });
  expect(retry.script(first, 2, fakeStage({ main: [first, first] }))).toMatchObject({ status: 529 });
  expect(retry.script(openai, 2, fakeStage({ main: [openai, openai] }))).toMatchObject({ status: 503 });
});

it('the first prompt is answered in its third attempt, the second one never, and what comes then at once', () => {
  const [first, second, next] = [prompt('begin'), prompt('once more'), prompt('please go on')];
  expect(retry.script(first, 3, fakeStage({ main: [first, first, first] }))).toBe('Understood.');
  const many = fakeStage({ main: [first, first, first, second, second, second] });
  expect(retry.script(second, 6, many)).toMatchObject({ status: 529 });
  expect(retry.script(next, 3, fakeStage({ main: [second, second, next] }))).toBe('Understood.');
});

it('a wait that is over before a key arrives is no wait to be stopped in', async () => {
  const main = [0, 40].map((receivedAt) => requestOf([{ role: 'user', content: 'q begin' }], [], { receivedAt }));
  const hasty = fakeStage({
    say: () => Promise.resolve(''),
    request: () => Promise.resolve({}),
    until: (isSo: () => boolean) => Promise.resolve(isSo()),
    main,
  });
  await expect(retry.play(hasty, 1)).rejects.toThrow('it waits 40 ms: that is over before anybody stops in it');
});

it.each([
  ['as the profile says', { command: ['a', '{prompt}'] }, undefined, NotApplicable, 'it takes one prompt, and ends'],
  ['as it was seen to', { command: ['a'] }, { endsWithAnswer: true }, NotApplicable, 'it ended with 0 once its first'],
  ['by a fault', { command: ['a'] }, {}, Unplayed, 'the program ended with 1 before its second prompt'],
])('a program that ends behind its first prompt %s is not asked another one', async (_, profile, known, kind, why) => {
  const main = [0, 400].map((receivedAt) => requestOf([{ role: 'user', content: 'q begin' }], [], { receivedAt }));
  const stage = fakeStage({
    setup: { profile, known },
    say: () => Promise.resolve(''),
    request: () => Promise.resolve({}),
    until: (isSo: () => boolean) => Promise.resolve(isSo()),
    settled: () => Promise.resolve(),
    driver: { canGoOn: false, end: { code: 1, at: 1 } },
    main,
  });
  await expect(retry.play(stage, 1)).rejects.toThrow(kind);
  await expect(retry.play(stage, 1)).rejects.toThrow(why);
});

it.each([
  ['at once', 40, 9000, true],
  ['when the wait is over', 5000, 4900, false],
  ['a little sooner than the wait was to be over', 5000, 5900, false],
  ['late, and sooner than that', 5000, 9000, true],
])(
  'a next prompt that is heard %s tells whether the program sleeps through the stop',
  async (_, afterMs, overMs, isSo) => {
    const found: Record<string, boolean> = {};
    const main: ModelRequest[] = [];
    const stage = fakeStage({
      setup: { profile: { command: ['a'] }, patience },
      watch: () => Promise.resolve(),
      say: (words: string) => {
        main.push(requestOf([{ role: 'user', content: words }], [], { receivedAt: now() + afterMs, finishedAt: 1 }));
        return Promise.resolve(words);
      },
      until: (so: () => boolean) => Promise.resolve(so()),
      find: (about: string, is: boolean) => (found[about] = is && found[about] !== false),
      driver: { canGoOn: true },
      conversation: { said: ['please go on'] },
      main,
    });
    await speakInTheWait(stage, 4000, now() + overMs);
    expect(found['prompt']).toBe(isSo);
  },
);

it('a program that does not ask again has no wait to be stopped in', async () => {
  const silent = fakeStage({
    say: () => Promise.resolve(''),
    request: () => Promise.resolve({}),
    until: () => Promise.resolve(false),
    main: [],
  });
  await expect(retry.play(silent, 1)).rejects.toThrow(NotApplicable);
});
