import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { deferred } from '../../../../src/testing/fakes.ts';
import { mcp, message, queued } from '../../../../src/testing/program/checks/speaking.ts';
import { DEAF_TOOL } from '../../../../src/testing/program/outside/deaf-mcp-server.ts';
import { NotApplicable, Unplayed } from '../../../../src/testing/program/stage/findings.ts';
import { bash, fakeStage, folder, patience, requestOf } from '../support.ts';

const withProfile = (profile: object) => fakeStage({ setup: { profile: { command: ['a'], ...profile } } });

it('a message needs a program that can be spoken to while it works', async () => {
  await expect(message.play(withProfile({ through: 'acp' }), 1)).rejects.toThrow('the protocol has no message');
  await expect(queued.play(withProfile({ command: ['a', '{prompt}'] }), 1)).rejects.toThrow(
    'it takes one prompt, and ends',
  );
  const brief = fakeStage({ setup: { profile: { command: ['a'] }, known: { endsWithAnswer: true } } });
  await expect(message.play(brief, 1)).rejects.toThrow('it ended with 0 once its first prompt was answered');
});

it('the tool of a deaf server is found by what it says of itself, under any name, or as the profile names it', () => {
  const tools = [
    { name: 'wait_for_ever', description: 'Waits.' },
    { name: 'x9f2', description: `[deaf] ${DEAF_TOOL}` },
  ];
  const request = requestOf([], [...tools, { name: 'search' }, { name: 'research' }]);
  expect(mcp.script(request, 1, withProfile({}))).toMatchObject({ toolCalls: [{ name: 'x9f2', input: {} }] });
  const named = withProfile({ mcp: { tool: 'search', input: { query: 'x' } } });
  expect(mcp.script(request, 1, named)).toMatchObject({ toolCalls: [{ name: 'search', input: { query: 'x' } }] });
  expect(mcp.script(requestOf([]), 1, named)).toBe('Understood.');
  // A name is no pattern.
  const odd = withProfile({ mcp: { tool: 'a(b' } });
  expect(mcp.script(requestOf([], [{ name: 'a(b' }]), 1, odd)).toMatchObject({ toolCalls: [{ name: 'a(b' }] });
});

/** A stage on which a message waits, and what stands on the screen before and after the stop. */
function waiting(before: string, after: string, delivered: boolean) {
  const found: string[] = [];
  const request = (content: string) => requestOf([{ role: 'user', content }], [bash], { receivedAt: 5, finishedAt: 6 });
  const driver = { screen: before, canGoOn: true, end: undefined };
  const main = [request('q begin')];
  const stage = fakeStage({
    setup: { profile: { command: ['a'] }, watchMs: 1 },
    ...{ driver, main, commands: { areUp: true }, server: { requests: main }, mark: 'q', words: [], folder: '/f' },
    conversation: { isOf: () => true, said: [] },
    say: (words: string) => {
      if (words === 'please go on') main.push(request(`q begin ${delivered ? 'also-this ' : ''}q please go on`));
      return Promise.resolve(`q ${words}`);
    },
    request: () => Promise.resolve(main[0]),
    runs: () => Promise.resolve(),
    watch: () => Promise.resolve(),
    until: (isSo: () => boolean) => Promise.resolve(isSo()),
    stop: () => {
      driver.screen = after;
      return Promise.resolve(1);
    },
    find: (about: string, isSo: boolean, sentence: string) => found.push(`${about} ${String(isSo)}: ${sentence}`),
  });
  return { stage, found };
}

it.each([
  ['drawn anew as it was', '> also-this', 'stopped\n│ > also-this │', false, 'delivered false: delivered 0 times'],
  [
    'drawn anew with another time',
    '[queued 3 s] also-this',
    '[queued 7 s] also-this',
    false,
    'delivered false: delivered 0 times',
  ],
  ['gone', '> also-this', 'stopped', false, 'delivered false: delivered 0 times'],
  [
    'shown in new words',
    '> also-this',
    'dropped: also-this',
    false,
    'fact false: it is not sent, and the screen says “dropped also-this”',
  ],
  ['delivered after all', '> also-this', '> also-this', true, 'delivered true: delivered 1 time'],
])('a message behind a stop that is %s', async (_, before, after, delivered, last) => {
  const { stage, found } = waiting(before, after, delivered);
  await queued.play(stage, 1);
  expect(found.at(-1)).toBe(last);
});

