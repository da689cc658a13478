import { afterEach, describe, expect, it, vi } from 'vitest';

import { acpClient, type AcpClientOptions, type AcpPromptOptions } from '../../../src/adapters/acp/acp-client.ts';
import { StoppableProcess } from '../../../src/adapters/internal/process/stoppable-process.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { FakePeer } from './fake-peer.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
  vi.restoreAllMocks();
});

const params = { sessionId: 's1', prompt: [{ type: 'text', text: 'go' }] };

/** A prompt under way, and who may stop it. */
function started(options: AcpClientOptions = {}, promptOptions?: AcpPromptOptions) {
  const client = acpClient({ clock, graceMs: 100, ...options });
  const agent = new FakePeer();
  const person = new CancellationTokenSource({ clock });
  return { client, agent, person, answer: client.prompt(person.token, { agent, params }, promptOptions) };
}

const toolCall = (toolCallId: string) => ({
  sessionId: 's1',
  update: { sessionUpdate: 'tool_call', toolCallId, status: 'in_progress' },
});

it('sends the prompt, and hands on the answer', async () => {
  const { agent, answer } = started();
  agent.answer.resolve({ stopReason: 'end_turn', usage: 5 });
  await expect(answer).resolves.toEqual({
    stopReason: 'end_turn',
    response: { stopReason: 'end_turn', usage: 5 },
    stoppedBy: undefined,
    unfinishedToolCalls: [],
  });
  expect(agent.sent).toEqual([['session/prompt', params]]);
});

describe('a peer of another make', () => {
  const boom = () => {
    throw new Error('not connected');
  };
  it.each<[string, () => unknown]>([
    ['returns nothing', () => undefined],
    ['throws at once', boom],
    ['rejects', () => Promise.reject(new Error('closed'))],
    ['never settles', () => ({ then: () => undefined })],
    ['gives a thenable that throws', () => ({ then: boom })],
  ])('whose notify %s does not keep a prompt from its stop', async (_, notify) => {
    const client = acpClient({ clock, graceMs: 100 });
    const { request, answer } = new FakePeer();
    const person = new CancellationTokenSource({ clock });
    const prompt = client.prompt(person.token, { agent: { request, notify }, params });
    expect(() => {
      person.cancel('user');
    }).not.toThrow();
    answer.resolve({ stopReason: 'cancelled' });
    await expect(prompt).resolves.toMatchObject({ stopReason: 'cancelled', stoppedBy: { kind: 'user' } });
  });

  it('that answers at once has answered, and one that throws at once has failed', async () => {
    const client = acpClient({ clock });
    const notify = () => undefined;
    const now = { request: () => ({ stopReason: 'end_turn' }) as never, notify };
    await expect(client.prompt(null, { agent: now, params })).resolves.toMatchObject({ stopReason: 'end_turn' });
    await expect(client.prompt(null, { agent: { request: boom, notify }, params })).rejects.toThrow('not connected');
    await expect(client.prompt(null, { agent: now, params })).resolves.toMatchObject({ stopReason: 'end_turn' });
  });
});

