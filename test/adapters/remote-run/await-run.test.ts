import { afterEach, describe, expect, it, vi } from 'vitest';

import { awaitRun, type RunContext } from '../../../src/adapters/remote-run/await-run.ts';
import { CancellationTokenSource } from '../../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

const clock = new VirtualClock();

afterEach(() => {
  expect(clock.pending, 'timers left armed').toBe(0);
});

/** A run that a person stops; `result` and `answer` are the other side's. */
function stage(options: Partial<Parameters<typeof awaitRun<string>>[2]> = {}) {
  const person = new CancellationTokenSource({ clock });
  const result = deferred<string>();
  const answer = deferred<unknown>();
  const cancel = vi.fn((_id: string, _context: { signal: AbortSignal }) => answer.promise);
  let context: RunContext | undefined;
  const work = vi.fn((given: RunContext) => {
    context = given;
    return result.promise;
  });
  const call = awaitRun(person.token, work, { cancel, graceMs: 50, ...options });
  const outcome = call.then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
  return { person, result, answer, cancel, work, outcome, context: () => context as RunContext };
}

type Stage = ReturnType<typeof stage>;

it('returns the result, and asks nobody', async () => {
  const { result, cancel, outcome, context, person } = stage();
  context().named('r1');
  result.resolve('done');
  expect(await outcome).toEqual({ value: 'done' });
  person.cancel('user');
  expect(cancel).not.toHaveBeenCalled();
  expect(context().signal.aborted).toBe(false); // a client's left listener would announce the finished run
});

it('is not started under a token that is cancelled', async () => {
  const person = new CancellationTokenSource({ clock });
  person.cancel('user');
  const work = vi.fn(() => 'done');
  await expect(awaitRun(person.token, work, { cancel: vi.fn() })).rejects.toMatchObject({ name: 'AbortError' });
  expect(work).not.toHaveBeenCalled();
});

