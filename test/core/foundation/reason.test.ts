import { runInNewContext } from 'node:vm';

import { describe, expect, it, vi } from 'vitest';

import {
  CancellationTokenSource,
  CancelledError,
  DeadlineExceededError,
  createReason,
  isCancelReason,
  neutralReasonText,
  reasonFromJSON,
  reasonToJSON,
  systemClock,
  type CancelKind,
  type CancelReasonInit,
} from '../../../src/index.ts';
import { cancelKinds } from '../../../src/core/foundation/reason.ts';

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
  'unknown',
] as const satisfies readonly CancelKind[];

const secret = { password: 'hunter2' };

describe('the kinds', () => {
  it('are a closed list', () => {
    expect([...cancelKinds]).toEqual(kinds);
    expect(Object.isFrozen(cancelKinds)).toBe(true);
  });

  it.each(kinds)('%s has a message of its own, one line without a full stop', (kind) => {
    const { message } = createReason(kind);
    expect(message).toMatch(/^[A-Z].*[^.]$/);
    expect(kinds.filter((other) => createReason(other).message === message)).toEqual([kind]);
  });

  it.each(['User', 'abort', '', 'toString', '__proto__', 5])('%o is none of them', (kind) => {
    const call = (): unknown => createReason({ kind: kind as CancelKind, message: 'x' });
    expect(call).toThrow(TypeError);
    expect(call).toThrow(/^reason\.kind must be one of 'user', .*'unknown', got /);
  });
});

describe('createReason', () => {
  it('knows nothing by default: kind unknown, its message, now', () => {
    const before = systemClock.now();
    const reason = createReason();
    expect({ ...reason, at: 0 }).toEqual({ kind: 'unknown', message: 'Cancelled', at: 0 });
    expect(reason.at).toBeGreaterThanOrEqual(before);
    expect(reason.at).toBeLessThanOrEqual(systemClock.now());
  });

  it('takes a string for a kind if it is one, else for a message', () => {
    expect(createReason('shutdown')).toMatchObject({ kind: 'shutdown' });
    expect(createReason('the tests went red')).toMatchObject({ kind: 'unknown', message: 'the tests went red' });
    for (const text of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
      expect(createReason(text)).toMatchObject({ kind: 'unknown', message: text });
    }
  });

  it('keeps every field it is given, and only those', () => {
    const init = { kind: 'user', message: 'Stop', at: 5, by: 'ada', source: 'turn', cause: secret } as const;
    expect({ ...createReason(init), cause: secret }).toEqual(init);
    expect(createReason(init).cause).toBe(secret);
    const bare = createReason({ kind: 'user', message: undefined, by: undefined, source: undefined, at: undefined });
    expect(Object.keys(bare).sort()).toEqual(['at', 'kind', 'message']);
    expect('cause' in bare).toBe(false);
  });

  it('is frozen', () => {
    const reason = createReason('user');
    expect(Object.isFrozen(reason)).toBe(true);
    expect(() => {
      (reason as { kind: string }).kind = 'budget';
    }).toThrow(TypeError);
  });

  it('lets a finished reason pass, the same object', () => {
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

  it('takes a default cause', () => {
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
    ])('has its words, and itself as the cause: %s', (_title, error, expected) => {
      const reason = createReason(error as CancelReasonInit);
      expect({ ...reason, at: 0 }).toEqual({ ...expected, at: 0 });
      expect(reason.cause).toBe(error);
    });

    it('has the kind it is given by default', () => {
      expect(createReason(failed, { kind: 'user' })).toMatchObject({ kind: 'user', cause: failed });
      expect(createReason(timeout as CancelReasonInit, { kind: 'user' }).kind).toBe('deadline');
    });

    it('is the reason that the error carries, the same object', () => {
      const reason = createReason({ kind: 'user', by: 'ada' });
      expect(createReason(new CancelledError(reason))).toBe(reason);
      expect(createReason(new DeadlineExceededError(5, reason))).toBe(reason);
      expect(createReason(Object.assign(new Error('x'), { reason: 'looks like one' })).message).toBe('x');
    });

    it('goes from one source to another by hand without a loss', () => {
      const [from, to] = [new CancellationTokenSource(), new CancellationTokenSource()];
      from.signal.addEventListener('abort', () => to.cancel(from.signal.reason as CancelReasonInit));
      from.cancel({ kind: 'user', by: 'ada' });
      expect(to.reason).toBe(from.reason);
    });
  });

  it.each<[string, unknown, RegExp]>([
    ['a number', 5, /reason.*got 5/],
    ['null', null, /reason.*got null/],
    ['a function', () => 'x', /reason.*function/],
    ['a boolean', true, /reason.*true/],
    ['a message that is no string', { message: 5 }, /reason\.message.*got 5/],
    ['a source that is no string', { source: {} }, /reason\.source.*Object/],
    ['a name that is no string', { by: 5 }, /reason\.by.*got 5/],
    ['an instant that is no number', { at: '5' }, /reason\.at.*"5"/],
    ['an instant that is none', { at: NaN }, /reason\.at.*NaN/],
    ['an instant at the end of time', { at: Infinity }, /reason\.at.*Infinity/],
  ])('refuses %s, and names it', (_title, init, message) => {
    expect(() => createReason(init as CancelReasonInit)).toThrow(TypeError);
    expect(() => createReason(init as CancelReasonInit)).toThrow(message);
  });
});

