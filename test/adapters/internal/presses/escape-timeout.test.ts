import { describe, expect, it } from 'vitest';

import { defaultEscTimeoutMs } from '../../../../src/adapters/internal/presses/escape-timeout.ts';

describe('defaultEscTimeoutMs', () => {
  it.each([
    [{}, 50],
    [{ SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, 100],
    [{ SSH_TTY: '/dev/pts/1' }, 100],
    [{ SSH_CLIENT: '10.0.0.1 1 22' }, 100],
    [{ ESCDELAY: '25', SSH_TTY: '/dev/pts/1' }, 25],
    [{ ESCDELAY: '0' }, 0],
    [{ ESCDELAY: '' }, 50],
    [{ ESCDELAY: '-1' }, 50],
    [{ ESCDELAY: 'fast' }, 50],
  ])('of %j is %i', (env, ms) => {
    expect(defaultEscTimeoutMs(env)).toBe(ms);
  });
});
