/** The Claude Agent SDK under turns; its executable is a scripted one. */
import { expect, it } from 'vitest';

import { allow, claudeFolder, claudeOptions, claudeStage, heardIn, sdk } from './support/claude/stage.ts';
import { itBare } from '../support/bare.ts';

itBare('alone, a prompt that waits runs after an interrupt, and a task in the background is killed by it', async () => {
  const folder = claudeFolder();
  const abortController = new AbortController();
  let say: (text: string) => void = () => undefined;
  async function* prompts() {
    for (const text of ['task', 'talk later']) {
      yield { type: 'user' as const, message: { role: 'user' as const, content: text }, parent_tool_use_id: null };
      await new Promise<void>((resolve) => {
        say = () => {
          resolve();
        };
      });
    }
  }
  const claude = sdk.query({ prompt: prompts(), options: { ...claudeOptions(folder), abortController } });
  const results: string[] = [];
  let isStopped = false;
  for await (const message of claude) {
    if (message.type === 'stream_event' && !isStopped && results.length === 1) {
      isStopped = true;
      await claude.interrupt();
    }
    if (message.type !== 'result') continue;
    results.push(message.subtype === 'success' ? message.result : message.subtype);
    if (results.length === 1) say('talk later');
    if (results.length === 3) break;
  }
  expect(results).toEqual(['It runs.', 'error_during_execution', 'Heard: later']);
  expect(heardIn(folder)).toContain('task stopped');
  abortController.abort();
});

it.each(['Write', 'freeRead'])('a prompt runs to its end, with its tool %s in the ledger', async (name) => {
  const { run, heard } = claudeStage({ canUseTool: allow });
  const report = await run(`use ${name}`);
  expect(report.unwrap()).toBe('All done.');
  expect(report.calls).toMatchObject([{ id: 'call_1', name, status: 'completed', value: 'done' }]);
  expect(heard()).toEqual([
    'initialize',
    `prompt: use ${name}`,
    ...(name === 'Write' ? ['permission: allow'] : []),
    `ran ${name}`,
  ]);
});

it('S15 a stop interrupts the executable, keeps its words, and the same session takes the next prompt', async () => {
  const { agent, run, heard, until } = claudeStage();
  const running = run('talk');
  await until('read', 'word1 ');
  const { settled } = agent.cancel('user');
  const report = await running;
  expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
  expect(report.partials).toMatchObject([{ value: { text: expect.stringMatching(/^word0 word1 /) as string } }]);
  expect((await settled).operations).toMatchObject([{ kind: 'model', outcome: 'cancelled' }]);
  expect((await run('hello')).unwrap()).toBe('Heard: hello');
  expect(heard()).toEqual(['initialize', 'prompt: talk', 'interrupt all', 'prompt: hello']);
});

it('S11 a stop while a person is asked is no denial: the tool does not run, and its row says so', async () => {
  let answered: (permission: { behavior: 'allow' }) => void = () => undefined;
  let withdrawn: AbortSignal | undefined;
  const { agent, run, heard } = claudeStage({
    canUseTool: (_name, _input, { signal }) => {
      withdrawn = signal;
      agent.cancel('user');
      return new Promise((resolve) => {
        answered = resolve;
      });
    },
  });
  const report = await run('use Write');
  expect(report).toMatchObject({
    status: 'cancelled',
    calls: [{ id: 'call_1', name: 'Write', status: 'not-started' }],
  });
  expect(withdrawn?.aborted).toBe(true);
  answered({ behavior: 'allow' });
  expect((await run('hello')).unwrap()).toContain('hello');
  expect(heard()).not.toContain('ran Write');
});

it('a person who says no is heard by the model in the words of every door, and the turn goes on', async () => {
  const { run, heard } = claudeStage({
    canUseTool: () => Promise.resolve({ behavior: 'deny', message: 'not on Fridays' }),
  });
  const report = await run('use Write');
  expect(report.unwrap()).toBe('All done.');
  expect(report.calls).toMatchObject([{ status: 'declined', userMessage: 'not on Fridays' }]);
  expect(heard().join('\n')).toMatch(/permission: deny .*declined.*Their words: not on Fridays/s);
});

