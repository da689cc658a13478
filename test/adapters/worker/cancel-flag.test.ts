import { describe, expect, it } from 'vitest';

import { CancelFlag } from '../../../src/adapters/worker/cancel-flag.ts';
import { createReason } from '../../../src/core/foundation/reason.ts';

const user = createReason({ kind: 'user', message: 'enough', by: 'ada', source: 'chat', at: 7 });

describe('CancelFlag', () => {
  it('is shared where memory can be, and says so', () => {
    expect(new CancelFlag().memory).toBeInstanceOf(SharedArrayBuffer);
    expect([new CancelFlag().isShared, new CancelFlag(CancelFlag.ownMemory()).isShared]).toEqual([true, false]);
  });

  it('C1 the first of two claims wins, and both ends read its reason', () => {
    const here = new CancelFlag();
    const there = new CancelFlag(here.memory);
    expect([here.look(), here.reason, here.words[0]]).toEqual([false, undefined, 0]);
    expect(there.claim('receiver', user)).toBe(true);
    expect(here.look()).toBe(true);
    expect(here.claim('owner', createReason('shutdown'))).toBe(false);
    expect(here.reason).toEqual(user);
    expect(there.reason).toBe(user);
    expect(here.reason).toBe(here.reason);
  });

  it('keeps the cause on the side it came from', () => {
    const here = new CancelFlag();
    const cause = new Error('disk full');
    here.claim('owner', createReason({ kind: 'budget', cause }));
    expect(here.reason?.cause).toBe(cause);
    expect(new CancelFlag(here.memory).reason).toMatchObject({ kind: 'budget' });
    expect(new CancelFlag(here.memory).reason?.cause).toBeUndefined();
  });

  it('shortens a reason that does not fit, and keeps its kind and instant', () => {
    const here = new CancelFlag();
    here.claim('owner', createReason({ kind: 'deadline', message: 'ä'.repeat(5000), by: 'b'.repeat(900), at: 3 }));
    const there = new CancelFlag(here.memory).reason;
    expect(there).toMatchObject({ kind: 'deadline', at: 3, message: 'ä'.repeat(200), by: 'b'.repeat(200) });
    expect(here.reason?.message).toHaveLength(5000);
  });

  it.each([
    [100, 100, 100],
    [100, 1900, 100],
    [20, 2000, 20],
    [3000, 13, 200],
    [3000, 2000, 200],
  ])('keeps the detail, beside a message of %i characters and of %i bytes itself', (length, size, left) => {
    const detail = { step: 'ä'.repeat((size - 11) / 2) };
    for (const side of ['owner', 'receiver'] as const) {
      const here = new CancelFlag();
      here.claim(side, createReason({ kind: 'app:paused', message: 'm'.repeat(length), detail }));
      expect(new CancelFlag(here.memory).reason).toMatchObject({ message: 'm'.repeat(left), detail });
    }
  });

  it.each(['owner', 'receiver'] as const)('shortens what takes six bytes a character further, for the %s', (side) => {
    const long = '\u0001'.repeat(1000);
    const here = new CancelFlag();
    expect(here.claim(side, createReason({ kind: 'user', message: long, source: long, by: long }))).toBe(true);
    const there = new CancelFlag(here.memory).reason;
    expect(there).toMatchObject({ message: '\u0001'.repeat(100), by: '\u0001'.repeat(100) });
  });

  it('cuts between characters', () => {
    const here = new CancelFlag();
    here.claim('owner', createReason({ kind: 'user', message: `a${'😀'.repeat(1000)}` }));
    expect(new CancelFlag(here.memory).reason?.message).toBe(`a${'😀'.repeat(99)}`);
  });
});
