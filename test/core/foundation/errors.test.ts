import { inspect } from 'node:util';

import { describe, expect, it, vi } from 'vitest';

import {
  CancellationTokenSource,
  CancelledError,
  DeadlineExceededError,
  type CancelReason,
} from '../../../src/index.ts';
import { createReason, isCancelReason } from '../../../src/core/foundation/reason.ts';
import {
  isCancelledError,
  createCancelledError,
  isDeadlineExceededError,
} from '../../../src/core/foundation/errors.ts';

const frame = /\n\s+at /;
const at = Date.UTC(2026, 0, 2, 3, 4, 5);

describe('CancelledError', () => {
  it('CancelledError has the name and the code that everybody takes for a cancellation', () => {
    const error = new CancelledError('user');
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('AbortError');
    expect(error.code).toBe('ABORT_ERR');
    expect(error.message).toBe('User cancelled');
    expect(String(error)).toBe('AbortError: User cancelled');
  });

  it('CancelledError carries the reason it is given, the same object', () => {
    const reason = createReason({ kind: 'budget', cause: 'root' });
    const error = new CancelledError(reason);
    expect(error.reason).toBe(reason);
    expect(error.cause).toBe('root');
  });

  it.each([
    ['nothing', undefined, { kind: 'unknown', message: 'Cancelled' }],
    ['a kind', 'shutdown', { kind: 'shutdown' }],
    ['a message', 'because', { kind: 'unknown', message: 'because' }],
    ['an init', { kind: 'user', by: 'ada' }, { kind: 'user', by: 'ada', message: 'User cancelled' }],
  ] as const)('CancelledError makes a reason of %s', (_title, init, expected) => {
    const error = new CancelledError(init);
    expect(isCancelReason(error.reason)).toBe(true);
    expect(error.reason).toMatchObject(expected);
    expect(error.message).toBe(error.reason.message);
  });

  it('CancelledError has a cause only if the reason has one', () => {
    expect('cause' in new CancelledError('user')).toBe(false);
    expect('cause' in new CancelledError({ cause: null })).toBe(false);
    expect(new CancelledError({ cause: 0 }).cause).toBe(0);
  });

  it('CancelledError says what finished, and what did not end', () => {
    const done = new CancelledError('user', { completed: { value: undefined } });
    expect(done.completed).toEqual({ value: undefined });
    expect(done.abandoned).toBeUndefined();
    const late = new CancelledError('user', { abandoned: { name: 'build' } });
    expect(late.abandoned).toEqual({ name: 'build' });
    expect(late.completed).toBeUndefined();
  });

  it('CancelledError shows no field to a logger that spreads or serialises it', () => {
    const error = new CancelledError(
      { kind: 'user', cause: { password: 'hunter2' } },
      { completed: { value: 'hunter2' }, abandoned: { name: 'x' } },
    );
    expect(Object.keys(error)).toEqual([]);
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });

  it('CancelledError refuses a reason that makes no sense', () => {
    expect(() => new CancelledError({ kind: 'nope' } as never)).toThrow(TypeError);
    expect(() => new CancelledError(5 as never)).toThrow(TypeError);
  });
});

describe('DeadlineExceededError', () => {
  it('DeadlineExceededError has the name of a timeout, its limit and a reason of kind deadline', () => {
    const error = new DeadlineExceededError(250);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('TimeoutError');
    expect(error.limitMs).toBe(250);
    expect(error.reason.kind).toBe('deadline');
    expect(error.message).toBe('Not finished within 250 ms');
    expect(String(error)).toBe('TimeoutError: Not finished within 250 ms');
  });

  it('DeadlineExceededError keeps the recorded reason, the same object, and speaks of idleness where it was that', () => {
    const reason = createReason({ kind: 'idle', cause: 'stalled' });
    const error = new DeadlineExceededError(30, reason, { abandoned: { name: 'read' }, completed: { value: 7 } });
    expect(error.reason).toBe(reason);
    expect(error.cause).toBe('stalled');
    expect(error.abandoned).toEqual({ name: 'read' });
    expect(error.completed).toEqual({ value: 7 });
    expect(new DeadlineExceededError(30).completed).toBeUndefined();
    expect(error.message).toBe('Nothing moved for 30 ms');
    expect('cause' in new DeadlineExceededError(1)).toBe(false);
  });

  it('DeadlineExceededError takes an init, with kind deadline where it names none', () => {
    expect(new DeadlineExceededError(1, { by: 'ada' }).reason).toMatchObject({ kind: 'deadline', by: 'ada' });
    expect(new DeadlineExceededError(1, { kind: 'idle' }).reason.kind).toBe('idle');
  });

  it('DeadlineExceededError refuses a limit that is no number', () => {
    expect(() => new DeadlineExceededError('5' as never)).toThrow(new TypeError('limitMs must be a number, got "5"'));
  });
});

