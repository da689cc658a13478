import { expect, it } from 'vitest';

import { expectSilence, judgeTold, speakAgain } from '../../../../src/testing/program/checks/after-stop.ts';
import { Conversation } from '../../../../src/testing/program/conversation/conversation.ts';
import { fakeStage, requestOf } from '../support.ts';

/** Of a program without a terminal. */
const nothingLeft = () => Promise.resolve(undefined);

function stageWith(parts: object) {
  const found: Record<string, [boolean, string]> = {};
  const words: string[] = [];
  const find = (about: string, isSo: boolean, sentence: string): void => void (found[about] = [isSo, sentence]);
  const until = (isSo: () => boolean) => Promise.resolve(isSo());
  const say = (text: string) => Promise.resolve(`mark ${text}`);
  const setup = { profile: { command: ['a'] } };
  const main: unknown[] = [];
  const common = {
    main,
    setup,
    find,
    until,
    say,
    words,
    conversation: { said: [] },
    mark: 'mark',
    watch: () => Promise.resolve(),
    ownProcesses: () => Promise.resolve([]),
  };
  return { found, words, stage: fakeStage({ ...common, ...parts }) };
}

it('a request of the conversation after the stop breaks the silence, however soon; one of before or beside it does not', async () => {
  const [early, late, beside] = [1000, 1001, 1600].map((receivedAt) => requestOf([], [], { receivedAt }));
  const conversation = { isOf: (request: unknown) => request !== beside, said: [] };
  const quiet = stageWith({ server: { requests: [early, beside] }, conversation });
  await expectSilence(quiet.stage, 1000);
  expect(quiet.found['silence']?.[0]).toBe(true);
  expect(quiet.found['fact']?.[1]).toBe('1 request beside the conversation after the stop');
  // Its script was never asked for one that is refused.
  const loud = stageWith({ server: { requests: [early, late] }, main: [early], conversation });
  await expectSilence(loud.stage, 1000);
  expect(loud.found['silence']).toEqual([false, '1 request of the conversation after the stop, the first after 1 ms']);
});

it('a request with nothing that the person has said since the stop breaks the silence, also as the person speaks', async () => {
  const says = (at: number, ...texts: string[]) =>
    requestOf(
      texts.map((content) => ({ role: 'user', content })),
      [],
      { receivedAt: at, finishedAt: at },
    );
  const before = says(900, 'mark begin');
  const conversation = { said: ['mark begin', 'mark also-this', 'mark please go on'], isOf: () => true };
  const play = async (...asked: readonly ReturnType<typeof says>[]) => {
    const main = [before];
    const say = (text: string) => {
      main.push(...asked);
      return Promise.resolve(`mark ${text}`);
    };
    const common = { main, say, conversation, stopped: { at: 1000 }, driver: { canGoOn: true } };
    const { stage, found } = stageWith({ ...common, server: { requests: main } });
    await speakAgain(stage);
    return found;
  };
  const next = says(1300, 'mark begin', 'mark please go on');
  const waited = says(1200, 'mark begin', 'mark also-this');
  expect(await play(waited, next)).not.toHaveProperty('silence');
  expect((await play(says(1200, 'mark begin'), next))['silence']).toEqual([
    false,
    '1 request of the conversation, before the next prompt, without anything that the person has said',
  ]);
});

it('a next prompt that is refused has reached the model, and one that never comes has not', async () => {
  const refused = requestOf([{ role: 'user', content: 'mark please go on' }], [], {
    refusal: 'unanswered',
    finishedAt: 1,
  });
  const one = stageWith({ driver: { canGoOn: true }, main: [], server: { requests: [refused] } });
  expect(await speakAgain(one.stage)).toBe(refused);
  expect(one.found).toEqual({ prompt: [true, 'the next prompt reaches the model'], legal: [false, 'unanswered'] });
  const none = stageWith({ driver: { canGoOn: true }, main: [], server: { requests: [] } });
  expect(await speakAgain(none.stage)).toBeUndefined();
  expect(none.found).toEqual({ prompt: [false, 'the next prompt never reached the model'] });
});

