import { describe, expect, it } from 'vitest';

import { resolveInterruptOptions } from '../../../src/adapters/ink/interrupt-options.ts';
import { systemClock } from '../../../src/core/foundation/clock.ts';

describe('resolveInterruptOptions', () => {
  it('fills in the defaults', () => {
    expect(resolveInterruptOptions({})).toEqual({
      escape: 'single',
      ctrlC: 'cancel',
      doubleMs: 500,
      leaveMs: 2000,
      clock: systemClock,
      idleEscape: false,
    });
    const onIdleDoubleEscape = (): void => undefined;
    expect(resolveInterruptOptions({ escape: false, ctrlC: false, onIdleDoubleEscape })).toMatchObject({
      escape: false,
      ctrlC: false,
      idleEscape: true,
    });
  });

  it.each([
    [{ esc: 'single' }, 'options.esc is no option'],
    [{ escape: 'triple' }, `escape must be 'single', 'double', 'tiered' or false, got "triple"`],
    [{ ctrlC: true }, `ctrlC must be 'cancel' or false, got true`],
    [{ doubleMs: -1 }, 'doubleMs must be a finite number of milliseconds, 0 or more, got -1'],
    [{ leaveMs: '1' }, 'leaveMs must be a number of milliseconds, got "1"'],
    [{ onLeave: 1 }, 'onLeave must be a function, got 1'],
    [{ onIdleDoubleEscape: 1 }, 'onIdleDoubleEscape must be a function, got 1'],
  ])('refuses %j', (options, message) => {
    expect(() => resolveInterruptOptions(options as never)).toThrow(message);
  });
});
