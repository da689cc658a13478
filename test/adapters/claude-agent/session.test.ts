import { expect, it, onTestFinished, vi } from 'vitest';

import { openSession } from '../../../src/adapters/claude-agent/index.ts';
import { InterruptController } from '../../../src/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';
import { fakeQuery, textsOf, type FakeExecutable } from './support/fake-executable.ts';

type OnPrompt = Parameters<typeof fakeQuery>[0];

function stage(onPrompt?: OnPrompt, options: object = {}) {
  const clock = new VirtualClock();
  const agent = new InterruptController({ name: 'main', clock, graceMs: 100 });
  const { query, processes } = fakeQuery(onPrompt);
  const session = openSession(agent, query, { dialect: anthropic, graceMs: 100, ...options });
  onTestFinished(() => session.close());
  const run = (text: string) => agent.runTurn((turn) => session.prompt(turn, text));
  return { agent, clock, session, processes, run };
}

it('a prompt begins a process, and the next one goes to the same', async () => {
  const { run, processes, session } = stage();
  expect(session.query).toBeUndefined();
  expect((await run('one')).status).toBe('completed');
  expect((await run('two')).status).toBe('completed');
  expect(processes.map(({ prompts }) => prompts.map(textsOf))).toEqual([[['one'], ['two']]]);
});

it('a message of the executable that is none harms nobody, nor does a listener that throws', async () => {
  const onMessage = vi.fn(() => {
    throw new Error('of the screen');
  });
  const { run } = stage(
    (fake) => {
      fake.say(null as never, 'text' as never, { type: 7 }, { type: 'user' }, { type: 'stream_event' });
      fake.say({ type: 'assistant', message: { content: [null, { type: 'tool_use' }, { type: 'tool_result' }] } });
      fake.say({ type: 'system', subtype: 'background_tasks_changed', tasks: [null, {}] });
      fake.result();
    },
    { onMessage },
  );
  const reported = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const global = vi.fn();
  vi.stubGlobal('reportError', global);
  onTestFinished(() => {
    vi.unstubAllGlobals();
    reported.mockRestore();
  });
  expect((await run('go')).status).toBe('completed');
  expect(onMessage).toHaveBeenCalledTimes(8);
  expect(global.mock.calls.length + reported.mock.calls.length).toBe(8);
});

it('two prompts at once are refused, and so is one after the end', async () => {
  const { agent, run, session } = stage(() => undefined);
  const other = new InterruptController();
  const running = run('one');
  const second = await other.runTurn((turn) => session.prompt(turn, 'two'));
  expect(second).toMatchObject({
    status: 'failed',
    error: new TypeError('the session is at work already: wait for it, or stop it'),
  });
  agent.cancel('user');
  await running;
  await session.close();
  expect(await run('three')).toMatchObject({ status: 'failed', error: new TypeError('the session is closed') });
});

it('a process that ends by itself fails the prompt, and the next one goes on with the conversation', async () => {
  const { run, processes } = stage((fake, prompt) => {
    fake.say({ type: 'system', subtype: 'init', session_id: 'the id' });
    if (textsOf(prompt).includes('one')) fake.end(new Error('out of memory'));
    else fake.result();
  });
  expect(await run('one')).toMatchObject({ status: 'failed', error: new Error('out of memory') });
  expect((await run('two')).status).toBe('completed');
  expect(processes[1]?.options).toMatchObject({ resume: 'the id', continue: false, forkSession: false });
});

it('a conversation that was not kept is not begun anew in silence', async () => {
  const options = { options: { persistSession: false } };
  const { run } = stage((fake) => {
    fake.say({ type: 'system', session_id: 'the id' });
    fake.end();
  }, options);
  expect(await run('one')).toMatchObject({ status: 'failed', error: new Error('The session has ended') });
  expect(await run('two')).toMatchObject({ error: new Error('The session has ended, and was not kept') });
});

it('the hooks and the options of the program stay', async () => {
  const own = { hooks: ['mine'] };
  const { run, processes } = stage(undefined, {
    options: { model: 'sonnet', hooks: { PreToolUse: [own], Stop: [own] } },
  });
  await run('one');
  const { hooks, ...rest } = processes[0]!.options;
  expect(rest).toMatchObject({ model: 'sonnet', includePartialMessages: true, perTaskStopAffordance: true });
  expect(rest).not.toHaveProperty('canUseTool');
  expect(hooks).toMatchObject({ PreToolUse: [own, {}], Stop: [own] });
});

it('what begins by itself is an automatic turn, and refused after a stop of a person', async () => {
  const { agent, processes, run } = stage((fake, prompt) => {
    if (!textsOf(prompt).includes('wait')) fake.result();
  });
  await run('one');
  const [fake] = processes as [FakeExecutable];
  const started: string[] = [];
  agent.onEvent(({ type }) => started.push(type));
  fake.step({ type: 'message_start' });
  await vi.waitUntil(() => started.includes('turn-started'));
  fake.result();
  await vi.waitUntil(() => started.includes('turn-ended'));
  const running = run('wait');
  await vi.waitUntil(() => fake.prompts.length === 2);
  agent.cancel('user');
  await running;
  expect(fake.interrupts).toBe(1);
  fake.step({ type: 'message_start' });
  await vi.waitUntil(() => fake.interrupts === 2);
  // One that is told to stop is told once.
  fake.step({ type: 'message_start' });
  expect((await run('two')).status).toBe('completed');
  expect(fake.interrupts).toBe(2);
});

