/**
 * The options of the watcher: what may be asked for, and what holds where nothing was.
 *
 * @module
 */
import { type Clock, requireFunction, requireMs, requireOneOf, show, systemClock } from '../../core/inside.ts';
import type { TerminalInput } from '../internal/keyboard/stdin-owner.ts';
import { defaultEscTimeoutMs } from './escape-timeout.ts';

/**
 * What happens to text that was typed while no prompt was open.
 *
 * `replay` the prompt reads it first, one line per prompt · `hold` it waits for a later prompt, so that a stray `y` does
 * not answer a question nobody had seen · `discard` it is forgotten.
 *
 * @since 0.1.0
 */
export type TypeAheadMode = 'replay' | 'hold' | 'discard';

/**
 * Options of `watchTerminal`.
 *
 * @since 0.1.0
 */
export interface WatchTerminalOptions {
  /** Where keys come from; default `process.stdin`. */
  readonly input?: TerminalInput | undefined;
  /** `single`: ESC stops the run. `false`: ESC is left to your handlers. Default `single`. */
  readonly escape?: 'single' | false | undefined;
  /** Two ESC within so many milliseconds are a kill. Default 500. */
  readonly doubleMs?: number | undefined;
  /** Silence after which an ESC is a key and not the begin of one; milliseconds. Default `ESCDELAY`, else 100 over SSH, else 50. */
  readonly escTimeoutMs?: number | undefined;
  /** `cancel`: Ctrl+C and SIGINT stop the run, a second one leaves. `false`: neither is touched. Default `cancel`. */
  readonly ctrlC?: 'cancel' | false | undefined;
  /** Two Ctrl+C within so many milliseconds leave the program. Default 2,000. */
  readonly leaveMs?: number | undefined;
  /** Leaves the program, after the second Ctrl+C. Default: restores the terminal and exits with the code it is called with, 130. */
  readonly onLeave?: ((exitCode: number) => void) | undefined;
  /** Told when the next Ctrl+C would leave, and when it no longer would: the place for a hint. */
  readonly onLeaveArmed?: ((armed: boolean) => void) | undefined;
  /** What becomes of text typed between prompts. Default `replay`. */
  readonly typeAhead?: TypeAheadMode | undefined;
  /** Whether watching alone keeps the process alive. Default `false`. */
  readonly keepAlive?: boolean | undefined;
  /** Measures all of this. Default the system's. */
  readonly clock?: Clock | undefined;
}

/** Every mode there is. */
export const typeAheadModes: readonly TypeAheadMode[] = ['replay', 'hold', 'discard'];

/** The options as the watcher uses them: checked, and nothing left out. */
export interface ResolvedOptions {
  readonly input: TerminalInput;
  readonly clock: Clock;
  readonly escapes: boolean;
  readonly interrupts: boolean;
  readonly doubleMs: number;
  readonly leaveMs: number;
  readonly escTimeoutMs: number;
  readonly typeAhead: TypeAheadMode;
  readonly keepAlive: boolean;
  readonly leave: () => void;
  readonly onLeaveArmed: ((armed: boolean) => void) | undefined;
}

/** What a shell reports for a program that SIGINT ended. */
const EXIT_INTERRUPTED = 130;

/** The exit hooks restore the terminal on the way out. */
function exitProcess(code: number): void {
  process.exit(code);
}

/** `word`, or `false` for "leave it alone". */
function switched(name: string, value: unknown, word: string): boolean {
  if (value === undefined || value === word) return true;
  if (value === false) return false;
  throw new TypeError(`${name} must be '${word}' or false, got ${show(value)}`);
}

function requireBoolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new TypeError(`${name} must be true or false, got ${show(value)}`);
  return value;
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws TypeError – an option of the wrong type. RangeError – a negative or infinite duration.
 */
export function resolveOptions(options: WatchTerminalOptions): ResolvedOptions {
  const { input = process.stdin, onLeave = exitProcess, onLeaveArmed } = options;
  requireFunction('input.on', (input as Partial<TerminalInput> | null)?.on);
  requireFunction('onLeave', onLeave);
  if (onLeaveArmed !== undefined) requireFunction('onLeaveArmed', onLeaveArmed);
  return {
    input,
    clock: options.clock ?? systemClock,
    escapes: switched('escape', options.escape, 'single'),
    interrupts: switched('ctrlC', options.ctrlC, 'cancel'),
    doubleMs: requireMs('doubleMs', options.doubleMs ?? 500, 'finite'),
    leaveMs: requireMs('leaveMs', options.leaveMs ?? 2000, 'finite'),
    escTimeoutMs: requireMs('escTimeoutMs', options.escTimeoutMs ?? defaultEscTimeoutMs(process.env), 'finite'),
    typeAhead: requireOneOf('typeAhead', options.typeAhead ?? 'replay', typeAheadModes),
    keepAlive: requireBoolean('keepAlive', options.keepAlive ?? false),
    leave: () => {
      onLeave(EXIT_INTERRUPTED);
    },
    onLeaveArmed,
  };
}