it('S02 the rest of a batch does not begin after a stop in its first call, and the model is told of each', async () => {
  const { agent, run, heard, until } = claudeStage();
  const running = run('use longBuild freeDeploy');
  await until('heard', 'ran longBuild');
  agent.cancel('user');
  const report = await running;
  expect(report.calls).toMatchObject([
    { name: 'longBuild', status: 'stopped' },
    { name: 'freeDeploy', status: 'not-started' },
  ]);
  const next = (await run('and now?')).unwrap();
  expect(next).toMatch(/\[longBuild: .*stopped.*\]/s);
  expect(next).toMatch(/\[freeDeploy: .*not started.*\]/s);
  expect(next).not.toContain('want to proceed');
  expect(heard()).not.toContain('ran freeDeploy');
});

it('S21 a message cuts the words and is the next prompt of the same turn', async () => {
  const { agent, run, until } = claudeStage();
  const running = run('talk');
  await until('read', 'word1 ');
  agent.interject('use pnpm', { delivery: 'now' });
  const report = await running;
  expect(report.unwrap()).toBe('Heard: [PRIORITY USER MESSAGE]: use pnpm');
  expect(report.partials).toMatchObject([{ reason: { kind: 'interjection' } }]);
  expect(report.undelivered).toEqual([]);
});

it('S01 an executable that hears no interrupt is ended after the grace, and the next prompt goes on with its session', async () => {
  const { agent, session, run, until, heard } = claudeStage({ graceMs: 50 });
  const running = run('deaf');
  await until('read', 'word1 ');
  const { settled } = agent.cancel('user');
  expect(await running).toMatchObject({ status: 'cancelled' });
  expect((await settled).abandoned).toEqual(['model']);
  expect(session.query).toBeUndefined();
  const { id } = session;
  expect((await run('hello')).unwrap()).toBe('Heard: hello');
  expect([typeof id, session.id]).toEqual(['string', id]);
  expect(heard().filter((line) => line === 'initialize')).toHaveLength(2);
});

it('a session is gone on with in another process by its id', async () => {
  const { session, run } = claudeStage({ options: { resume: 'session-7' } });
  expect((await run('hello')).unwrap()).toBe('Heard: hello');
  expect(session.id).toBe('session-7');
});

it('a stop before the executable has read the prompt leaves nothing that runs', async () => {
  const { agent, run, heard } = claudeStage();
  const running = run('talk');
  agent.cancel('user');
  expect(await running).toMatchObject({ status: 'cancelled', partials: [] });
  expect((await run('hello')).unwrap()).toBe('Heard: hello');
  expect(heard()).toEqual(['initialize', 'prompt: hello']);
});

it.each([false, true])(
  'prompts that wait in the executable do not run after a stop, in an old one (%s) too',
  async (isOld) => {
    const { agent, run, heard, until } = claudeStage({ isOld });
    const running = run('talk later');
    await until('read', 'word1 ');
    agent.cancel('user');
    await running;
    expect((await run('hello')).unwrap()).toBe('Heard: hello');
    expect(heard()).not.toContain('prompt: later');
  },
);

it('prompts that wait run after a stop where the program wants it', async () => {
  const { agent, run, heard, until } = claudeStage({ queued: 'keep' });
  const running = run('talk later');
  await until('read', 'word1 ');
  agent.cancel({ kind: 'superseded' });
  await running;
  await until('heard', 'prompt: later');
  expect(heard()).toContain('interrupt');
});

it('a background task lives on after a stop of the turn, and has a stop of its own', async () => {
  const { agent, run, heard, until } = claudeStage();
  const ended: string[] = [];
  agent.onEvent((event) => {
    if (event.type === 'background-ended') ended.push(`${event.name} ${event.status}`);
  });
  await run('task');
  const running = run('talk');
  await until('read', 'word1 ');
  agent.cancel('user');
  await running;
  expect(ended).toEqual([]);
  expect(heard()).not.toContain('task stopped');
  const { operations } = await agent.cancelAll('user').settled;
  expect(operations).toMatchObject([{ kind: 'background', name: 'watch', outcome: 'cancelled' }]);
  expect(heard().filter((line) => line.startsWith('stop_task'))).toEqual(['stop_task task_1']);
});

