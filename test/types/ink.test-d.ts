import * as ink from 'ink';
import react from 'react';
import { expectTypeOf, it } from 'vitest';

import { inkInterrupts, type Interrupt } from '../../src/adapters/ink/index.ts';
import type { InkController } from '../../src/adapters/ink/interrupt-store.ts';
import type { InkLike, ReactLike } from '../../src/adapters/ink/ink-like.ts';
import type { UseInterruptOptions } from '../../src/adapters/ink/interrupt-options.ts';
import type { InterruptController } from '../../src/core/interrupt/controller.ts';

const made = inkInterrupts({ react, ink });

it('React and Ink are what is asked for', () => {
  expectTypeOf(react).toExtend<ReactLike<react.ReactElement>>();
  expectTypeOf<typeof ink>().toExtend<InkLike>();
  // @ts-expect-error Ink is missing
  inkInterrupts({ react });
});

it('its components are components of that React', () => {
  react.createElement(made.InterruptProvider, { escTimeoutMs: 50 }, react.createElement(ink.Text));
  react.createElement(made.StatusLine, { of: {} as Interrupt, dimColor: true });
  // @ts-expect-error nothing to show
  react.createElement(made.StatusLine, {});
});

it('an InterruptController is something to stop and to show', () => {
  expectTypeOf<InterruptController>().toExtend<InkController>();
  expectTypeOf(made.useInterrupt).returns.toEqualTypeOf<Interrupt>();
  // @ts-expect-error a mode nobody knows
  made.useInterrupt({} as InterruptController, { escape: 'triple' });
});

it('every option may be undefined', () => {
  const nothing: { [K in keyof Required<UseInterruptOptions>]: undefined } = {
    escape: undefined,
    doubleMs: undefined,
    onIdleDoubleEscape: undefined,
    ctrlC: undefined,
    leaveMs: undefined,
    onLeave: undefined,
    clock: undefined,
  };
  expectTypeOf(made.useInterrupt).toBeCallableWith({} as InterruptController, nothing);
});
