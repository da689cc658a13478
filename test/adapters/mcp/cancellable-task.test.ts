import { afterEach, describe, expect, it, vi } from 'vitest';

import type { McpRequestContext } from '../../../src/adapters/mcp/cancellable-request.ts';
import { cancellableTask, type McpTaskMessage } from '../../../src/adapters/mcp/cancellable-task.ts';
import { CancelledError } from '../../../src/core/foundation/errors.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { eventually } from '../../support/eventually.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

const created = { type: 'taskCreated', task: { taskId: 't1', status: 'working' } } as const;
const never = new Promise<never>(() => undefined);

/** A stream as the SDK's: the messages, then a sleep that hears no signal. */
async function* streamOf(...messages: McpTaskMessage<string>[]): AsyncGenerator<McpTaskMessage<string>> {
  for (const message of messages) yield await Promise.resolve(message);
  await never;
}

it('returns the result, and tells of every status', async () => {
  const seen: string[] = [];
  const cancelTask = vi.fn();
  const status = { type: 'taskStatus', task: { taskId: 't1', status: 'completed' } } as const;
  const call = cancellableTask(undefined, () => streamOf(created, status, { type: 'result', result: 'built' }), {
    cancelTask,
    onStatus: (task) => seen.push(task.status),
  });
  await expect(call).resolves.toBe('built');
  expect(seen).toEqual(['working', 'completed']);
  expect(cancelTask).not.toHaveBeenCalled();
});

it('throws the stream’s error, and says so if there is no result at all', async () => {
  const failure = new Error('no such tool');
  const cancelTask = vi.fn();
  const failing = cancellableTask(null, () => streamOf({ type: 'error', error: failure }), { cancelTask });
  await expect(failing).rejects.toBe(failure);
  async function* empty(): AsyncGenerator<McpTaskMessage<string>> {
    yield await Promise.resolve(created);
  }
  await expect(cancellableTask(null, empty, { cancelTask })).rejects.toThrow('ended without a result');
  expect(cancelTask).not.toHaveBeenCalled();
});

it('cancels no task that has said its result, by a stop of the same tick', async () => {
  const person = new CancellationTokenSource({ clock });
  const cancelTask = vi.fn();
  const messages = [created, { type: 'result', result: 'built' } as const];
  const open = () => ({
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const value = messages.shift() as McpTaskMessage<string>;
        // Behind the message's arrival, and before the call has its value.
        if (messages.length === 0) void Promise.resolve().then(() => queueMicrotask(() => void person.cancel('user')));
        return Promise.resolve({ done: false, value });
      },
    }),
  });
  await expect(cancellableTask(person.token, open, { cancelTask })).resolves.toBe('built');
  expect([person.isCancelled, cancelTask.mock.calls]).toEqual([true, []]);
});

it('reports what its listener of the status throws, and goes on', async () => {
  const onCallbackError = vi.fn();
  const person = new CancellationTokenSource({ clock, onCallbackError });
  const call = cancellableTask(person.token, () => streamOf(created, { type: 'result', result: 'built' }), {
    cancelTask: () => undefined,
    onStatus: () => JSON.parse('{') as never,
  });
  await expect(call).resolves.toBe('built');
  expect(onCallbackError).toHaveBeenCalledOnce();
});

it.each([undefined, null, 'stream', {}])('is told that open must return a stream, not %o', async (given) => {
  const call = cancellableTask(null, () => given as never, { cancelTask: () => undefined });
  await expect(call).rejects.toThrow(/^open must return an async iterable, got /);
});

it('has its result where the stream cannot be closed', async () => {
  const next = () => Promise.resolve({ done: false, value: { type: 'result', result: 'built' } as const });
  const close = () => JSON.parse('{') as Promise<never>;
  const open = () => ({ [Symbol.asyncIterator]: () => ({ next, return: close }) });
  await expect(cancellableTask(null, open, { cancelTask: () => undefined })).resolves.toBe('built');
});