/** What becomes of a message where these requests came, the last one beside the conversation if it says so. */
async function delivered(requests: readonly object[][], beside = false, refusal?: string): Promise<string[]> {
  const found: string[] = [];
  const all = requests.map((messages) => requestOf(messages, [bash], { closedAt: 1 }));
  const last = all.at(-1);
  if (refusal !== undefined) Object.assign(last ?? {}, { refusal });
  const main = beside || refusal !== undefined ? all.slice(0, -1) : all;
  const made = folder();
  writeFileSync(join(made, 'up'), '');
  const stage = fakeStage({
    setup: { profile: { command: ['a'] } },
    ...{ main, server: { requests: all }, mark: 'q', folder: made, driver: { screen: '' } },
    conversation: { isOf: (request: unknown) => !beside || request !== last, steps: all.slice(0, 1), said: [] },
    held: deferred(),
    say: () => Promise.resolve(''),
    request: () => Promise.resolve(all[0]),
    runs: () => Promise.resolve(),
    watch: () => Promise.resolve(),
    until: (isSo: () => boolean) => Promise.resolve(isSo()),
    timeline: { note: () => undefined },
    find: (about: string, isSo: boolean, sentence: string) => found.push(`${about} ${String(isSo)}: ${sentence}`),
  });
  await message.play(stage, 1);
  return found;
}

const user = (content: string) => ({ role: 'user', content });
const begin = [user('q begin')];

it.each([
  ['once', [begin, [...begin, user('q also-this')]], ['delivered true: delivered 1 time']],
  ['twice', [begin, [...begin, user('q also-this'), user('q also-this')]], ['delivered false: delivered 2 times']],
  ['never', [begin, begin], ['delivered false: delivered 0 times']],
  [
    'once, by a program that says each prompt again',
    [
      [user('q begin'), user('Task: q begin')],
      [user('q begin'), user('q also-this'), user('Task: q also-this')],
    ],
    ['delivered true: delivered 1 time'],
  ],
])('a message is delivered %s', async (_, requests, expected) => {
  expect(await delivered(requests)).toEqual(expected);
});

it('a message that only a request beside the conversation has is not called lost, and a history that is refused for it is not one of a lost message', async () => {
  const requests = [begin, [...begin, user('q also-this')]];
  expect(await delivered(requests, true)).toEqual(['delivered true: delivered 1 time']);
  expect(await delivered(requests, false, 'roles must alternate')).toEqual([
    'legal false: roles must alternate',
    'delivered true: delivered 1 time',
  ]);
});

it('the work lasts until the message has been typed, however long that takes, where a command runs and where a reply streams', async () => {
  const made = folder();
  const held = deferred();
  const done: string[] = [];
  void held.promise.then(() => done.push('the reply may end'));
  const speaker = requestOf(begin, [], { stream: true, deltasWritten: 9 });
  const stage = fakeStage({
    setup: { profile: { command: ['a'] } },
    ...{ main: [speaker], server: { requests: [speaker] }, mark: 'q', folder: made, held },
    driver: { screen: '', output: { since: () => '' } },
    conversation: { isOf: () => true, steps: [speaker], said: [] },
    shellCalls: (_: unknown, command: string) => [{ name: 'bash', input: { command } }],
    say: async (words: string) => {
      for (let turns = 0; turns < 100; turns++) await Promise.resolve();
      return done.push(`${words}, ${existsSync(join(made, 'go')) ? 'behind' : 'in'} the work`);
    },
    request: () => Promise.resolve(speaker),
    need: () => Promise.resolve(),
    watch: () => Promise.resolve(),
    seeProcesses: () => Promise.resolve(),
    until: (isSo: () => boolean) => Promise.resolve(isSo()),
    timeline: { note: () => undefined },
    find: () => undefined,
  });
  expect(message.script(speaker, 1, stage)).toMatchObject({ silentAfter: 40, silentUntil: held.promise });
  expect(message.script(requestOf(begin), 1, stage)).toMatchObject({
    toolCalls: [{ input: { command: `sh ${made}/wait.sh` } }],
  });
  expect(readFileSync(join(made, 'wait.sh'), 'utf8')).toContain(`while [ ! -e '${made}/go' ]`);
  await message.play(stage, 1);
  expect(done).toEqual(['begin, in the work', 'also-this, in the work', 'the reply may end']);
});

