import { describe, expect, it } from 'vitest';
import { readRun } from '../../../src/adapters/openai-agents/index.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';

function streamed(events: string[], end: { cancelled?: boolean; completed?: Promise<void> } = {}) {
  return {
    completed: end.completed ?? Promise.resolve(),
    cancelled: end.cancelled ?? false,
    finalOutput: 'done',

    async *[Symbol.asyncIterator]() {
      yield* events;
    },
  };
}

const errorOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('a whole run', () => {
  it('is returned', async () => {
    expect(await readRun(undefined, Promise.resolve({ finalOutput: 7 }))).toEqual({ finalOutput: 7 });
  });

  it('that waits for a person is returned', async () => {
    const waiting = { ...streamed([]), finalOutput: undefined, interruptions: ['pay'] };
    expect(await readRun(undefined, waiting)).toBe(waiting);
  });

  it('that was streamed to an end without an output, as one that something aborted, has not completed', async () => {
    const ended = { ...streamed(['one']), finalOutput: undefined, interruptions: [] };
    expect(await errorOf(readRun(undefined, ended))).toMatchObject({ name: 'AbortError' });
  });

  it('that ended after the stop is stopped', async () => {
    const stop = new CancellationTokenSource();
    stop.cancel('user');
    expect(await errorOf(readRun(stop.token, { finalOutput: 7 }))).toBe(stop.signal.reason);
  });

  it('that failed with the stop, also inside the error of a tool, is stopped', async () => {
    const stop = new CancellationTokenSource();
    stop.cancel('user');
    const { reason } = stop.signal as { reason: unknown };
    const wrapped = Object.assign(new Error('Failed to run function tools'), { error: reason });
    const aborted = new DOMException('gone', 'AbortError');
    for (const error of [reason, wrapped, aborted]) {
      expect(await errorOf(readRun(stop.token, Promise.reject(error as Error)))).toBe(reason);
    }
  });

  it('that failed by itself keeps its failure, stopped or not', async () => {
    const failure = Object.assign(new Error('no tool'), { error: new Error('disk full') });
    const stop = new CancellationTokenSource();
    expect(await errorOf(readRun(stop.token, Promise.reject(failure)))).toBe(failure);
    stop.cancel();
    expect(await errorOf(readRun(stop.token, Promise.reject(failure)))).toBe(failure);
  });
});

describe('a streamed run', () => {
  it('is read to its end', async () => {
    const seen: string[] = [];
    const { finalOutput } = await readRun(undefined, streamed(['a', 'b']), (event) => {
      seen.push(event);
    });
    expect([finalOutput, seen]).toEqual(['done', ['a', 'b']]);
  });

  it('that is stopped gives out nothing more', async () => {
    const stop = new CancellationTokenSource();
    const seen: string[] = [];
    const read = readRun(stop.token, streamed(['a', 'b'], { cancelled: true }), (event) => {
      seen.push(event);
      stop.cancel('user');
    });
    expect(await errorOf(read)).toBe(stop.signal.reason);
    expect(seen).toEqual(['a']);
  });

  it('that ends because it is stopped is not complete', async () => {
    const stop = new CancellationTokenSource();
    stop.cancel('user');
    expect(await errorOf(readRun(stop.token, streamed([], { cancelled: true })))).toBe(stop.signal.reason);
  });

  it('that somebody else stopped is aborted', async () => {
    expect(await errorOf(readRun(undefined, streamed([], { cancelled: true })))).toMatchObject({ name: 'AbortError' });
  });

  it('that fails at its end fails', async () => {
    const failure = new Error('overloaded');
    const completed = Promise.reject(failure);
    expect(await errorOf(readRun(undefined, streamed(['a'], { completed })))).toBe(failure);
  });
});

it('refuses what is no run', async () => {
  await expect(readRun(undefined, 'x' as never)).rejects.toThrow('running must be a run, got "x"');
  await expect(readRun(undefined, {}, 'x' as never)).rejects.toThrow('onEvent must be a function');
  await expect(readRun('x' as never, {})).rejects.toThrow('a token must be');
});
