import { runInNewContext } from 'node:vm';

import { describe, expect, it, vi } from 'vitest';

import { systemClock } from '../../../src/core/foundation/clock.ts';
import {
  CancellationTokenSource,
  CancelledError,
  DeadlineExceededError,
  type CancelKind,
  type CancelReasonInit,
} from '../../../src/index.ts';
import { createReason, isCancelReason, neutralReasonText } from '../../../src/core/foundation/reason.ts';
import { reasonToJSON } from '../../../src/core/foundation/reason-json.ts';
import { cancelKinds } from '../../../src/core/foundation/cancel-kind.ts';

/** The kinds of the contract, in its order. */
const kinds = [
  'user',
  'interjection',
  'superseded',
  'deadline',
  'idle',
  'budget',
  'sibling',
  'disconnect',
  'shutdown',
  'lease-lost',
  'ended',
  'unknown',
] as const satisfies readonly CancelKind[];

const secret = { password: 'hunter2' };

describe('the kinds', () => {
  it('the kinds are a closed list', () => {
    expect([...cancelKinds]).toEqual(kinds);
    expect(Object.isFrozen(cancelKinds)).toBe(true);
  });

  it.each(kinds)('%s has a message of its own, one line without a full stop', (kind) => {
    const { message } = createReason(kind);
    expect(message).toMatch(/^[A-Z].*[^.]$/);
    expect(kinds.filter((other) => createReason(other).message === message)).toEqual([kind]);
  });

  it.each(['User', 'abort', '', 'toString', '__proto__', 5])('%o is none of the kinds', (kind) => {
    const call = (): unknown => createReason({ kind: kind as CancelKind, message: 'x' });
    expect(call).toThrow(TypeError);
    expect(call).toThrow(/^reason\.kind must be one of 'user', .*'unknown', got /);
  });
});

describe('createReason', () => {
  it('createReason knows nothing by default: kind unknown, its message, now', () => {
    const before = systemClock.now();
    const reason = createReason();
    expect({ ...reason, at: 0 }).toEqual({ kind: 'unknown', message: 'Cancelled', at: 0 });
    expect(reason.at).toBeGreaterThanOrEqual(before);
    expect(reason.at).toBeLessThanOrEqual(systemClock.now());
  });

  it('createReason takes a string for a kind if it is one, else for a message', () => {
    expect(createReason('shutdown')).toMatchObject({ kind: 'shutdown' });
    expect(createReason('the tests went red')).toMatchObject({ kind: 'unknown', message: 'the tests went red' });
    for (const text of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
      expect(createReason(text)).toMatchObject({ kind: 'unknown', message: text });
    }
  });

  it('createReason keeps every field it is given, and only those', () => {
    const init = { kind: 'user', message: 'Stop', at: 5, by: 'ada', source: 'turn', cause: secret } as const;
    expect({ ...createReason(init), cause: secret }).toEqual(init);
    expect(createReason(init).cause).toBe(secret);
    const bare = createReason({ kind: 'user', message: undefined, by: undefined, source: undefined, at: undefined });
    expect(Object.keys(bare).sort()).toEqual(['at', 'kind', 'message']);
    expect('cause' in bare).toBe(false);
  });

  it('createReason is frozen', () => {
    const reason = createReason('user');
    expect(Object.isFrozen(reason)).toBe(true);
    expect(() => {
      (reason as { kind: string }).kind = 'budget';
    }).toThrow(TypeError);
  });

  it('createReason lets a finished reason pass, the same object', () => {
    const reason = createReason('user');
    expect(createReason(reason)).toBe(reason);
    expect(createReason(reason, { kind: 'budget', message: 'other' })).toBe(reason);
  });

  it.each<[string, CancelReasonInit | string | undefined, CancelReasonInit, object]>([
    ['fill what is missing', undefined, { kind: 'user', message: 'Stop', at: 7 }, { kind: 'user', message: 'Stop' }],
    ['yield to what is said', { kind: 'budget', at: 1 }, { kind: 'user', at: 7 }, { kind: 'budget', at: 1 }],
    [
      'keep their message for their own kind',
      { kind: 'shutdown' },
      { kind: 'user', message: 'User cancelled it' },
      { kind: 'shutdown', message: 'The process is shutting down' },
    ],
    ['leave a message alone', 'too slow', { kind: 'deadline' }, { kind: 'deadline', message: 'too slow' }],
    ['name the scope', 'user', { source: 'turn', by: 'ada' }, { source: 'turn', by: 'ada' }],
    ['do not rename it', { source: 'mine', by: 'bob' }, { source: 'turn', by: 'ada' }, { source: 'mine', by: 'bob' }],
  ])('its defaults %s', (_title, init, defaults, expected) => {
    expect(createReason(init, defaults)).toMatchObject(expected);
  });

  it('createReason takes a default cause', () => {
    expect(createReason('user', { cause: secret }).cause).toBe(secret);
    expect(createReason({ cause: 'own' }, { cause: secret }).cause).toBe('own');
  });

  describe('of an error, as people hand it to AbortController.abort', () => {
    const failed = new TypeError('the socket closed');
    const timeout = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    const elsewhere: unknown = runInNewContext("new Error('from there')");

    it.each<[string, unknown, object]>([
      ['an error', failed, { kind: 'unknown', message: 'the socket closed' }],
      ['one without words', new Error(), { kind: 'unknown', message: 'Cancelled' }],
      ['a DOMException', new DOMException('x', 'AbortError'), { kind: 'unknown', message: 'x' }],
      ['a timeout', timeout, { kind: 'deadline', message: timeout.message }],
      ['one of another realm', elsewhere, { kind: 'unknown', message: 'from there' }],
      [
        'one whose fields mean something else',
        Object.assign(new Error('x'), { kind: 'network', by: 5, source: {}, at: 'noon' }),
        { kind: 'unknown', message: 'x' },
      ],
    ])('the reason of an error has its words, and itself as the cause: %s', (_title, error, expected) => {
      const reason = createReason(error as CancelReasonInit);
      expect({ ...reason, at: 0 }).toEqual({ ...expected, at: 0 });
      expect(reason.cause).toBe(error);
    });

    it('the reason of an error has the kind it is given by default', () => {
      expect(createReason(failed, { kind: 'user' })).toMatchObject({ kind: 'user', cause: failed });
      expect(createReason(timeout as CancelReasonInit, { kind: 'user' }).kind).toBe('deadline');
    });

    it('the reason of an error is the reason that the error carries, the same object', () => {
      const reason = createReason({ kind: 'user', by: 'ada' });
      expect(createReason(new CancelledError(reason))).toBe(reason);
      expect(createReason(new DeadlineExceededError(5, reason))).toBe(reason);
      expect(createReason(Object.assign(new Error('x'), { reason: 'looks like one' })).message).toBe('x');
    });

    it('the reason of an error goes from one source to another by hand without a loss', () => {
      const [from, to] = [new CancellationTokenSource(), new CancellationTokenSource()];
      from.signal.addEventListener('abort', () => to.cancel(from.signal.reason as CancelReasonInit));
      from.cancel({ kind: 'user', by: 'ada' });
      expect(to.reason).toBe(from.reason);
    });
  });

  it.each<[string, unknown, RegExp]>([
    ['a number', 5, /reason.*got 5/],
    ['an array', [], /reason.*an array of 0/],
    ['a detail that is no JSON', { detail: () => 1 }, /reason\.detail.*function/],
    ['a function', () => 'x', /reason.*function/],
    ['a boolean', true, /reason.*true/],
    ['a message that is no string', { message: 5 }, /reason\.message.*got 5/],
    ['a source that is no string', { source: {} }, /reason\.source.*Object/],
    ['a name that is no string', { by: 5 }, /reason\.by.*got 5/],
    ['an instant that is no number', { at: '5' }, /reason\.at.*"5"/],
    ['an instant that is none', { at: NaN }, /reason\.at.*NaN/],
    ['an instant at the end of time', { at: Infinity }, /reason\.at.*Infinity/],
  ])('createReason refuses %s, and names it', (_title, init, message) => {
    expect(() => createReason(init as CancelReasonInit)).toThrow(TypeError);
    expect(() => createReason(init as CancelReasonInit)).toThrow(message);
  });
});