it('a next prompt that only a request beside the conversation has is not called lost', async () => {
  const beside = requestOf([{ role: 'user', content: 'mark please go on' }]);
  const { stage, found } = stageWith({ driver: { canGoOn: true }, server: { requests: [beside] } });
  expect(await speakAgain(stage)).toBeUndefined();
  const sentence = 'the next prompt reaches the model only beside the conversation, as it seems';
  expect(found).toEqual({ fact: [false, sentence] });
});

it('a stopped prompt of the protocol is answered, or its client waits for ever', async () => {
  const driver = { canGoOn: true, answer: { how: undefined as string | undefined } };
  const deaf = stageWith({ driver, server: { requests: [] } });
  expect(await speakAgain(deaf.stage)).toBeUndefined();
  expect(deaf.found).toEqual({ prompt: [false, 'the stopped prompt is never answered: its client still waits'] });
  driver.answer.how = 'end_turn';
  const wrong = stageWith({ driver, server: { requests: [] } });
  await speakAgain(wrong.stage);
  expect(wrong.found).toMatchObject({ fact: [false, 'the stopped prompt is answered with end_turn'] });
});

it.each([
  ['one in a terminal', { command: ['a'] }, 'prompt', false],
  ['one of the protocol', { command: ['a'], through: 'acp' }, 'prompt', false],
  ['one on a pipe', { command: ['a'], through: 'lines' }, 'fact', false],
  ['one that takes one prompt', { command: ['a', '{prompt}'] }, 'fact', true],
])('a program that has ended with the stop has no next prompt: %s', async (_, profile, about, isSo) => {
  const driver = { canGoOn: false, end: { code: 130, at: 1040 }, terminalLeft: nothingLeft };
  const { stage, found } = stageWith({ driver, stopped: { at: 1000 }, setup: { profile } });
  expect(await speakAgain(stage)).toBeUndefined();
  expect(found).toEqual({
    [about]: [isSo, 'the program has ended with the stop (exit code 130): there is no next prompt'],
  });
});

it('a program that has heard the model out has not ended with the stop, and one of one answer is to end', async () => {
  const driver = { canGoOn: false, end: { code: 0, at: 9000 }, terminalLeft: nothingLeft };
  const reply = requestOf([], [], { closedAt: 8900, closedEarly: false });
  const deaf = stageWith({
    driver,
    stopped: { at: 1000 },
    main: [reply],
    setup: { profile: { command: ['a', '{prompt}'] } },
  });
  await speakAgain(deaf.stage);
  const how = 'once the model had said all, and not with the stop (exit code 0)';
  expect(deaf.found).toEqual({ fact: [false, `the program has ended ${how}: there is no next prompt`] });
  const known = { endsWithAnswer: true };
  const brief = stageWith({ driver, stopped: { at: 1000 }, setup: { profile: { command: ['a'] }, known } });
  await speakAgain(brief.stage);
  expect(brief.found).toEqual({
    fact: [true, 'the program has ended with the stop (exit code 0): there is no next prompt'],
  });
});

it('what a program that has ended with the stop leaves of its terminal is judged', async () => {
  const left = { modes: ['hidden cursor'], line: ['-icanon'], path: '/dev/pts/none' };
  const driver = { canGoOn: false, end: { code: 0, at: 1040 }, terminalLeft: () => Promise.resolve(left) };
  const { stage, found } = stageWith({ driver, stopped: { at: 1000 } });
  await speakAgain(stage);
  expect(found['terminal']).toEqual([false, 'left: hidden cursor, stty -icanon']);
});

it('a promise that the model is told does not vanish where no next prompt reached it', () => {
  const none = stageWith({});
  judgeTold(none.stage, undefined);
  expect(none.found).toEqual({});
  const promised = stageWith({ setup: { profile: { command: ['a'], promises: ['told'] } } });
  judgeTold(promised.stage, undefined);
  const sentence = 'whether the model is told of the stop is not known: no next prompt reached it';
  expect(promised.found).toEqual({ fact: [false, sentence] });
});

