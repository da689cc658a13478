import { describe, expect, it, vi } from 'vitest';

import { turnExecutor, type TurnExecutorOptions } from '../../../src/adapters/remote-run/turn-executor.ts';
import { delay } from '../../../src/core/combinators/delay.ts';
import { raceCancellation } from '../../../src/core/combinators/race.ts';
import type { Turn } from '../../../src/core/interrupt/public-types/turn.ts';
import { deferred } from '../../../src/testing/fakes.ts';

type Context = { readonly taskId: string };

function stage(body: (turn: Turn) => unknown, options: Partial<TurnExecutorOptions<Context, string>> = {}) {
  const events: string[] = [];
  const onTurnEnd = vi.fn();
  const executor = turnExecutor<Context, string>(
    (turn, context, bus) => {
      bus.publish(`${context.taskId} begun`);
      return body(turn);
    },
    {
      announce: ({ taskId }) => `${taskId} working`,
      conclude: ({ taskId }, report) => `${taskId} ${report.status}`,
      onTurnEnd,
      graceMs: 20,
      ...options,
    },
  );
  const execute = (taskId: string) => executor.execute({ taskId }, { publish: (event) => void events.push(event) });
  return { executor, events, execute, onTurnEnd };
}

it('a task is announced before its body runs, and concluded by its report', async () => {
  const { events, execute, onTurnEnd } = stage(() => 'done');
  await execute('t1');
  expect(events).toEqual(['t1 working', 't1 begun', 't1 completed']);
  expect(onTurnEnd).toHaveBeenCalledOnce();
});

it('a body that throws is a task that failed', async () => {
  const { events, execute } = stage(() => Promise.reject(new Error('no')));
  await execute('t1');
  expect(events.at(-1)).toBe('t1 failed');
});

describe('a cancel', () => {
  it('reaches the turn, and the task is cancelled when that has settled', async () => {
    const cleaned = deferred<undefined>();
    const { executor, events, execute } = stage(
      async (turn) => {
        await delay(turn.token, 60_000).catch(() => undefined);
        await cleaned.promise;
        turn.checkpoint();
      },
      { graceMs: 60_000 },
    );
    const running = execute('t1');
    await vi.waitFor(() => expect(events).toContain('t1 begun'));
    await executor.cancelTask('t1');
    await executor.cancelTask('t1');
    expect(events).not.toContain('t1 cancelled');
    cleaned.resolve(undefined);
    await running;
    expect(events).toEqual(['t1 working', 't1 begun', 't1 cancelled']);
  });

  it('of deaf work is over with the grace, and nothing is published behind it', async () => {
    const late = deferred<undefined>();
    let publish: (event: string) => void = () => undefined;
    const events: string[] = [];
    const executor = turnExecutor<Context, string>(
      (_turn, _context, bus) => {
        publish = bus.publish;
        return late.promise;
      },
      { announce: () => 'working', conclude: (_context, report) => report.status, graceMs: 5 },
    );
    const running = executor.execute({ taskId: 't1' }, { publish: (event) => void events.push(event) });
    await executor.cancelTask('t1');
    await running;
    publish('still at it');
    late.resolve(undefined);
    expect(events).toEqual(['working', 'cancelled']);
  });

  it('of a task that is not there is no error', async () => {
    const { executor } = stage(() => 'done');
    await expect(executor.cancelTask('t9')).resolves.toBeUndefined();
  });
});

