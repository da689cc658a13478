import { afterEach, describe, expect, it, vi } from 'vitest';

import type { RunContext } from '../../../src/adapters/remote-run/await-run.ts';
import { followRun, type FollowRunOptions } from '../../../src/adapters/remote-run/follow-run.ts';
import type { Clock } from '../../../src/core/foundation/clock.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

interface Event {
  readonly id: string;
  readonly state: string;
}

/** A source that is fed by hand, and remembers that it was left. */
function feed() {
  type Step = IteratorResult<Event> | PromiseLike<IteratorResult<Event>>;
  const waiting: ((result: Step) => void)[] = [];
  const ready: Step[] = [];
  const push = (result: Step) => {
    const read = waiting.shift();
    if (read === undefined) ready.push(result);
    else read(result);
  };
  const source = {
    asked: 0,
    isLeft: false,
    send: (state: string) => push({ done: false, value: { id: 'r1', state } }),
    end: () => push({ done: true, value: undefined }),
    fail: (error: Error) => push(Promise.reject(error)),
    [Symbol.asyncIterator]: () => ({
      next: () => {
        source.asked++;
        const result = ready.shift();
        return result === undefined
          ? new Promise<IteratorResult<Event>>((resolve) => waiting.push(resolve))
          : Promise.resolve(result);
      },
      return: () => {
        source.isLeft = true;
        return Promise.resolve({ done: true as const, value: undefined });
      },
    }),
  };
  return source;
}

function stage(options: Partial<FollowRunOptions<Event>> = {}) {
  const person = new CancellationTokenSource({ clock });
  const source = feed();
  const answer = deferred<unknown>();
  const cancel = vi.fn((_id: string) => answer.promise);
  let context: RunContext | undefined;
  const open = vi.fn((given: RunContext) => {
    context = given;
    return source;
  });
  const run = followRun<Event>(person.token, open, { cancel, idOf: ({ id }) => id, graceMs: 50, ...options });
  const states: string[] = [];
  const read = async () => {
    try {
      for await (const { state } of run) states.push(state);
      return 'ended';
    } catch (error) {
      return error;
    }
  };
  return { person, source, answer, cancel, run, open, states, read, context: () => context as RunContext };
}

const endOf = ({ state }: Event) => (state === 'completed' || state === 'cancelled' ? state : undefined);

it('reads to the end, asks nobody, and knows its name', async () => {
  const { source, cancel, run, read, states, person } = stage();
  expect(run.id).toBeUndefined();
  const reading = read();
  source.send('working');
  source.send('done');
  source.end();
  expect(await reading).toBe('ended');
  expect([states, run.id]).toEqual([['working', 'done'], 'r1']);
  expect(await run.closed).toEqual({ status: 'completed', id: 'r1' });
  person.cancel('user');
  expect(cancel).not.toHaveBeenCalled();
});

it('ends with the last event also where the connection stays open', async () => {
  const { source, run, read, states, context } = stage({ endOf });
  const reading = read();
  source.send('completed');
  expect(await reading).toBe('ended');
  expect([states, context().signal.aborted, source.isLeft]).toEqual([['completed'], true, true]);
  expect(await run.closed).toEqual({ status: 'completed', id: 'r1' });
});

it('reads one event ahead, no more', async () => {
  const { source, run } = stage();
  for (const state of ['a', 'b', 'c']) source.send(state);
  expect(await run.next()).toMatchObject({ value: { state: 'a' } });
  await clock.advance(0);
  expect(source.asked).toBe(2);
  await run.next();
  await run.next();
  source.end();
  expect(await run.next()).toEqual({ done: true, value: undefined });
});

it('opens nothing under a token that is cancelled, and nothing before it is read', async () => {
  const { person, open, read } = stage();
  expect(open).not.toHaveBeenCalled();
  person.cancel('user');
  expect(await read()).toMatchObject({ name: 'AbortError' });
  expect(open).not.toHaveBeenCalled();
});

