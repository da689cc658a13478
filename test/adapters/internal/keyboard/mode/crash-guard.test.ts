import childProcess from 'node:child_process';

import { afterEach, expect, it, vi } from 'vitest';

import { guardMode } from '../../../../../src/adapters/internal/keyboard/mode/crash-guard.ts';
import * as guardian from '../../../../../src/adapters/internal/guardian/guardian.ts';

vi.mock(import('../../../../../src/adapters/internal/guardian/guardian.ts'), { spy: true });

const asked = vi.spyOn(childProcess, 'execFileSync');
const told = vi.mocked(guardian.guardTerminal);
afterEach(() => {
  asked.mockReset();
  told.mockReset();
});

it('reads the mode that was found and ours, in this order, and leaves ours', () => {
  const modes: boolean[] = [];
  asked.mockImplementation(() => `/dev/pts/7\n${modes.at(-1) === true ? 'raw' : 'cooked'}\n`);
  told.mockReturnValue({ unavailable: undefined, release: () => undefined });
  expect(guardMode(0, (watched) => modes.push(watched), '\x1b[<u').unavailable).toBeUndefined();
  expect(told).toHaveBeenCalledExactlyOnceWith({ path: '/dev/pts/7', found: 'cooked', watched: 'raw', off: '\x1b[<u' });
  expect(modes).toEqual([false, true]);
});

it('is none where the mode cannot be read, and leaves ours set all the same', () => {
  const modes: boolean[] = [];
  asked.mockImplementation(() => {
    throw new Error('ENOENT');
  });
  const guard = guardMode(0, (watched) => modes.push(watched), '');
  expect(guard.unavailable?.reason).toBe('no-stty');
  guard.release();
  expect([modes.at(-1), told.mock.calls.length]).toEqual([true, 0]);
});