describe('another message for a task that runs', () => {
  /** A body that says which message it works for, and ends when that is let go. */
  function talk() {
    const events: string[] = [];
    const bus = { publish: (event: string) => void events.push(event) };
    const ends = [deferred<undefined>(), deferred<undefined>(), deferred<undefined>()];
    const executor = turnExecutor<Context & { readonly n: number }, string>(
      async (turn, { n }, { publish }) => {
        publish(`${String(n)} begun`);
        await raceCancellation(turn.token, ends[n]?.promise);
      },
      {
        announce: ({ taskId }) => `${taskId} working`,
        conclude: ({ taskId, n }, { status }) => `${taskId} ${String(n)} ${status}`,
        graceMs: 5,
      },
    );
    return { events, executor, ends, execute: (n: number) => executor.execute({ taskId: 't', n }, bus) };
  }

  it('is its next turn: the task is announced once, and concluded by its last turn', async () => {
    const { events, ends, execute } = talk();
    const first = execute(0);
    const second = execute(1);
    await vi.waitFor(() => expect(events).toEqual(['t working', '0 begun']));
    ends[0]?.resolve(undefined);
    await vi.waitFor(() => expect(events).toContain('1 begun'));
    ends[1]?.resolve(undefined);
    await Promise.all([first, second]);
    expect(events).toEqual(['t working', '0 begun', '1 begun', 't 1 completed']);
    ends[2]?.resolve(undefined);
    await execute(2);
    expect(events.slice(4)).toEqual(['t working', '2 begun', 't 2 completed']);
  });

  it('is cancelled with it, and so is one that comes while it stops', async () => {
    const { events, executor, execute } = talk();
    const both = [execute(0), execute(1)];
    await vi.waitFor(() => expect(events).toContain('0 begun'));
    await executor.cancelTask('t');
    await Promise.all([...both, execute(2)]);
    expect(events).toEqual(['t working', '0 begun', 't 2 cancelled']);
  });

  it('ends nothing by a last event that cannot be made', async () => {
    const failure = new Error('no such state');
    const executor = turnExecutor<Context, string>(() => undefined, {
      announce: () => 'working',
      conclude: () => {
        throw failure;
      },
    });
    const bus = { publish: () => undefined };
    const both = [executor.execute({ taskId: 't' }, bus), executor.execute({ taskId: 't' }, bus)];
    expect(await Promise.allSettled(both)).toEqual([
      { status: 'fulfilled', value: undefined },
      { status: 'rejected', reason: failure },
    ]);
    await executor.close();
  });
});

it('a listener of the end of turns that throws leaves the task its last event', async () => {
  const reported = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const onTurnEnd = () => JSON.parse('{') as never;
  const { events, execute } = stage(() => 'done', { onTurnEnd });
  await execute('t1');
  expect(events.at(-1)).toBe('t1 completed');
  expect(reported).toHaveBeenCalledOnce();
  reported.mockRestore();
});

it('a task that comes while the server closes, or behind that, is cancelled before its body runs', async () => {
  const { executor, events, execute } = stage((turn) => delay(turn.token, 60_000));
  const first = execute('t1');
  await vi.waitFor(() => expect(events).toContain('t1 begun'));
  const closing = executor.close();
  const second = execute('t2');
  await closing;
  expect(events.toSorted()).toEqual(['t1 begun', 't1 cancelled', 't1 working', 't2 cancelled', 't2 working']);
  await Promise.all([first, second]);
  await execute('t3');
  expect(events.slice(5)).toEqual(['t3 working', 't3 cancelled']);
});

it('close stops every task and waits for all', async () => {
  const { executor, events, execute } = stage((turn) => delay(turn.token, 60_000));
  const tasks = Array.from({ length: 200 }, (_, at) => execute(`t${String(at)}`));
  await vi.waitFor(() => expect(events.length).toBe(400));
  await executor.close();
  expect(events.filter((event) => event.endsWith(' cancelled'))).toHaveLength(200);
  await Promise.all(tasks);
});

it.each([
  [undefined, { announce: vi.fn(), conclude: vi.fn() }, 'body must be a function'],
  [vi.fn(), { conclude: vi.fn() }, 'options.announce must be a function'],
  [vi.fn(), { announce: vi.fn() }, 'options.conclude must be a function'],
  [vi.fn(), { announce: vi.fn(), conclude: vi.fn(), onEnd: vi.fn() }, 'options.onEnd is no option'],
  [vi.fn(), { announce: vi.fn(), conclude: vi.fn(), graceMs: NaN }, 'graceMs must be'],
  [vi.fn(), { announce: vi.fn(), conclude: vi.fn(), graceMs: -1 }, 'graceMs must be'],
])('refuses %o %o', (body, options, message) => {
  expect(() => turnExecutor(body as never, options as never)).toThrow(message);
});

it('a task without an id is refused, and not announced', async () => {
  const options = { announce: vi.fn(), conclude: vi.fn() };
  const publish = vi.fn();
  await expect(turnExecutor(vi.fn(), options).execute({ taskId: '' }, { publish })).rejects.toThrow(
    'context.taskId must be',
  );
  expect(publish).not.toHaveBeenCalled();
});
