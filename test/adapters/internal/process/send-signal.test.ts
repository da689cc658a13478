import { describe, expect, it, vi } from 'vitest';

import { sendSignal } from '../../../../src/adapters/internal/process/send-signal.ts';

function failing(code: string) {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

describe('sendSignal', () => {
  it('says what became of the signal', () => {
    const kill = vi.fn();
    expect(sendSignal(kill, -500, 'SIGTERM')).toBe('sent');
    expect(kill.mock.calls).toEqual([[-500, 'SIGTERM']]);
    expect(sendSignal(failing('ESRCH'), 500, 0)).toBe('gone');
    expect(sendSignal(failing('EPERM'), 500, 0)).toBe('refused');
  });

  it.each([0, 1, -1, Number.NaN, 1.5])('never sends to %d, which the kernel reads as everybody or nobody', (target) => {
    const kill = vi.fn();
    expect(sendSignal(kill, target, 'SIGKILL')).toBe('refused');
    expect(kill).not.toHaveBeenCalled();
  });

  it('passes on what is a mistake of the caller', () => {
    expect(() => sendSignal(failing('EINVAL'), 500, 'SIGTERM')).toThrow('EINVAL');
  });
});