describe('a stop', () => {
  it('asks once, waits for the answer, and cuts nothing before it', async () => {
    const { person, answer, cancel, outcome, context } = stage();
    context().named('r1');
    person.cancel('user');
    context().named('r2');
    await clock.advance(40);
    expect(cancel.mock.calls.map(([id]) => id)).toEqual(['r1']);
    expect(context().signal.aborted).toBe(false);
    answer.resolve('ok');
    expect(await outcome).toMatchObject({ name: 'AbortError', abandoned: undefined, reason: { kind: 'user' } });
    expect(String(context().signal.reason)).toBe('Request cancelled');
  });

  it('that nobody answers names the run, and closes both requests', async () => {
    const { person, cancel, outcome, context } = stage({ name: 'research' });
    context().named('r1');
    person.cancel('user');
    await clock.advance(50);
    expect(await outcome).toMatchObject({ name: 'AbortError', abandoned: { name: 'research r1' } });
    expect([context().signal.aborted, cancel.mock.calls[0]?.[1].signal.aborted]).toEqual([true, true]);
  });

  it('before there is a name waits for it, and after the grace asks still', async () => {
    const { person, answer, cancel, outcome, context } = stage();
    person.cancel('user');
    await clock.advance(50);
    expect(await outcome).toMatchObject({ abandoned: { name: 'remote run' } });
    expect(context().signal.aborted).toBe(false);
    context().named('r1');
    await clock.advance(0);
    expect(cancel).toHaveBeenCalledOnce();
    expect(context().signal.aborted).toBe(true);
    answer.resolve('ok');
    await clock.advance(0);
  });

  it('of a run whose name never comes gives up its request in the end', async () => {
    const { person, outcome, context } = stage({ nameMs: 200 });
    person.cancel('user');
    await clock.advance(250);
    expect(await outcome).toMatchObject({ abandoned: { name: 'remote run' } });
    expect(context().signal.aborted).toBe(true);
  });

  it.each([
    ['completed', { value: 'paid' }],
    ['cancelled', { name: 'AbortError' }],
  ] as const)('that races a result which says %s is what the result says', async (end, expected) => {
    const { person, result, outcome, context } = stage({ endOf: () => end });
    context().named('r1');
    person.cancel('user');
    result.resolve('paid');
    expect(await outcome).toMatchObject(expected);
  });

  it.each([
    [24, { value: 'paid' }],
    [26, { name: 'AbortError', abandoned: undefined }],
  ])(
    'whose answer overtakes a result that can say its end waits half the grace for it: %i ms',
    async (ms, expected) => {
      const { person, result, answer, outcome, context } = stage({ endOf: () => 'completed' });
      context().named('r1');
      person.cancel('user');
      answer.resolve('ok');
      await clock.advance(ms);
      result.resolve('paid');
      expect(await outcome).toMatchObject(expected);
    },
  );

  it('that was refused leaves a result that comes a result', async () => {
    const { person, result, answer, outcome, context } = stage();
    context().named('r1');
    person.cancel('user');
    await clock.advance(0);
    answer.reject(new Error('not cancellable'));
    await clock.advance(20);
    result.resolve('paid');
    expect(await outcome).toEqual({ value: 'paid' });
  });

  it('whose server is gone names the run at once', async () => {
    const { person, result, answer, outcome, context } = stage();
    context().named('r1');
    person.cancel('user');
    result.reject(new Error('ECONNRESET'));
    answer.reject(new Error('ECONNREFUSED'));
    expect(await outcome).toMatchObject({ name: 'AbortError', abandoned: { name: 'remote run r1' } });
  });

  it.each([
    ['accepted', undefined],
    ['refused', { name: 'remote run r1' }],
  ] as const)(
    'that was %s decides what a failure meanwhile was, which may be the client’s word for it',
    async (how, abandoned) => {
      const { person, result, answer, outcome, context } = stage();
      context().named('r1');
      person.cancel('user');
      result.reject(new RangeError('disk full'));
      await clock.advance(10);
      if (how === 'accepted') answer.resolve('ok');
      else answer.reject(new Error('not cancellable'));
      expect(await outcome).toMatchObject({ name: 'AbortError', abandoned });
    },
  );

  it.each([
    new Error('conn'),
    new Error('socket hang up'),
    new TypeError('fetch failed', { cause: new Error('other side closed') }),
    new DOMException('This operation was aborted', 'AbortError'),
  ])('names a run without an id whose request breaks after it, whatever the error says: %s', async (broken) => {
    const { person, result, cancel, outcome } = stage({ name: 'research' });
    person.cancel('user');
    result.reject(broken);
    expect(await outcome).toMatchObject({
      name: 'AbortError',
      reason: { kind: 'user' },
      abandoned: { name: 'research' },
    });
    expect(cancel).not.toHaveBeenCalled();
  });

  it('that is a limit of the call is that limit, also of a run without an id whose request breaks', async () => {
    const { result, outcome } = stage({ timeoutMs: 20 });
    await clock.advance(20);
    result.reject(new Error('conn'));
    expect(await outcome).toMatchObject({ name: 'TimeoutError', limitMs: 20, abandoned: { name: 'remote run' } });
  });

  it.each([
    ['was waiting', true],
    ['comes with the name', false],
  ])('that %s asks nobody about a run whose name and end come in one answer', async (_when, isWaiting) => {
    const person = new CancellationTokenSource({ clock });
    const answer = deferred<string>();
    const cancel = vi.fn();
    const work = async ({ named }: RunContext) => {
      const id = await answer.promise;
      named(id);
      return { id };
    };
    const onNamed = () => person.cancel('user');
    const call = awaitRun(person.token, work, { cancel, onNamed, endOf: () => 'completed' });
    if (isWaiting) person.cancel('user');
    answer.resolve('r1');
    expect(await call).toEqual({ id: 'r1' });
    expect(cancel).not.toHaveBeenCalled();
  });

  it('asks about a run whose request breaks behind its name', async () => {
    const { person, result, answer, cancel, outcome, context } = stage();
    person.cancel('user');
    context().named('r1');
    result.reject(new Error('conn'));
    answer.resolve('ok');
    expect(await outcome).toMatchObject({ name: 'AbortError', abandoned: undefined });
    expect(cancel).toHaveBeenCalledExactlyOnceWith('r1', expect.anything());
  });

  it('behind a failure leaves it that failure, and asks nobody', async () => {
    const { person, result, cancel, outcome, context } = stage();
    const failure = new RangeError('disk full');
    context().named('r1');
    result.reject(failure);
    await clock.advance(0);
    person.cancel('user');
    expect(await outcome).toBe(failure);
    expect(cancel).not.toHaveBeenCalled();
  });

  it('of a run that says it has failed leaves its result to say why', async () => {
    const { person, result, outcome, context } = stage({ endOf: () => 'failed' });
    context().named('r1');
    person.cancel('user');
    result.resolve('disk full');
    expect(await outcome).toEqual({ value: 'disk full' });
  });

  it.each([
    ['a result', (result: Stage['result']) => result.resolve('half'), undefined],
    // A connection that breaks is no word of the run.
    ['a failure', (result: Stage['result']) => result.reject(new Error('socket hang up')), { name: 'remote run r1' }],
  ])('that was only heard waits for the end, where the caller says so: %s', async (_what, end, abandoned) => {
    const { person, result, answer, outcome, context } = stage({ until: 'end' });
    context().named('r1');
    person.cancel('user');
    answer.resolve('heard');
    await clock.advance(20);
    expect(context().signal.aborted).toBe(false);
    end(result);
    const error = await outcome;
    expect(error).toMatchObject({ name: 'AbortError' });
    expect((error as { abandoned?: { name: string } }).abandoned?.name).toBe(abandoned?.name);
  });
});