describe('isCancelReason', () => {
  it('knows ours, and nobody that only looks like it', () => {
    expect(isCancelReason(createReason('user'))).toBe(true);
    for (const value of [{ kind: 'user', message: 'x', at: 1 }, 'user', null, undefined, new Error('x'), () => 1]) {
      expect(isCancelReason(value)).toBe(false);
    }
  });

  it('knows those of another copy of the package', async () => {
    vi.resetModules();
    const copy = await import('../../../src/index.ts');
    expect(copy.createReason).not.toBe(createReason);
    const theirs = copy.createReason('user');
    expect(isCancelReason(theirs)).toBe(true);
    expect(createReason(theirs)).toBe(theirs);
  });
});

describe('JSON', () => {
  it.each(kinds)('a reason of kind %s goes through and comes back', (kind) => {
    for (const extra of [{}, { by: 'ada' }, { source: 'turn' }, { by: 'ada', source: 'turn' }]) {
      const reason = createReason({ kind, message: `about ${kind}`, at: 1_700_000_000_000.5, ...extra });
      const back = reasonFromJSON(JSON.parse(JSON.stringify(reasonToJSON(reason))));
      expect({ ...back }).toEqual({ ...reason });
      expect(isCancelReason(back)).toBe(true);
      expect(Object.isFrozen(back)).toBe(true);
    }
  });

  it('has no cause, whatever it is', () => {
    const json = reasonToJSON(createReason({ kind: 'user', at: 5, cause: secret }));
    expect(json).toEqual({ kind: 'user', message: 'User cancelled', at: 5 });
    expect(JSON.stringify(json)).not.toContain('hunter2');
  });

  it('has no cause either when a logger or a pipe serialises the reason itself', () => {
    const reason = createReason({ kind: 'user', cause: secret });
    expect(JSON.stringify(reason)).not.toContain('hunter2');
    expect(JSON.stringify({ nested: [reason] })).not.toContain('hunter2');
  });

  it('takes no cause back in', () => {
    expect(reasonFromJSON({ kind: 'user', message: 'x', at: 1, cause: secret }).cause).toBeUndefined();
  });

  it('calls a kind it does not know unknown', () => {
    for (const kind of ['from-the-future', undefined, 5, 'toString']) {
      expect(reasonFromJSON({ kind, message: 'x', at: 1 })).toMatchObject({ kind: 'unknown', message: 'x', at: 1 });
    }
  });

  it('drops names that are no strings', () => {
    expect(Object.keys(reasonFromJSON({ kind: 'user', message: 'x', at: 1, by: 5, source: {} })).sort()).toEqual([
      'at',
      'kind',
      'message',
    ]);
  });

  it.each<[unknown]>([
    [null],
    [undefined],
    ['user'],
    [5],
    [{}],
    [{ message: 'x' }],
    [{ at: 5 }],
    [{ message: 5, at: 5 }],
    [{ message: 'x', at: '5' }],
    [{ message: 'x', at: NaN }],
    [[]],
  ])('refuses %o', (json) => {
    expect(() => reasonFromJSON(json)).toThrow(TypeError);
  });
});

describe('what a third party sees', () => {
  it('is one fixed text', () => {
    expect(neutralReasonText).toBe('Request cancelled');
  });
});
