import { afterEach, describe, expect, it } from 'vitest';

import {
  lendTerminal,
  noteTerminal,
  type DeviceHost,
} from '../../../../src/adapters/internal/keyboard/watched-terminals.ts';
import type { Releasable } from '../../../../src/core/foundation/disposable.ts';

const home = globalThis as Record<symbol, unknown>;
const key = Symbol.for('desist.watched-terminals.v1');

const lent: string[] = [];
const noted: Releasable[] = [];
/** Descriptors 0, 3 and 9 are terminals, of which 9 was opened as `/dev/tty`; 5 is a file. */
const devices: Readonly<Record<number | string, number>> = { 0: 11, 3: 11, 4: 12, 5: 0, 9: 99, '/dev/tty': 99 };
const host: DeviceHost = {
  device: (of) => {
    const found = devices[of];
    if (found === undefined) throw new Error('EBADF');
    return found;
  },
  isTerminal: (descriptor) => descriptor !== 5 && descriptor in devices,
};

function watch(name: string, descriptor: number | undefined, degraded?: string): Releasable {
  const held = noteTerminal({
    descriptor,
    degraded,
    handOver: () => {
      lent.push(name);
      return { release: () => void lent.push(`${name} back`), caughtUp: () => Promise.resolve() };
    },
  });
  noted.push(held);
  return held;
}

afterEach(() => {
  for (const held of noted.splice(0)) held.release();
  lent.length = 0;
  expect(home[key]).toBeUndefined();
});

describe('a terminal that a program inherits', () => {
  it.each([
    ['inherit'],
    [['inherit', 'pipe', 'pipe']],
    [[0]],
    [[3]], // the same terminal by another descriptor
    [[9]], // and as `/dev/tty`
    [[{ fd: 0 }]],
    [[{ _handle: { fd: 3 } }]],
  ])('is lent: %j', (stdio) => {
    watch('ours', 0);
    lendTerminal(stdio, host)?.release();
    expect(lent).toEqual(['ours', 'ours back']);
  });

  it.each([
    [undefined],
    ['pipe'],
    [['ignore', 'inherit', 'inherit']],
    [[null]],
    [[4]], // another terminal
    [[5]], // a file
    [[77]], // nothing
    [[{ fd: -1 }]],
  ])('is nothing to lend: %j', (stdio) => {
    watch('ours', 0);
    expect(lendTerminal(stdio, host)).toBeUndefined();
    expect(lent).toEqual([]);
  });

  it('is lent by a watcher that knows it as `/dev/tty`', () => {
    watch('ours', 9);
    expect(lendTerminal([5], host)).toBeUndefined(); // no terminal at all
    expect(lendTerminal('inherit', host)).toBeDefined();
  });

  it('is not lent by who has lost it, does not say which it is, or watches no longer', () => {
    watch('lost', 0, 'terminal lost');
    watch('nameless', undefined);
    watch('gone', 0).release();
    expect(lendTerminal('inherit', host)).toBeUndefined();
  });

  it('is asked of the system with the same result', () => {
    watch('ours', 77);
    expect(lendTerminal([0])).toBeUndefined();
    watch('stdin', 0);
    expect(lendTerminal([0])).toBeDefined();
  });

  it('is found by another copy of the package, and nothing is left where nobody watches', () => {
    const held = watch('ours', 0);
    expect(home[key]).toBeInstanceOf(Set);
    held.release();
    held.release();
    expect(home[key]).toBeUndefined();
    expect(lendTerminal('inherit', host)).toBeUndefined();
  });
});