describe('a cancel', () => {
  it('is one session/cancel, and the agent’s answer is the result', async () => {
    const { agent, person, answer } = started();
    person.cancel('user');
    person.cancel('user');
    agent.answer.resolve({ stopReason: 'cancelled' });
    await expect(answer).resolves.toMatchObject({ stopReason: 'cancelled', stoppedBy: { kind: 'user' } });
    expect(agent.sent.slice(1)).toEqual([['session/cancel', { sessionId: 's1' }]]);
  });

  it('before the prompt sends nothing; after the answer neither', async () => {
    const agent = new FakePeer();
    const person = new CancellationTokenSource({ clock });
    person.cancel('user');
    await expect(acpClient({ clock }).prompt(person.token, { agent, params })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(agent.sent).toEqual([]);

    const done = started();
    done.agent.answer.resolve({ stopReason: 'end_turn' });
    await done.answer;
    done.person.cancel('user');
    expect(done.agent.methods).toEqual(['session/prompt']);
  });

  it('names the tool calls that have not ended, at once and in the result', async () => {
    const onToolCallsCancelled = vi.fn();
    const { client, agent, person, answer } = started({ onToolCallsCancelled });
    client.observe(toolCall('c1'));
    client.observe({ ...toolCall('c2'), sessionId: 'another' });
    person.cancel('user');
    expect(onToolCallsCancelled).toHaveBeenCalledExactlyOnceWith('s1', ['c1']);
    agent.answer.resolve({ stopReason: 'cancelled' });
    expect((await answer).unfinishedToolCalls).toEqual(['c1']);
  });

  it('withdraws the questions of its session, open or still to come', async () => {
    const { client, agent, person, answer } = started();
    const ask = vi.fn(() => new Promise<never>(() => undefined));
    const question = (sessionId: string) => ({ params: { sessionId }, signal: new AbortController().signal });
    const open = client.permission(question('s1'), ask);
    await expect(client.permission(question('another'), () => 'yes')).resolves.toBe('yes');
    person.cancel('user');
    const withdrawn = { outcome: { outcome: 'cancelled' } };
    await expect(open).resolves.toEqual(withdrawn);
    await expect(client.permission(question('s1'), ask)).resolves.toEqual(withdrawn);
    expect(ask).toHaveBeenCalledTimes(1);
    agent.answer.resolve({ stopReason: 'cancelled' });
    await answer;
  });

  it('of an agent that fails on the way out is that failure', async () => {
    const { agent, person, answer } = started();
    person.cancel('user');
    const failure = Object.assign(new Error('Internal error'), { code: -32603 });
    agent.answer.reject(failure);
    await expect(answer).rejects.toBe(failure);
  });

  it('of an agent that dies of it is a cancel', async () => {
    const { agent, person, answer } = started();
    person.cancel('user');
    agent.answer.reject(new Error('ACP connection closed'));
    await expect(answer).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
  });

  it('does not hide that an agent died before it', async () => {
    const { agent, answer } = started();
    const failure = new Error('ACP connection closed');
    agent.answer.reject(failure);
    await expect(answer).rejects.toBe(failure);
  });

  it('that cannot be sent because the connection is closed is quiet', async () => {
    const { agent, person, answer } = started();
    vi.spyOn(agent, 'notify').mockRejectedValue(new Error('ACP connection closed'));
    person.cancel('user');
    agent.answer.resolve({ stopReason: 'cancelled' });
    await answer;
  });
});

describe('a deaf agent', () => {
  it('is given up after its grace, its process stopped once, and named', async () => {
    const stop = vi.spyOn(StoppableProcess.prototype, 'stop').mockResolvedValue([{ pid: 9, command: 'deaf' }]);
    const onAgentStopped = vi.fn();
    const { person, answer } = started({ agentProcess: { pid: 999_999_999 }, onAgentStopped });
    const outcome = expect(answer).rejects.toMatchObject({
      reason: { kind: 'user' },
      abandoned: { name: 'acp prompt' },
    });
    person.cancel('user');
    await clock.advance(99);
    expect(stop).not.toHaveBeenCalled();
    await clock.advance(1);
    await outcome;
    expect(stop).toHaveBeenCalledExactlyOnceWith(100, clock);
    const survivors = [{ pid: 9, command: 'deaf' }];
    expect(onAgentStopped).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', pid: 999_999_999, survivors });
  });

  it('that dies because it was given up for one prompt is given up for the others', async () => {
    const peers = [new FakePeer(), new FakePeer()];
    vi.spyOn(StoppableProcess.prototype, 'stop').mockImplementation(() => {
      peers[1]?.answer.reject(new Error('ACP connection closed'));
      return Promise.resolve([]);
    });
    const onAgentStopped = vi.fn();
    const client = acpClient({ clock, graceMs: 100, agentProcess: { pid: 999_999_999 }, onAgentStopped });
    const person = new CancellationTokenSource({ clock });
    const answers = peers.map((agent, at) =>
      client.prompt(person.token, { agent, params: { ...params, sessionId: `s${String(at)}` } }, { graceMs: 100 + at }),
    );
    const outcomes = Promise.allSettled(answers);
    person.cancel('user');
    await clock.advance(100);
    const reason = { reason: { kind: 'user' } };
    expect(await outcomes).toMatchObject([
      { reason: { ...reason, abandoned: { name: 'acp prompt' } } },
      { reason: { ...reason, abandoned: { name: 'acp prompt', isOver: true } } },
    ]);
    expect(onAgentStopped).toHaveBeenCalledTimes(2);
  });

  it('without a process is given up all the same', async () => {
    const onAgentStopped = vi.fn();
    const { person, answer } = started({ onAgentStopped }, { graceMs: 5 });
    const outcome = expect(answer).rejects.toMatchObject({ abandoned: { name: 'acp prompt' } });
    person.cancel('user');
    await clock.advance(5);
    await outcome;
    expect(onAgentStopped).toHaveBeenCalledExactlyOnceWith({ sessionId: 's1', pid: undefined, survivors: [] });
  });
});

it('an update keeps idleMs from passing; then the agent is told', async () => {
  const { client, agent, answer } = started({}, { idleMs: 20 });
  const outcome = expect(answer).rejects.toMatchObject({ name: 'TimeoutError', limitMs: 20 });
  await clock.advance(15);
  client.observe(toolCall('c1'));
  await clock.advance(15);
  expect(agent.methods).toEqual(['session/prompt']);
  await clock.advance(10);
  expect(agent.methods).toEqual(['session/prompt', 'session/cancel']);
  await clock.advance(100);
  await outcome;
});

it('a session has one prompt at a time', async () => {
  const { client, agent, answer } = started();
  await expect(client.prompt(null, { agent, params })).rejects.toThrow('session "s1" has a prompt already');
  agent.answer.resolve({ stopReason: 'end_turn' });
  await answer;
});

it.each([
  [{ agentProcess: {} }, 'agentProcess must be a process that has started, got pid undefined'],
  [{ graceMs: Infinity }, 'graceMs must be a finite number of milliseconds'],
  [{ onAgentStopped: 1 }, 'onAgentStopped must be a function, got 1'],
  [{ onToolCallsCancelled: 1 }, 'onToolCallsCancelled must be a function, got 1'],
])('refuses %o', (options, message) => {
  expect(() => acpClient(options as never)).toThrow(message);
});

it('close stops the process of the agent, and does nothing without one', async () => {
  const stop = vi.spyOn(StoppableProcess.prototype, 'stop').mockResolvedValue('unknown');
  const client = acpClient({ agentProcess: { pid: 999_999_999 }, clock });
  await expect(client.close()).resolves.toBe('unknown');
  expect(stop).toHaveBeenCalledExactlyOnceWith(1000, clock);
  await expect(acpClient().close()).resolves.toEqual([]);
});