it.each([
  ['has asked on by itself', [requestOf(begin), requestOf(begin)]],
  ['has left its reply by itself', [requestOf(begin, [bash], { closedEarly: true })]],
])('a program that %s does not work while the message is typed', async (_, steps) => {
  const made = folder();
  const stage = fakeStage({
    ...{ setup: { profile: { command: ['a'] } }, folder: made, held: deferred(), conversation: { steps } },
    say: () => Promise.resolve(''),
    request: () => Promise.resolve(steps[0]),
    runs: () => Promise.resolve(),
  });
  await expect(message.play(stage, 1)).rejects.toThrow(NotApplicable);
  await expect(message.play(stage, 1)).rejects.toThrow('nobody speaks while it works');
});

/** A stage whose program has got a call of such a tool. */
function calling(tool: object, profile: object = {}, parts: object = {}) {
  const call = requestOf([], [tool], { finishedAt: 1 });
  const pressed: string[] = [];
  const stage = fakeStage({
    setup: { profile: { command: ['a'], ...profile }, patience },
    conversation: { steps: [call] },
    driver: { press: (keys: readonly string[]) => Promise.resolve(pressed.push(...keys)) },
    say: () => Promise.resolve(''),
    request: () => Promise.resolve(call),
    need: () => Promise.resolve(),
    watch: () => Promise.resolve(),
    runs: (isUp: () => boolean, what: string) => (isUp() ? Promise.resolve() : Promise.reject(new Error(what))),
    stop: () => Promise.reject(new Error('presses stop')),
    ...parts,
  });
  return { stage, pressed };
}
const deaf = { name: 'mcp_wait', description: DEAF_TOOL };
const foreign = { mcp: { tool: 'search' } };

it('a call that never reaches the deaf server is no wait for it', async () => {
  await expect(mcp.play(calling(deaf).stage, 1)).rejects.toThrow('the call of the server');
});

it('keys that allow a command are not pressed where nobody knows whether the program asks', async () => {
  const { stage, pressed } = calling({ name: 'search' }, { ...foreign, approve: ['y', '\r'] });
  const why = 'whether the call waits for a person is not known of this server: use `{mcp}` with `approve`';
  await expect(mcp.play(stage, 1)).rejects.toThrow(new NotApplicable(why));
  expect(pressed).toEqual([]);
  await expect(mcp.play(calling({ name: 'search' }, foreign).stage, 1)).rejects.toThrow('presses stop');
});

it('a client that gives a call up by itself does not hang: that is said, and no server is called heard', async () => {
  const steps = [requestOf([]), requestOf([], [], { receivedAt: 1310 })];
  const gone = calling(deaf, {}, { deafServerCalledAt: 1000, conversation: { steps } });
  const why = 'its client gives the call up by itself, 310 ms after it came: nobody stops in that';
  await expect(mcp.play(gone.stage, 1)).rejects.toThrow(new NotApplicable(why));
  await expect(mcp.play(calling(deaf, {}, { deafServerCalledAt: 1000 }).stage, 1)).rejects.toThrow('presses stop');
});

it('without such a tool the check of a deaf server does not apply, and one that the profile names is a wrong name', async () => {
  const stageWith = (profile: object) =>
    fakeStage({
      setup: { profile: { command: ['a'], ...profile } },
      say: () => Promise.resolve(''),
      request: () => Promise.resolve(requestOf([])),
    });
  await expect(mcp.play(stageWith({}), 1)).rejects.toThrow('the program declares no tool of a deaf MCP server');
  const wrong = 'the program declares no tool "serch", which is mcp of its profile; it declares bash';
  await expect(mcp.play(stageWith({ mcp: { tool: 'serch' } }), 1)).rejects.toThrow(new Unplayed(wrong));
});
