import { expect, it, vi } from 'vitest';

import { runAgent, type AgUiMessage } from '../../../src/adapters/ag-ui/index.ts';
import { CancellationTokenSource } from '../../../src/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { FakeAgent } from './support/fake-agent.ts';

const settle = (messages: readonly AgUiMessage[]): AgUiMessage[] => [
  ...messages,
  { id: 'settled', role: 'assistant', content: 'Stopped.' },
];

function stage() {
  const clock = new VirtualClock();
  const stop = new CancellationTokenSource({ clock });
  const agent = new FakeAgent();
  return { clock, stop, agent };
}

it('a run that finishes gives what the agent gives, and its messages stay', async () => {
  const { stop, agent } = stage();
  const running = runAgent(stop.token, agent, { settle, parameters: { runId: 'r1' } });
  agent.say({ type: 'RUN_FINISHED' });
  agent.end();
  expect(await running).toEqual({ asked: 'r1' });
  expect([agent.messages.length, agent.subscribers.size, agent.aborts]).toEqual([1, 0, 0]);
});

it('a stop aborts the run once, and settles the messages', async () => {
  const { stop, agent } = stage();
  const running = runAgent(stop.token, agent, { settle });
  stop.cancel({ kind: 'user', message: 'enough' });
  stop.cancel('shutdown');
  await expect(running).rejects.toMatchObject({ name: 'AbortError', reason: { message: 'enough' } });
  expect([agent.aborts, agent.messages.at(-1)?.id, agent.subscribers.size]).toEqual([1, 'settled', 0]);
});

it('an agent that is deaf is named after the grace, and reads no more', async () => {
  const { clock, stop, agent } = stage();
  agent.isDeaf = true;
  const running = runAgent(stop.token, agent, { settle, graceMs: 50 });
  const outcome = expect(running).rejects.toMatchObject({ abandoned: { name: 'writer' } });
  stop.cancel('user');
  await clock.advance(50);
  await outcome;
  expect([agent.aborts, agent.detached, agent.messages.at(-1)?.id]).toEqual([1, 1, 'settled']);
});

it('the connection of a run that has finished is left, and nothing cancelled', async () => {
  const { stop, agent } = stage();
  const running = runAgent(stop.token, agent, { settle });
  agent.say({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
  stop.cancel('user');
  expect(await running).toEqual({ asked: undefined });
  expect([agent.aborts, agent.detached, agent.messages.length]).toEqual([0, 1, 1]);
});

it.each([
  [{ type: 'RUN_ERROR', message: 'no model' }, { message: 'no model' }],
  [{ type: 'RUN_ERROR', code: 'abort' }, { reason: { kind: 'unknown' } }],
  [{ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } }, { reason: { kind: 'unknown' } }],
  [{ type: 'CUSTOM' }, { message: 'The run ended without RUN_FINISHED' }],
])('%j is no success', async (event, error) => {
  const { agent } = stage();
  const running = runAgent(undefined, agent, { settle });
  agent.say(event);
  agent.end();
  await expect(running).rejects.toMatchObject(error);
  expect(agent.messages.at(-1)?.id).toBe('settled');
});

it.each(['AbortError', 'TypeError'])('a request that fails with a %s fails the run', async (name) => {
  const { agent } = stage();
  const running = runAgent(undefined, agent, { settle });
  agent.end(Object.assign(new Error('fetch failed'), { name }));
  await expect(running).rejects.toMatchObject({ name });
});

it('a silent run ends at its limit', async () => {
  const { clock, stop, agent } = stage();
  const running = runAgent(stop.token, agent, { settle, idleMs: 50 });
  const outcome = expect(running).rejects.toMatchObject({ name: 'TimeoutError' });
  await clock.advance(40);
  agent.say({ type: 'CUSTOM' });
  await clock.advance(40);
  expect(agent.aborts).toBe(0);
  await clock.advance(10);
  await outcome;
  expect(agent.aborts).toBe(1);
});

it('a stop before the start touches nothing', async () => {
  const { stop, agent } = stage();
  stop.cancel('user');
  await expect(runAgent(stop.token, agent, { settle })).rejects.toMatchObject({ name: 'AbortError' });
  expect([agent.isRunning, agent.messages.length]).toEqual([false, 1]);
});

it('nonsense is refused', async () => {
  const { agent } = stage();
  await expect(runAgent(undefined, {} as never, { settle })).rejects.toThrow('agent must be an agent of AG-UI');
  await expect(runAgent(undefined, agent, {} as never)).rejects.toThrow('options.settle must be a function');
  await expect(runAgent(undefined, agent, { settle, limit: 1 } as never)).rejects.toThrow('options.limit is no option');
  agent.isRunning = true;
  await expect(runAgent(undefined, agent, { settle })).rejects.toThrow('at work already');
});

it('a copy of an agent is one', async () => {
  const { agent } = stage();
  const copy = new Proxy(agent, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const running = runAgent(undefined, copy, { settle });
  agent.say({ type: 'RUN_FINISHED' });
  agent.end();
  expect(await running).toEqual({ asked: undefined });
});

it('a server that can be asked is asked once, and its last words come before the end of the connection', async () => {
  const { stop, agent } = stage();
  const cancel = vi.fn(({ signal }: { readonly signal: AbortSignal }) => signal.aborted);
  const running = runAgent(stop.token, agent, { settle, cancel });
  stop.cancel({ kind: 'user', message: 'enough' });
  stop.cancel('shutdown');
  expect([agent.aborts, cancel.mock.results]).toEqual([0, [{ type: 'return', value: false }]]);
  agent.say({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
  agent.end();
  await expect(running).rejects.toMatchObject({ reason: { message: 'enough' }, abandoned: undefined });
  expect([agent.aborts, cancel.mock.calls[0]?.[0].signal.aborted]).toEqual([0, true]);
});

it.each([
  [
    'throws',
    () => {
      throw new Error('gone');
    },
  ],
  ['rejects', () => Promise.reject(new Error('gone'))],
])('a request to stop that %s closes the connection', async (_how, cancel) => {
  const { stop, agent } = stage();
  const running = runAgent(stop.token, agent, { settle, cancel });
  stop.cancel('user');
  await expect(running).rejects.toMatchObject({ name: 'AbortError', abandoned: undefined });
  expect(agent.aborts).toBe(1);
});

it('a server that was asked and ends in an unlawful way has stopped', async () => {
  const { stop, agent } = stage();
  const running = runAgent(stop.token, agent, { settle, cancel: () => undefined });
  stop.cancel({ kind: 'user', message: 'enough' });
  agent.end(new Error('messages are still active'));
  await expect(running).rejects.toMatchObject({ name: 'AbortError', reason: { message: 'enough' } });
  expect(agent.messages.at(-1)?.id).toBe('settled');
});

it('a server that was asked and goes on is left after the grace, and named', async () => {
  const { clock, stop, agent } = stage();
  const running = runAgent(stop.token, agent, { settle, graceMs: 50, cancel: () => new Promise(() => undefined) });
  const outcome = expect(running).rejects.toMatchObject({ abandoned: { name: 'writer' } });
  stop.cancel('user');
  await clock.advance(50);
  await outcome;
  expect([agent.aborts, agent.detached]).toEqual([1, 1]);
});