describe('the brands', () => {
  const cancelled = new CancelledError('user');
  const deadline = new DeadlineExceededError(5);

  it('the brands tell the two apart, and both from everybody else', () => {
    expect([isCancelledError(cancelled), isDeadlineExceededError(cancelled)]).toEqual([true, false]);
    expect([isCancelledError(deadline), isDeadlineExceededError(deadline)]).toEqual([false, true]);
    for (const other of [new DOMException('x', 'AbortError'), new Error('x'), null, undefined, 'AbortError', () => 1]) {
      expect([isCancelledError(other), isDeadlineExceededError(other)]).toEqual([false, false]);
    }
  });

  it('the brands are understood by another copy of the package, and so is instanceof', async () => {
    vi.resetModules();
    const copy = await import('../../../src/index.ts');
    expect(copy.CancelledError).not.toBe(CancelledError);
    expect(cancelled).toBeInstanceOf(copy.CancelledError);
    expect(deadline).toBeInstanceOf(copy.DeadlineExceededError);
    expect(deadline).not.toBeInstanceOf(copy.CancelledError);
    expect(copy.isCancellation(cancelled)).toBe(true);
    expect(isCancelledError(new copy.CancelledError('user'))).toBe(true);
    expect(cancelled).not.toBeInstanceOf(copy.DeadlineExceededError);
  });
});

describe('the stack of a cancel', () => {
  function errorOf(options: { captureStack?: boolean | undefined }): CancelledError {
    const source = new CancellationTokenSource(options);
    (function pressStop() {
      source.cancel('user');
    })();
    return source.signal.reason as CancelledError;
  }

  it('the stack of a cancel is not taken', () => {
    for (const options of [{}, { captureStack: false }, { captureStack: undefined }]) {
      expect(errorOf(options).stack ?? '').not.toMatch(frame);
    }
  });

  it('the stack of a cancel is taken where the source asks for it, and says who cancelled', () => {
    const { stack } = errorOf({ captureStack: true });
    expect(stack).toMatch(/^AbortError: User cancelled\n/);
    expect(stack).toContain('pressStop');
  });

  it('the stack of a cancel leaves the stacks of other errors as they were', () => {
    const before = Error.stackTraceLimit;
    errorOf({});
    expect(Error.stackTraceLimit).toBe(before);
    expect(new Error('x').stack).toMatch(frame);
    expect(() => createCancelledError({ cause: 1, kind: 'x' } as unknown as CancelReason)).toThrow(TypeError);
    expect(Error.stackTraceLimit).toBe(before);
  });

  it('the stack of a cancel works where the engine knows no limit, and where Error is frozen', () => {
    const descriptor = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')!;
    try {
      Object.defineProperty(Error, 'stackTraceLimit', { value: undefined, configurable: true, writable: true });
      expect(createCancelledError(createReason('user')).name).toBe('AbortError');
      Object.defineProperty(Error, 'stackTraceLimit', { value: 5, configurable: true, writable: false });
      expect(createCancelledError(createReason('user')).name).toBe('AbortError');
    } finally {
      Object.defineProperty(Error, 'stackTraceLimit', descriptor);
    }
  });
});

describe('util.inspect', () => {
  it.each([
    [
      'everything that is known',
      createReason({ kind: 'user', by: 'ada', source: 'main turn', at }),
      'AbortError: User cancelled [kind user by ada in "main turn" at 2026-01-02T03:04:05.000Z]',
    ],
    ['only the kind', createReason({ at }), 'AbortError: Cancelled [kind unknown at 2026-01-02T03:04:05.000Z]'],
    ['an instant beyond the calendar', createReason({ at: 1e300 }), 'AbortError: Cancelled [kind unknown at ?]'],
  ])('util.inspect shows %s', (_title, reason, text) => {
    expect(inspect(createCancelledError(reason))).toBe(text);
  });

  it('util.inspect escapes what a reason says, also in the first line of a stack', () => {
    const said = 'stop\r\nFAKE LOG LINE \u001B[2J';
    const shown = /^AbortError: stop\\u000d\\nFAKE LOG LINE \\u001b\[2J(\n {4}at .*)* \[kind user at [^\n]*\]$/u;
    const reason = createReason({ kind: 'user', message: said, at });
    expect(inspect(createCancelledError(reason))).toMatch(shown);
    expect(inspect(createCancelledError(reason, { captureStack: true }))).toMatch(shown);
    const other = createCancelledError(reason);
    other.stack = `somebody's own ${said}`;
    expect(inspect(other)).toContain("somebody's own stop\\u000d\nFAKE LOG LINE \\u001b[2J");
  });

  it('names abandoned work, and prints the stack where there is one', () => {
    const late = createCancelledError(createReason({ at }), { abandoned: { name: 'build' } });
    expect(inspect(late)).toContain(', abandoned: build]');
    expect(inspect(new CancelledError('user'))).toMatch(frame);
    expect(inspect(new DeadlineExceededError(5, { at }))).toMatch(/^TimeoutError: Not finished within 5 ms\n/);
    const bare = new CancelledError({ at });
    Object.defineProperty(bare, 'stack', { value: undefined });
    expect(inspect(bare)).toBe('AbortError: Cancelled [kind unknown at 2026-01-02T03:04:05.000Z]');
  });

  it('util.inspect never prints the cause', () => {
    expect(inspect(createCancelledError(createReason({ cause: 'hunter2' })))).not.toContain('hunter2');
  });
});