describe('a stop', () => {
  it('reads on until the events end: the last words come behind the answer, then the stop', async () => {
    const { person, source, answer, cancel, read, states, run } = stage();
    const reading = read();
    source.send('working');
    await clock.advance(0);
    person.cancel('user');
    source.send('cancelling');
    source.send('rolled back');
    await clock.advance(10);
    answer.resolve('ok');
    await clock.advance(10);
    source.send('bye');
    source.end();
    expect(await reading).toMatchObject({ name: 'AbortError', abandoned: undefined });
    expect(states).toEqual(['working', 'cancelling', 'rolled back', 'bye']);
    expect(cancel).toHaveBeenCalledExactlyOnceWith('r1', expect.anything());
    expect(await run.closed).toMatchObject({ status: 'cancelled', id: 'r1' });
    await expect(run.next()).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('before the run has a name waits for the event that says it', async () => {
    const { person, source, answer, cancel, read } = stage();
    const reading = read();
    person.cancel('user');
    await clock.advance(30);
    expect(cancel).not.toHaveBeenCalled();
    source.send('working');
    await clock.advance(0);
    expect(cancel).toHaveBeenCalledOnce();
    answer.resolve('ok');
    await clock.advance(50);
    expect(await reading).toMatchObject({ name: 'AbortError', abandoned: undefined });
  });

  it('of a run that has answered, and whose connection stays open, is over within the grace', async () => {
    const { person, source, answer, read, run, context } = stage();
    const reading = read();
    source.send('working');
    await clock.advance(0);
    person.cancel('user');
    answer.resolve('ok');
    await clock.advance(24);
    expect(context().signal.aborted).toBe(false);
    await clock.advance(1);
    expect(await reading).toMatchObject({ name: 'AbortError', abandoned: undefined });
    expect([context().signal.aborted, source.isLeft, (await run.closed).status]).toEqual([true, true, 'cancelled']);
  });

  it('that was only heard is no end of a run whose connection breaks', async () => {
    const { person, source, answer, read, run } = stage({ until: 'end' });
    const reading = read();
    source.send('working');
    await clock.advance(0);
    person.cancel('user');
    answer.resolve('heard');
    await clock.advance(0);
    source.fail(new Error('socket hang up'));
    expect(await reading).toMatchObject({ abandoned: { name: 'remote run r1' } });
    expect((await run.closed).status).toBe('abandoned');
  });

  it('asks nobody where the end has arrived, however far behind the reader is', async () => {
    const { person, source, cancel, run, states, read } = stage({ endOf });
    for (const state of ['a', 'b', 'c', 'completed']) source.send(state);
    await run.next();
    await clock.advance(10);
    person.cancel('user');
    await clock.advance(0);
    expect(await read()).toBe('ended');
    expect([states, (await run.closed).status]).toEqual([['b', 'c', 'completed'], 'completed']);
    expect(cancel).not.toHaveBeenCalled();
  });

  it.each([1, 900, 5_000])('asks nobody where the end waits behind %i events', async (many) => {
    const { person, source, cancel, run, states, read } = stage({ endOf });
    for (let i = 0; i <= many; i++) source.send('working');
    source.send('completed');
    await run.next();
    person.cancel('user');
    await clock.advance(0);
    expect(await read()).toBe('ended');
    expect([states.length, (await run.closed).status]).toEqual([many + 1, 'completed']);
    expect(cancel).not.toHaveBeenCalled();
  });

  it.each([
    [50, 25],
    [60_000, 500],
  ])('asks a run that never pauses all the same, of a grace of %i ms in %i ms', async (graceMs, limitMs) => {
    let time = 0;
    // Whoever reads takes a hundredth of a millisecond.
    const busy: Clock = { now: () => time, setTimer: (...timer) => clock.setTimer(...timer) };
    const person = new CancellationTokenSource({ clock: busy });
    let toldAt: number | undefined;
    async function* chatter() {
      for (; toldAt === undefined; time += 0.01) yield await Promise.resolve({ id: 'r1', state: 'on and on' });
    }
    const cancel = () => void (toldAt = time);
    const run = followRun<Event>(person.token, chatter, { cancel, idOf: ({ id }) => id, graceMs });
    await run.next();
    person.cancel('user');
    await clock.advance(0);
    expect((await run.closed).status).toBe('cancelled');
    expect(toldAt).toBeCloseTo(limitMs, 0);
  });

  it('that nobody answers names the run', async () => {
    const { person, source, read, run, context } = stage();
    const reading = read();
    source.send('working');
    await clock.advance(0);
    person.cancel('user');
    await clock.advance(50);
    expect(await reading).toMatchObject({ abandoned: { name: 'remote run r1' } });
    expect(await run.closed).toMatchObject({ status: 'abandoned', id: 'r1' });
    expect(context().signal.aborted).toBe(true);
  });

  it('that comes while the reader is busy is told at once, and read out later', async () => {
    const { person, source, answer, cancel, run } = stage();
    source.send('working');
    await run.next();
    person.cancel('user');
    await clock.advance(0);
    expect(cancel).toHaveBeenCalledOnce();
    source.send('last words');
    await clock.advance(0);
    answer.resolve('ok');
    source.end();
    await clock.advance(0);
    expect(await run.next()).toMatchObject({ value: { state: 'last words' } });
    await expect(run.next()).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('of a run that says it was completed is no stop of it', async () => {
    const { person, source, read, states, run } = stage({ endOf });
    const reading = read();
    source.send('working');
    await clock.advance(0);
    person.cancel('user');
    source.send('completed');
    expect(await reading).toBe('ended');
    expect(states).toEqual(['working', 'completed']);
    expect(await run.closed).toEqual({ status: 'completed', id: 'r1' });
  });

  it('behind the last event asks nobody', async () => {
    const { person, source, cancel, run } = stage({ endOf });
    source.send('completed');
    await run.next();
    await clock.advance(0);
    person.cancel('user');
    expect(cancel).not.toHaveBeenCalled();
    expect(await run.next()).toEqual({ done: true, value: undefined });
  });
});

describe('a reader that leaves', () => {
  it('cancels the run, and waits for the answer', async () => {
    const { source, answer, cancel, run } = stage();
    source.send('working');
    await run.next();
    const left = run.return();
    await clock.advance(0);
    expect(cancel).toHaveBeenCalledOnce();
    answer.resolve('ok');
    source.end();
    expect(await left).toEqual({ done: true, value: undefined });
    expect(await run.next()).toEqual({ done: true, value: undefined });
  });

  it('keeps it where the caller says so', async () => {
    const { source, cancel, run, context } = stage({ onLeave: 'keep' });
    source.send('working');
    await run.next();
    await run[Symbol.asyncDispose]();
    expect(cancel).not.toHaveBeenCalled();
    expect([context().signal.aborted, source.isLeft]).toEqual([true, true]);
    expect(await run.closed).toEqual({ status: 'left', id: 'r1' });
  });

  it('before it has read opens nothing', async () => {
    const { open, run } = stage();
    await run.return();
    expect(open).not.toHaveBeenCalled();
    expect(await run.closed).toEqual({ status: 'left', id: undefined });
  });
});

it.each<[string, Partial<FollowRunOptions<Event>>]>([
  ['idOf gives an empty name', { idOf: () => '' }],
  ['idOf throws', { idOf: () => JSON.parse('{') as never }],
  ['endOf throws', { endOf: () => JSON.parse('{') as never }],
])('closes the connection where %s', async (_how, options) => {
  const { source, run, read, context } = stage(options);
  const reading = read();
  source.send('working');
  expect(await reading).toBeInstanceOf(Error);
  expect([context().signal.aborted, source.isLeft, (await run.closed).status]).toEqual([true, true, 'failed']);
});

it('asks a run to stop of which no more can be read', async () => {
  const { person, source, answer, cancel, read } = stage({ endOf: () => JSON.parse('{') as never, id: 'r1' });
  const reading = read();
  person.cancel('user');
  source.send('working');
  await clock.advance(0);
  expect(cancel).toHaveBeenCalledOnce();
  answer.resolve('ok');
  expect(await reading).toMatchObject({ name: 'AbortError', abandoned: undefined });
});

it('leaves a run alone whose connection breaks, under its name', async () => {
  const failure = new Error('ECONNRESET');
  async function* broken() {
    yield { id: 'r1', state: 'working' };
    await Promise.reject(failure);
  }
  const cancel = vi.fn();
  const run = followRun<Event>(undefined, broken, { cancel, idOf: ({ id }) => id });
  await run.next();
  await expect(run.next()).rejects.toBe(failure);
  expect(await run.closed).toEqual({ status: 'failed', id: 'r1', error: failure });
  expect(cancel).not.toHaveBeenCalled();
});

it('says that a run may go on where its connection breaks after the stop and before its name', async () => {
  const person = new CancellationTokenSource({ clock });
  const connection = deferred<never>();
  const run = followRun<Event>(person.token, () => connection.promise, { cancel: vi.fn(), idOf: ({ id }) => id });
  const read = run.next().catch((error: unknown) => error);
  person.cancel('user');
  connection.reject(new Error('conn'));
  expect(await read).toMatchObject({ name: 'AbortError', abandoned: { name: 'remote run' } });
  expect(await run.closed).toMatchObject({ status: 'abandoned', id: undefined });
});

it('counts silence only while somebody waits', async () => {
  const { source, answer, run } = stage({ idleMs: 20 });
  source.send('a');
  await run.next();
  await clock.advance(500);
  const next = run.next().catch((error: unknown) => error);
  answer.resolve('ok');
  await clock.advance(20);
  source.end();
  expect(await next).toMatchObject({ name: 'TimeoutError', limitMs: 20 });
});

it.each([
  [undefined, { cancel: vi.fn() }, 'open must be a function, got undefined'],
  [vi.fn(), {}, 'options.cancel must be a function, got undefined'],
  [vi.fn(), { cancel: vi.fn(), onLeave: 'run' }, 'onLeave'],
  [vi.fn(), { cancel: vi.fn(), idof: vi.fn() }, 'options.idof is no option'],
  [vi.fn(), { cancel: vi.fn(), idOf: 1 }, 'idOf must be a function, got 1'],
])('refuses %o %o', (open, options, message) => {
  expect(() => followRun(undefined, open as never, options as never)).toThrow(message);
});

it('is told that open must return an iterable', async () => {
  const run = followRun(undefined, () => 'text' as never, { cancel: vi.fn() });
  await expect(run.next()).rejects.toThrow(/^open must return an async iterable, got /);
});

it('names a deaf run also where its events end without a word once they are cut', async () => {
  const { source, run, read, person, context } = stage();
  const reading = read();
  source.send('working');
  await clock.advance(0);
  person.cancel('user');
  context().signal.addEventListener('abort', () => source.end());
  await clock.advance(50);
  await clock.advance(1000);
  expect(await reading).toMatchObject({
    name: 'AbortError',
    abandoned: { name: expect.stringContaining('r1') as string },
  });
  expect((await run.closed).status).toBe('abandoned');
});