it('a call that nobody has asked for does not begin, unless it is that of a task', async () => {
  const { run, processes } = stage();
  await run('one');
  const [fake] = processes as [FakeExecutable];
  expect(await fake.begin('pay')).toMatch(/nobody could stop it/);
  fake.say({ type: 'system', subtype: 'background_tasks_changed', tasks: [{ task_id: 'task', description: 'watch' }] });
  await vi.waitUntil(async () => (await fake.begin('read', { agent_id: 'task' })) === undefined);
});

it('a question beside the turn goes to the program as it is', async () => {
  const canUseTool = vi.fn(() => Promise.resolve({ behavior: 'allow' }));
  const { run, processes } = stage(undefined, { options: { canUseTool } });
  await run('one');
  const request = { signal: new AbortController().signal, toolUseID: 'x', agentID: 'task' };
  expect(await processes[0]?.options.canUseTool?.('pay', {}, request)).toEqual({ behavior: 'allow' });
  expect(canUseTool).toHaveBeenCalledWith('pay', {}, request);
});

it('two hundred sessions that are stopped at once are told once each, and go on', async () => {
  const stages = Array.from({ length: 200 }, () =>
    stage((fake, prompt) => {
      if (textsOf(prompt).includes('two')) fake.result();
    }),
  );
  const running = stages.map(({ run }) => run('one'));
  await vi.waitUntil(() => stages.every(({ processes }) => processes[0]?.prompts.length === 1));
  for (const { agent } of stages) agent.cancel('user');
  for (const report of await Promise.all(running)) expect(report.status).toBe('cancelled');
  for (const { run } of stages) expect((await run('two')).status).toBe('completed');
  expect(stages.map(({ processes: [fake, more] }) => [fake?.interrupts, more])).toEqual(
    stages.map(() => [1, undefined]),
  );
});

it('calls with empty ids, and results of calls that nobody made, spoil nothing', async () => {
  const { run, processes } = stage((fake) => {
    fake.calls('', 'read');
    fake.returns('');
    fake.returns('of nobody');
    fake.returns('read');
    fake.result();
  });
  const report = await run('go');
  expect(report.status).toBe('completed');
  expect(report.calls.map(({ id, status }) => [id, status])).toContainEqual(['read', 'completed']);
  expect(processes).toHaveLength(1);
});

it('an interrupt that fails, with whatever error, leaves the stop to the grace', async () => {
  const { agent, clock, run, processes } = stage(() => undefined);
  const running = run('go');
  await vi.waitUntil(() => processes[0]?.prompts.length === 1);
  processes[0]!.onInterrupt = () => Promise.reject(Object.assign(new Error('gone'), { name: 'AbortError' }));
  agent.cancel('user');
  await new Promise(setImmediate);
  await clock.advance(100);
  expect(await running).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
});

it('a copy of the controller and of the turn are as good as they are', async () => {
  const { agent, session } = stage();
  const report = await agent.runTurn((turn) => session.prompt(new Proxy(turn, {}), 'go'));
  expect(report.status).toBe('completed');
});

const ofPay = { _meta: { 'claudecode/toolUseId': 'pay' } };

it.each(['behind the turn', 'in the next prompt', 'behind its result'])(
  'work of a call that is over does not begin %s',
  async (when) => {
    const { agent, session, run, processes } = stage((fake, prompt) => {
      if (textsOf(prompt).includes('done')) fake.result();
    });
    const running = run('go');
    await vi.waitUntil(() => processes[0]?.prompts.length === 1);
    const [fake] = processes as [FakeExecutable];
    fake.calls('pay');
    await fake.begin('pay');
    if (when === 'behind its result') {
      fake.returns('pay', 'timed out', true);
      await new Promise(setImmediate);
    } else {
      agent.cancel('user');
      await running;
    }
    const next = when === 'in the next prompt' ? run('next') : undefined;
    const work = vi.fn();
    await expect(session.use(ofPay, work)).rejects.toThrow('This call is over');
    expect(work).not.toHaveBeenCalled();
    agent.cancel('user');
    await Promise.all([running, next]);
  },
);

it('a call has one work: another one for it is refused, while the first runs and behind it', async () => {
  const { agent, session, run, processes } = stage(() => undefined);
  const running = run('go');
  await vi.waitUntil(() => processes[0]?.prompts.length === 1);
  const [fake] = processes as [FakeExecutable];
  fake.calls('pay');
  await fake.begin('pay');
  const more = vi.fn();
  const first = session.use(ofPay, async () => {
    await expect(session.use(ofPay, more)).rejects.toThrow('belongs into one session.use()');
    return 'paid';
  });
  expect(await first).toBe('paid');
  await expect(session.use(ofPay, more)).rejects.toThrow('belongs into one session.use()');
  expect(more).not.toHaveBeenCalled();
  agent.cancel('user');
  await running;
});

it('work of a task’s call has no context, and does not begin when the task is over', async () => {
  const { session, run, processes } = stage();
  await run('one');
  const [fake] = processes as [FakeExecutable];
  const tasks = (...list: readonly object[]): void => {
    fake.say({ type: 'system', subtype: 'background_tasks_changed', tasks: list });
  };
  tasks({ task_id: 'task', description: 'watch' });
  await new Promise(setImmediate);
  expect(await fake.begin('pay', { agent_id: 'task' })).toBeUndefined();
  expect(await session.use(ofPay, (context) => context ?? 'none')).toBe('none');
  tasks();
  await new Promise(setImmediate);
  await expect(session.use(ofPay, () => 'late')).rejects.toThrow('This call is over');
});
