import { describe, expect, it } from 'vitest';

import { type CancelReason } from '../../../src/index.ts';
import { createReason, isCancelReason } from '../../../src/core/foundation/reason.ts';
import { reasonOfStop } from '../../../src/core/foundation/reason-of-stop.ts';

describe('the reason of a stop', () => {
  const stop = (given: unknown): { readonly reason: CancelReason; readonly misuse: readonly unknown[] } => {
    const misuse: unknown[] = [];
    return { reason: reasonOfStop(given, {}, (error) => misuse.push(error)), misuse };
  };

  it.each([130, 0, 42n, true, Symbol('s'), [], () => 1])(
    'the reason of a stop is of kind unknown for %o, which is its cause',
    (value) => {
      const { reason, misuse } = stop(value);
      expect([reason.kind, reason.message, reason.cause]).toEqual(['unknown', 'Cancelled', value]);
      expect(misuse).toEqual([expect.any(TypeError)]);
    },
  );

  it('the reason of a stop keeps the message beside a kind that does not exist, which is misuse', () => {
    for (const kind of ['esc', 'usr', '', '__proto__', 'constructor', ':', 'a:', ':b']) {
      const { reason, misuse } = stop({ kind, message: 'pressed', by: 'ada' });
      expect(reason).toMatchObject({ kind: 'unknown', message: 'pressed', by: 'ada' });
      expect(misuse).toEqual([expect.objectContaining({ message: expect.stringMatching(/^reason\.kind must be/) })]);
    }
  });

  it('the reason of a stop keeps all that there is beside a field that there is not, which is misuse', () => {
    const { reason, misuse } = stop({ kind: 'user', mesage: 'enough', detail: { n: 1 } });
    expect(reason).toMatchObject({ kind: 'user', message: 'User cancelled', detail: { n: 1 } });
    expect(misuse).toMatchObject([
      { name: 'TypeError', message: expect.stringMatching(/^reason\.mesage is no option/) },
    ]);
  });

  it.each([
    ['a reason', createReason({ kind: 'user', detail: 1, cause: 2 })],
    ['all there is', { kind: 'user', message: 'm', by: 'b', source: 's', detail: 1, cause: 2, at: 3 }],
    ['an error', Object.assign(new Error('x'), { status: 429 })],
    ['an event', new Event('abort')],
    [
      'what a class of the application makes',
      new (class Stop {
        kind = 'user';
        button = 'red';
      })(),
    ],
  ])('the reason of a stop may be %s, and nothing is misused', (_what, given) => {
    expect(stop(given).misuse).toEqual([]);
  });

  it('the reason of a stop drops what is wrong, and keeps the rest', () => {
    const { reason, misuse } = stop({ kind: 'user', message: 5, by: 'ada', at: NaN, detail: () => 1 });
    expect(reason).toMatchObject({ kind: 'user', message: 'User cancelled', by: 'ada' });
    expect(misuse).toHaveLength(1);
  });

  it('the reason of a stop is there for what cannot be read at all', () => {
    const throwing = new Proxy(
      {},
      {
        get: () => {
          throw new Error('from a trap');
        },
      },
    );
    const { proxy: revoked, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const value of [
      throwing,
      revoked,
      {
        get kind() {
          throw new Error('from a getter');
        },
      },
    ]) {
      const { reason, misuse } = stop(value);
      expect([reason.kind, misuse.length]).toEqual(['unknown', 1]);
      expect(Object.is(reason.cause, value)).toBe(true);
    }
  });

  it('the reason of a stop is not taken from something that only bears our mark', () => {
    const forged = { [Symbol.for('desist.reason')]: true, message: 'x' };
    expect(stop(forged).reason).toMatchObject({ kind: 'unknown', message: 'x' });
    expect(isCancelReason(forged)).toBe(false);
  });
});