it('a program that takes one prompt and lives on after the stop gives no prompt back, also where it could be resumed', async () => {
  for (const canGoOn of [false, true]) {
    const driver = { canGoOn, end: undefined, pid: () => Promise.resolve(7) };
    const setup = { profile: { command: ['a', '{prompt}'] }, goneMs: 1 };
    const { stage, found } = stageWith({ driver, setup, stopped: { at: 1000 } });
    expect(await speakAgain(stage)).toBeUndefined();
    expect(found).toEqual({ prompt: [false, 'the program still runs after the stop: its prompt never comes back'] });
  }
});

const callOf = (id: string) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name: 'bash', input: { command: `run ${id}` } }],
});
const resultOf = (id: string, content: string) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content }],
});

/** A stage on which these calls were handed out, the last of which was stopped behind this request. */
function stoppedBehind(ids: readonly string[], before?: readonly object[]) {
  const conversation = new Conversation('mark', undefined);
  conversation.calls.push(...ids.map((id) => ({ id, name: 'bash', input: { command: `run ${id}` } })));
  conversation.said.push('mark begin', 'mark please go on', 'Understood.');
  const calls = conversation.calls.slice(-1);
  const main = before === undefined ? [] : [requestOf(before)];
  return stageWith({ conversation, main, stopped: { at: 1, calls } });
}

it('what a program says around every prompt tells nothing of a stop', () => {
  const say = (words: string) => ({
    role: 'user',
    content: `Report errors.\n<q>mark ${words}</q> (if it fails, say so)`,
  });
  const before = [say('begin'), callOf('a'), resultOf('a', 'done')];
  const { stage, found } = stoppedBehind(['a', 'b'], before);
  const answered = { role: 'assistant', content: 'Understood.' };
  judgeTold(stage, requestOf([...before, callOf('b'), resultOf('b', 'done'), answered, say('please go on')]));
  expect([found['honest']?.[0], found['told']?.[0]]).toEqual([false, false]);
});

it('a stopped call that is told as finished is a lie, and of a turn that was taken out of the history nothing is told', () => {
  const before = [{ role: 'user', content: 'mark begin' }, callOf('a'), resultOf('a', 'done')];
  const lie = stoppedBehind(['a', 'b'], before);
  judgeTold(lie.stage, requestOf([...before, callOf('b'), resultOf('b', 'done')]));
  expect(lie.found).toMatchObject({
    honest: [false, 'a stopped call is told as a finished one'],
    told: [false, expect.anything()],
  });
  expect(lie.words).toHaveLength(5);
  const gone = stoppedBehind([]);
  judgeTold(gone.stage, requestOf([{ role: 'user', content: 'mark please go on' }]));
  expect(gone.found).toEqual({
    told: [false, 'the stopped turn is not in the history: the model does not know of it'],
  });
});

it('where no call was seen to finish nobody is said to be honest, and nobody to lie', () => {
  const { stage, found } = stoppedBehind(['a']);
  judgeTold(stage, requestOf([{ role: 'user', content: 'mark begin' }, callOf('a'), resultOf('a', '')]));
  expect(found).toEqual({ told: [false, 'the model is not told of the stop'] });
});

it.each(['Abge-\nbrochen.', 'Command finished, exit code 0.'])(
  'words that this check cannot judge are shown, and tell of no stop: %j',
  (words) => {
    const before = [{ role: 'user', content: 'mark begin' }, callOf('a'), resultOf('a', '(no output)')];
    const { stage, found } = stoppedBehind(['a', 'b'], before);
    judgeTold(stage, requestOf([...before, callOf('b'), resultOf('b', words)]));
    expect(found).toEqual({
      fact: [false, `it is said of a stopped call: “${words.replace('\n', ' ')}”`],
      told: [false, 'no known words of a stop are said to the model'],
    });
  },
);
