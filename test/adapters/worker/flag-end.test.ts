import { describe, expect, it } from 'vitest';

import { CancelFlag } from '../../../src/adapters/worker/cancel-flag.ts';
import type { EndpointHandlers, Message } from '../../../src/adapters/worker/endpoint.ts';
import { FlagEnd } from '../../../src/adapters/worker/flag-end.ts';
import { createReason } from '../../../src/core/foundation/reason.ts';

/** Two ends with a wire that delivers when the test says so. */
function pair(memory: 'shared' | 'own') {
  const wires = { owner: [] as Message[], receiver: [] as Message[] };
  const handlers: { owner?: EndpointHandlers; receiver?: EndpointHandlers } = {};
  let closed = 0;
  const gone: string[] = [];
  const first = new CancelFlag(memory === 'shared' ? undefined : CancelFlag.ownMemory());
  const second = new CancelFlag(memory === 'shared' ? first.memory : CancelFlag.ownMemory());
  const end = (flag: CancelFlag, side: 'owner' | 'receiver', other: 'owner' | 'receiver') =>
    new FlagEnd(
      flag,
      side,
      (own) => {
        handlers[side] = own;
        return { send: (message) => void wires[other].push(message), close: () => void (closed += 1) };
      },
      () => void gone.push(side),
    );
  const ends = { owner: end(first, 'owner', 'receiver'), receiver: end(second, 'receiver', 'owner') };
  function deliver(): void {
    for (const side of ['owner', 'receiver'] as const) {
      for (const message of wires[side].splice(0)) handlers[side]?.onMessage(message);
    }
  }
  return { ...ends, handlers, deliver, closed: () => closed, gone };
}

describe.each(['shared', 'own'] as const)('two ends over %s memory', (memory) => {
  it('a cancel of either reaches the other, listeners included', () => {
    for (const side of ['owner', 'receiver'] as const) {
      const ends = pair(memory);
      const other = ends[side === 'owner' ? 'receiver' : 'owner'];
      const heard: string[] = [];
      other.token.onCancelled(({ kind }) => heard.push(kind));
      expect(ends[side].cancel('user')).toBe(true);
      expect([ends[side].token.isCancelled, other.token.isCancelled]).toEqual([true, memory === 'shared']);
      ends.deliver();
      expect([heard, other.token.reason?.kind]).toEqual([['user'], 'user']);
      expect([ends[side].cancel('shutdown'), other.cancel('shutdown')]).toEqual([false, false]);
    }
  });

  it('an end that comes late hears of it', () => {
    const ends = pair(memory);
    ends.owner.cancel('user');
    ends.handlers.receiver?.onMessage({ kind: 'cancelled', reason: createReason('user') });
    expect(ends.receiver.token.reason?.kind).toBe('user');
    ends.deliver();
  });

  it('answers "I am here" with what has happened', () => {
    const ends = pair(memory);
    ends.deliver(); // both said they are here, and nothing had happened
    ends.owner.cancel('user');
    ends.handlers.owner?.onMessage({ kind: 'ready' });
    ends.deliver();
    expect(ends.receiver.token.reason?.kind).toBe('user');
  });

  it('after a release nothing changes, and the wire is closed once', () => {
    const ends = pair(memory);
    ends.receiver.release();
    ends.receiver.release();
    expect(ends.closed()).toBe(1);
    ends.owner.cancel('user');
    ends.deliver();
    expect([ends.receiver.token.isCancelled, ends.receiver.cancel('user')]).toEqual([false, false]);
    ends.handlers.receiver?.onGone();
    expect(ends.gone).toEqual([]);
  });

  it('says that the other end is gone', () => {
    const ends = pair(memory);
    ends.handlers.owner?.onGone();
    expect(ends.gone).toEqual(['owner']);
  });
});

it('what the other end did before it was gone is told, though no message came', () => {
  const ends = pair('shared');
  const heard: string[] = [];
  ends.owner.token.onCancelled(({ kind }) => heard.push(kind));
  ends.receiver.cancel('budget');
  ends.handlers.owner?.onGone();
  expect([heard, ends.gone]).toEqual([['budget'], ['owner']]);
});

describe('two cancels that cross', () => {
  it('in common memory have one winner, on both ends', () => {
    const ends = pair('shared');
    expect([ends.receiver.cancel('idle'), ends.owner.cancel('user')]).toEqual([true, false]);
    expect(ends.owner.token.reason?.kind).toBe('idle');
    ends.deliver();
    expect(ends.receiver.token.reason?.kind).toBe('idle');
  });

  it('without it each end keeps its own', () => {
    const ends = pair('own');
    expect([ends.receiver.cancel('idle'), ends.owner.cancel('user')]).toEqual([true, true]);
    ends.deliver();
    expect([ends.owner.token.reason?.kind, ends.receiver.token.reason?.kind]).toEqual(['user', 'idle']);
  });
});
