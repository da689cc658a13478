import { expect, it } from 'vitest';

import { acquireStdin, findStdin } from '../../../../src/adapters/internal/keyboard/stdin-registry.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { FakeTty } from './fake-tty.ts';

it('gives one owner to everybody, until the last has gone', () => {
  const [tty, clock] = [new FakeTty(), new VirtualClock()];
  const options = { clock, escTimeoutMs: 50 };
  expect(findStdin(tty)).toBeUndefined();
  const first = acquireStdin(tty, options, false);
  const second = acquireStdin(tty, options, 'keep-alive');
  expect([second.owner, findStdin(tty)]).toEqual([first.owner, first.owner]);
  first.release();
  expect(findStdin(tty)).toBe(second.owner);
  second.release();
  expect(findStdin(tty)).toBeUndefined();
  const third = acquireStdin(tty, options, true);
  expect([third.owner === first.owner, clock.pending]).toEqual([false, 1]);
  third.release();
});