describe('a cancel', () => {
  /** A call that is cancelled as soon as the task is there. */
  function cancelled(cancelTask: (taskId: string) => unknown, onLateSettle?: (outcome: unknown) => void) {
    const person = new CancellationTokenSource({ clock });
    let signal: AbortSignal | undefined;
    const open = (context: McpRequestContext) => {
      signal = context.signal;
      return streamOf(created);
    };
    const call = cancellableTask(person.token, open, {
      cancelTask,
      graceMs: 50,
      onLateSettle,
      onStatus: () => void person.cancel({ kind: 'user', message: 'the secret plan changed' }),
    });
    return { call, reasonSent: () => String(signal?.reason) };
  }

  it('tells the server once, waits for its answer, and is the token’s error', async () => {
    const answer = deferred<unknown>();
    const told = vi.fn(() => answer.promise);
    const { call, reasonSent } = cancelled(told);
    const settled = vi.fn();
    void call.catch(settled);
    await clock.advance(10);
    expect(told).toHaveBeenCalledExactlyOnceWith('t1');
    expect(settled).not.toHaveBeenCalled();
    answer.resolve({});
    await expect(call).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    expect(reasonSent()).toBe('Request cancelled');
  });

  it('does not wait for ever for the answer', async () => {
    const onLateSettle = vi.fn();
    const answer = deferred<unknown>();
    const { call } = cancelled(() => answer.promise, onLateSettle);
    const outcome = expect(call).rejects.toMatchObject({ abandoned: { name: 'mcp task t1' } });
    await clock.advance(50);
    await outcome;
    answer.resolve({});
    await clock.advance(0);
    expect(onLateSettle).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 'cancelled' }));
  });

  it('that the server refuses waits for the end of the task, and names it if there is none', async () => {
    const { call } = cancelled(() => Promise.reject(new Error('Cannot cancel task in terminal status')));
    const outcome = expect(call).rejects.toMatchObject({ name: 'AbortError', abandoned: { name: 'mcp task t1' } });
    await clock.advance(50);
    await outcome;
  });

  it('that comes too late for the server leaves the result a result', async () => {
    const person = new CancellationTokenSource({ clock });
    const refused = deferred<undefined>();
    async function* ending(): AsyncGenerator<McpTaskMessage<string>> {
      yield created;
      await refused.promise;
      yield { type: 'result', result: 'paid' };
    }
    const cancelTask = () => {
      refused.resolve(undefined);
      return Promise.reject(new Error('Cannot cancel task in terminal status'));
    };
    const call = cancellableTask(person.token, ending, { cancelTask, onStatus: () => person.cancel('user') });
    await clock.advance(0);
    await expect(call).resolves.toBe('paid');
  });

  /** A call that is cancelled while the server makes the task. */
  function cancelledEarly(options: { onLateSettle?: (outcome: unknown) => void } = {}) {
    const person = new CancellationTokenSource({ clock });
    const cancelTask = vi.fn();
    const named = deferred<McpTaskMessage<string>>();
    let signal: AbortSignal | undefined;
    async function* slow(context: McpRequestContext): AsyncGenerator<McpTaskMessage<string>> {
      signal = context.signal;
      yield await named.promise;
      await never;
    }
    const call = cancellableTask(person.token, slow, { cancelTask, graceMs: 50, ...options });
    const outcome = call.catch((error: unknown) => error);
    person.cancel('user');
    return { outcome, cancelTask, named, isAborted: () => signal?.aborted };
  }

  it('before the task has a name waits for the name, and cancels it once', async () => {
    const { outcome, cancelTask, named, isAborted } = cancelledEarly();
    await clock.advance(20);
    expect(isAborted()).toBe(false); // or the answer would be dropped, and the name with it
    named.resolve(created);
    await clock.advance(0);
    expect(await outcome).toMatchObject({ name: 'AbortError', abandoned: undefined });
    expect(cancelTask).toHaveBeenCalledExactlyOnceWith('t1');
    expect(isAborted()).toBe(true);
  });

  it('before the task has a name is not held up by that, and cancels the task when its name comes', async () => {
    const onLateSettle = vi.fn();
    const { outcome, cancelTask, named } = cancelledEarly({ onLateSettle });
    await clock.advance(50);
    expect(await outcome).toMatchObject({ abandoned: { name: 'mcp task' } });
    expect(cancelTask).not.toHaveBeenCalled();
    named.resolve(created);
    await clock.advance(0);
    await eventually(() => expect(cancelTask).toHaveBeenCalledExactlyOnceWith('t1'));
    expect(onLateSettle).toHaveBeenCalledOnce();
  });

  it('before the task has a name leaves a failure that the server tells of that failure', async () => {
    const { outcome, cancelTask, named } = cancelledEarly();
    named.resolve({ type: 'error', error: new Error('no such tool') });
    expect(await outcome).toMatchObject({ message: 'no such tool' }); // a failure that raced the cancel
    expect(cancelTask).not.toHaveBeenCalled();
  });

  it('before the task has a name says that it may go on where the stream breaks', async () => {
    const { outcome, cancelTask, named } = cancelledEarly();
    named.reject(new Error('conn'));
    expect(await outcome).toMatchObject({ name: 'AbortError', abandoned: { name: 'mcp task' } });
    expect(cancelTask).not.toHaveBeenCalled();
  });

  it('before the call opens nothing', async () => {
    const person = new CancellationTokenSource({ clock });
    person.cancel('user');
    const open = vi.fn(() => streamOf(created));
    await expect(cancellableTask(person.token, open, { cancelTask: vi.fn() })).rejects.toBeInstanceOf(CancelledError);
    expect(open).not.toHaveBeenCalled();
  });
});

it('a limit cancels the task as well; a status and progress keep idleMs from passing', async () => {
  const person = new CancellationTokenSource({ clock });
  const cancelTask = vi.fn();
  const next = deferred<undefined>();
  let report: McpRequestContext['onprogress'] = () => undefined;
  async function* slow(context: McpRequestContext): AsyncGenerator<McpTaskMessage<string>> {
    report = context.onprogress;
    await next.promise;
    yield created;
    await never;
  }
  const seen: number[] = [];
  const onProgress = ({ progress }: { progress: number }) => seen.push(progress);
  const call = cancellableTask(person.token, slow, { cancelTask, idleMs: 20, onProgress });
  const outcome = expect(call).rejects.toMatchObject({ name: 'TimeoutError', limitMs: 20 });
  await clock.advance(15);
  next.resolve(undefined);
  await clock.advance(15);
  report({ progress: 1 });
  await clock.advance(15);
  expect(cancelTask).not.toHaveBeenCalled();
  await clock.advance(10);
  await outcome;
  expect(cancelTask).toHaveBeenCalledExactlyOnceWith('t1');
  expect(seen).toEqual([1]);
});

it.each([
  [undefined, { cancelTask: vi.fn() }, 'open must be a function, got undefined'],
  [() => streamOf(), {}, 'options.cancelTask must be a function, got undefined'],
  [() => streamOf(), { cancelTask: vi.fn(), onStatus: 1 }, 'onStatus must be a function, got 1'],
])('refuses %o %o', async (open, options, message) => {
  await expect(cancellableTask(undefined, open as never, options as never)).rejects.toThrow(message);
});