describe('isCancelReason', () => {
  it('isCancelReason knows ours, and nobody that only looks like it', () => {
    expect(isCancelReason(createReason('user'))).toBe(true);
    for (const value of [{ kind: 'user', message: 'x', at: 1 }, 'user', null, undefined, new Error('x'), () => 1]) {
      expect(isCancelReason(value)).toBe(false);
    }
  });

  it('isCancelReason knows those of another copy of the package', async () => {
    vi.resetModules();
    const copy = await import('../../../src/core/foundation/reason.ts');
    expect(copy.createReason).not.toBe(createReason);
    const theirs = copy.createReason('user');
    expect(isCancelReason(theirs)).toBe(true);
    expect(createReason(theirs)).toBe(theirs);
  });
});

describe('what a third party sees', () => {
  it('what a third party sees is one fixed text', () => {
    expect(neutralReasonText).toBe('Request cancelled');
  });
});

describe('what a stop may be asked for with', () => {
  it.each([
    ['SIGINT', 'user'],
    ['SIGTERM', 'shutdown'],
    ['SIGHUP', 'shutdown'],
  ])('%s is of kind %s', (signal, kind) => {
    expect(createReason(signal).kind).toBe(kind);
  });

  it.each(['constructor', '__proto__', 'toString', 'SIGUSR1'])('%s is a message like any other', (message) => {
    expect(createReason(message)).toMatchObject({ kind: 'unknown', message });
  });

  it.each([
    null,
    undefined,
    new Event('abort'),
    new CustomEvent('click', { detail: 1 }),
    Object.assign(new Event('error'), { message: 'x', source: 'y', kind: 'z' }),
  ])('%s says nothing', (nothing) => {
    const reason = createReason(nothing as null, { kind: 'user', at: 5 });
    expect(reasonToJSON(reason)).toEqual({ kind: 'user', message: 'User cancelled', at: 5 });
    expect(reason.cause).toBeUndefined();
  });

  it('what a stop may be asked for with keeps a copy of the detail, of at most 2 kB', () => {
    const detail = { rounds: [1, 2] };
    const reason = createReason({ kind: 'app:loop', detail });
    detail.rounds.push(3);
    expect([reason.kind, reason.message, reason.detail]).toEqual(['app:loop', 'Cancelled', { rounds: [1, 2] }]);
    expect(createReason({ detail: 'x'.repeat(2046) }).detail).toHaveLength(2046);
    expect(() => createReason({ detail: 'x'.repeat(2047) })).toThrow(/reason\.detail must be at most 2048 bytes.*2049/);
    expect(() => createReason({ detail: '\u20ac'.repeat(700) })).toThrow(RangeError);
  });
});
