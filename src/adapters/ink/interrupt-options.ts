/**
 * The options of `useInterrupt`, checked and with their defaults.
 *
 * @module
 */
import { type Clock, type OptionNames, requireMs, requireOptions, systemClock } from '../../core/inside.ts';
import type { EscapeMode } from '../internal/presses/press-machine.ts';
import {
  defaultDoubleMs,
  defaultLeaveMs,
  escapeModes,
  requireFunctions,
  requireSwitch,
} from '../internal/presses/press-options.ts';

/**
 * Options of `useInterrupt`.
 *
 * @since 0.1.0
 */
export interface UseInterruptOptions {
  /** How ESC stops the run; `false`: ESC is left to your handlers. Default `single`. */
  readonly escape?: EscapeMode | false | undefined;
  /** Two ESC within so many milliseconds are a pair. Default 500. */
  readonly doubleMs?: number | undefined;
  /** ESC ESC while nothing runs, for instance to go back to the last message. The ESC that stopped a run never counts. */
  readonly onIdleDoubleEscape?: (() => void) | undefined;
  /** `cancel`: Ctrl+C and SIGINT stop the run, a second one leaves; render with `exitOnCtrlC: false`. Default `cancel`. */
  readonly ctrlC?: 'cancel' | false | undefined;
  /** Two Ctrl+C within so many milliseconds leave the program. Default 2,000. */
  readonly leaveMs?: number | undefined;
  /** Leaves the program. Default: `process.exit` with the code it is called with, 130; Ink restores the terminal. */
  readonly onLeave?: ((exitCode: number) => void) | undefined;
  /** Measures all of this. Default the system's. */
  readonly clock?: Clock | undefined;
}

/** The same, nothing left out. */
export interface ResolvedInterruptOptions {
  readonly escape: EscapeMode | false;
  readonly doubleMs: number;
  readonly ctrlC: 'cancel' | false;
  readonly leaveMs: number;
  readonly clock: Clock;
  readonly idleEscape: boolean;
}

const optionNames: OptionNames<UseInterruptOptions> = {
  escape: 1,
  doubleMs: 1,
  onIdleDoubleEscape: 1,
  ctrlC: 1,
  leaveMs: 1,
  onLeave: 1,
  clock: 1,
};

/**
 * Fills in the defaults.
 *
 * @throws TypeError – an option that is not known or of the wrong type. RangeError – a negative or infinite duration.
 */
export function resolveInterruptOptions(options: UseInterruptOptions): ResolvedInterruptOptions {
  requireOptions(options, optionNames);
  const { onIdleDoubleEscape, onLeave } = options;
  requireFunctions({ onIdleDoubleEscape, onLeave });
  return {
    escape: requireSwitch('escape', options.escape, escapeModes),
    ctrlC: requireSwitch('ctrlC', options.ctrlC, ['cancel']),
    doubleMs: requireMs('doubleMs', options.doubleMs ?? defaultDoubleMs, 'finite'),
    leaveMs: requireMs('leaveMs', options.leaveMs ?? defaultLeaveMs, 'finite'),
    clock: options.clock ?? systemClock,
    idleEscape: onIdleDoubleEscape !== undefined,
  };
}