it('a background task ends with the turn where the program wants it', async () => {
  const { agent, run, heard, until } = claudeStage({ background: 'stop' });
  await run('task');
  const running = run('talk');
  await until('read', 'word1 ');
  agent.cancel('user');
  await running;
  await until('heard', 'stop_task task_1');
  expect(heard()).toContain('interrupt all');
});

it('what the executable goes on with by itself is an automatic turn, which a stop reaches', async () => {
  const { agent, session, run, until, heard } = claudeStage();
  await run('task');
  await session.query?.setPermissionMode('plan');
  await until('read', 'word1 ');
  expect((await agent.cancel('user').settled).operations).toMatchObject([{ kind: 'model', outcome: 'cancelled' }]);
  expect(heard()).toContain('interrupt all');
});

it('what the executable goes on with by itself after a stop of a person waits for them', async () => {
  const { agent, session, run, until } = claudeStage();
  await run('task');
  const running = run('talk');
  await until('read', 'word1 ');
  agent.cancel('user');
  await running;
  await session.query?.setPermissionMode('plan');
  await until('heard', 'task completed\ninterrupt');
  expect((await run('hello')).unwrap()).toBe('Heard: hello');
});

it('a sub-agent’s calls are calls of the turn, and its words what its own call has produced', async () => {
  const { run, heard } = claudeStage();
  const report = await run('agent');
  expect(report.unwrap()).toBe('All done.');
  expect(report.calls).toMatchObject([
    { name: 'Agent', status: 'completed', value: 'read' },
    { name: 'freeRead', status: 'completed' },
  ]);
  expect(heard()).toContain('ran freeRead');
});

it('a budget counts what the executable’s model does, and its tools', async () => {
  const { run, heard } = claudeStage();
  const calls = await run('use freeA freeB', { budget: { toolCalls: 1 } });
  expect(calls.calls).toMatchObject([{ status: 'completed' }, { name: 'freeB', status: 'not-started' }]);
  expect(calls).toMatchObject({ status: 'cancelled', reason: { kind: 'budget' } });
  expect(heard()).not.toContain('ran freeB');
  const models = await run('use freeC', { budget: { modelCalls: 1 } });
  expect(models).toMatchObject({ status: 'cancelled', reason: { kind: 'budget' } });
  const tokens = await run('use freeD', { budget: { outputTokens: 5 } });
  expect(tokens).toMatchObject({ status: 'cancelled', reason: { kind: 'budget' } });
});

it('an answer that is an error fails the turn', async () => {
  const { run } = claudeStage();
  expect(await run('api error')).toMatchObject({ status: 'failed', error: { message: 'API Error: 529' } });
  expect((await run('hello')).unwrap()).toBe('Heard: hello');
});

it('a process that dies fails the turn with what it had said, and the next prompt opens another', async () => {
  const { run, session } = claudeStage();
  const report = await run('crash');
  expect(report).toMatchObject({ status: 'failed' });
  expect(session.query).toBeUndefined();
  expect((await run('hello')).unwrap()).toBe('Heard: hello');
});

it('S21 a message that comes before the executable has read the prompt is read behind it', async () => {
  const { agent, run } = claudeStage();
  const running = run('hello');
  agent.interject('use pnpm', { delivery: 'now' });
  expect((await running).unwrap()).toBe('Heard: hello\n[PRIORITY USER MESSAGE]: use pnpm');
});

it('S45 the true words of a call are told once, though the prompt that carried them was taken back', async () => {
  const { agent, run, until, heard } = claudeStage();
  const running = run('use longBuild');
  await until('heard', 'ran longBuild');
  agent.cancel('user');
  await running;
  const second = run('talk');
  agent.cancel('user');
  await second;
  expect((await run('and now?')).unwrap()).toMatch(/\[longBuild: .*stopped.*\]/s);
  await run('and then?');
  expect(
    heard()
      .join('\n')
      .match(/\[longBuild: /g),
  ).toHaveLength(1);
});
