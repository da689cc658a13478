/**
 * The options of the watcher: what may be asked for, and what holds where nothing was.
 *
 * @module
 */
import {
  type Clock,
  isObject,
  requireFunction,
  requireMs,
  requireOneOf,
  show,
  systemClock,
} from '../../core/inside.ts';
import type { InjectionOptions } from './injection/watch-injection.ts';
import type { TerminalInput } from '../internal/keyboard/stdin-owner.ts';
import { defaultEscTimeoutMs } from './escape-timeout.ts';
import type { EscapeMode, NextEscape } from '../internal/press/press-machine.ts';
import type { FrontSession } from '../internal/press/press-target.ts';

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
  /** How ESC stops the run; `false`: ESC is left to your handlers. Default `single`. */
  readonly escape?: EscapeMode | false | undefined;
  /** Two ESC within so many milliseconds are a pair. Default 500. */
  readonly doubleMs?: number | undefined;
  /** Told what one more ESC would do, and `undefined` when it no longer would: the place for a hint. */
  readonly onEscapeArmed?: ((next: NextEscape | undefined) => void) | undefined;
  /** ESC ESC while nothing runs, for instance to go back to the last message. The ESC that stopped a run never counts. */
  readonly onIdleDoubleEscape?: (() => void) | undefined;
  /** Only for a session registry: the session that a stop is for, asked at each press; `undefined` for none. */
  readonly front?: (() => FrontSession | undefined) | undefined;
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
  /** `suspend`: Ctrl+Z stops the program until the shell continues it. `false`: it is left to your handlers. Default `suspend`. */
  readonly ctrlZ?: 'suspend' | false | undefined;
  /**
   * A key that opens a line for the running turn, as `watchInjection` does; `output` is the gate that the agent writes
   * through. Needs a controller with `interject`. Default off.
   */
  readonly inject?: InjectionOptions<string> | undefined;
  /** What becomes of text typed between prompts. Default `replay`. */
  readonly typeAhead?: TypeAheadMode | undefined;
  /** Whether a small process beside ours puts the terminal back after SIGKILL, an abort or a crash. Default `false`. */
  readonly crashGuard?: boolean | undefined;
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
  readonly escape: EscapeMode;
  readonly idleEscape: boolean;
  readonly interrupts: boolean;
  readonly suspends: boolean;
  readonly doubleMs: number;
  readonly leaveMs: number;
  readonly escTimeoutMs: number;
  readonly typeAhead: TypeAheadMode;
  readonly keepAlive: boolean;
  readonly crashGuard: boolean;
  readonly leave: () => void;
  readonly onLeaveArmed: ((armed: boolean) => void) | undefined;
  readonly onEscapeArmed: ((next: NextEscape | undefined) => void) | undefined;
  readonly onIdleDoubleEscape: (() => void) | undefined;
  readonly front: (() => FrontSession | undefined) | undefined;
}

/** Every option there is; one more is a mistake. */
const optionNames: ReadonlySet<string> = new Set<keyof WatchTerminalOptions>([
  'input',
  'escape',
  'doubleMs',
  'onEscapeArmed',
  'onIdleDoubleEscape',
  'front',
  'escTimeoutMs',
  'ctrlC',
  'ctrlZ',
  'leaveMs',
  'onLeave',
  'onLeaveArmed',
  'typeAhead',
  'inject',
  'keepAlive',
  'crashGuard',
  'clock',
]);

const escapeModes: readonly EscapeMode[] = ['single', 'double', 'tiered'];

/** What a shell reports for a program that SIGINT ended. */
const EXIT_INTERRUPTED = 130;

/** The exit hooks restore the terminal on the way out. */
function exitProcess(code: number): void {
  process.exit(code);
}

/** One of these words, or `false` for "leave it alone". */
function switched<T extends string>(name: string, value: T | false | undefined, words: readonly T[]): T | false {
  if (value === undefined) return words[0] as T;
  if (value === false || words.includes(value)) return value;
  throw new TypeError(`${name} must be ${words.map((word) => `'${word}'`).join(', ')} or false, got ${show(value)}`);
}

function optionalFunction(name: string, value: unknown): void {
  if (value !== undefined) requireFunction(name, value);
}

function requireKnown(options: WatchTerminalOptions): void {
  if (!isObject(options)) throw new TypeError(`options must be an object, got ${show(options)}`);
  const unknown = Object.keys(options).find((name) => !optionNames.has(name));
  if (unknown !== undefined) throw new TypeError(`watchTerminal has no option ${show(unknown)}`);
}

function requireBoolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new TypeError(`${name} must be true or false, got ${show(value)}`);
  return value;
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws TypeError – an option of the wrong type, or one that there is not. RangeError – a negative or infinite duration.
 */
export function resolveOptions(options: WatchTerminalOptions): ResolvedOptions {
  requireKnown(options);
  const {
    input = process.stdin,
    onLeave = exitProcess,
    onLeaveArmed,
    onEscapeArmed,
    onIdleDoubleEscape,
    front,
  } = options;
  requireFunction('input.on', (input as Partial<TerminalInput> | null)?.on);
  requireFunction('onLeave', onLeave);
  optionalFunction('onLeaveArmed', onLeaveArmed);
  optionalFunction('onEscapeArmed', onEscapeArmed);
  optionalFunction('onIdleDoubleEscape', onIdleDoubleEscape);
  optionalFunction('front', front);
  const escape = switched('escape', options.escape, escapeModes);
  return {
    input,
    clock: options.clock ?? systemClock,
    escapes: escape !== false,
    escape: escape === false ? 'single' : escape,
    idleEscape: onIdleDoubleEscape !== undefined,
    interrupts: switched('ctrlC', options.ctrlC, ['cancel']) !== false,
    suspends: switched('ctrlZ', options.ctrlZ, ['suspend']) !== false,
    doubleMs: requireMs('doubleMs', options.doubleMs ?? 500, 'finite'),
    leaveMs: requireMs('leaveMs', options.leaveMs ?? 2000, 'finite'),
    escTimeoutMs: requireMs('escTimeoutMs', options.escTimeoutMs ?? defaultEscTimeoutMs(process.env), 'finite'),
    typeAhead: requireOneOf('typeAhead', options.typeAhead ?? 'replay', typeAheadModes),
    keepAlive: requireBoolean('keepAlive', options.keepAlive ?? false),
    crashGuard: requireBoolean('crashGuard', options.crashGuard ?? false),
    leave: () => {
      onLeave(EXIT_INTERRUPTED);
    },
    onLeaveArmed,
    onEscapeArmed,
    onIdleDoubleEscape,
    front,
  };
}