it('attaches to a run that has a name, and tells of the name of one that has not', async () => {
  const onNamed = vi.fn();
  const { person, answer, cancel, outcome } = stage({ id: 'r7', onNamed });
  expect(onNamed).toHaveBeenCalledExactlyOnceWith('r7');
  person.cancel('user');
  await clock.advance(0);
  answer.resolve('ok');
  await outcome;
  expect(cancel.mock.calls[0]?.[0]).toBe('r7');
});

it.each([
  ['throws', () => JSON.parse('{') as never, { name: 'SyntaxError' }],
  ['says nothing that it can say', () => 'done' as never, { name: 'TypeError' }],
])('fails where endOf %s', async (_how, endOf, expected) => {
  const { result, outcome, person } = stage({ endOf });
  person.cancel('user');
  result.resolve('paid');
  expect(await outcome).toMatchObject(expected);
});

it('keeps idleMs from passing by progress', async () => {
  const { outcome, context, answer } = stage({ idleMs: 20 });
  context().named('r1');
  await clock.advance(15);
  context().progress();
  await clock.advance(15);
  answer.resolve('ok');
  await clock.advance(5);
  expect(await outcome).toMatchObject({ name: 'TimeoutError', limitMs: 20 });
});

it.each([
  [undefined, { cancel: vi.fn() }, 'work must be a function, got undefined'],
  [vi.fn(), {}, 'options.cancel must be a function, got undefined'],
  [vi.fn(), { cancel: vi.fn(), id: '' }, 'id must be a string that is not empty, got ""'],
  [vi.fn(), { cancel: vi.fn(), until: 'dawn' }, 'until'],
  [vi.fn(), { cancel: vi.fn(), endOf: 1 }, 'endOf must be a function, got 1'],
  [vi.fn(), { cancel: vi.fn(), gracems: 1 }, 'options.gracems is no option'],
  [vi.fn(), { cancel: vi.fn(), nameMs: -1 }, 'nameMs'],
])('refuses %o %o', async (work, options, message) => {
  await expect(awaitRun(undefined, work as never, options as never)).rejects.toThrow(message);
});
