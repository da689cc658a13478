/**
 * The options of the watcher: what may be asked for, and what holds where nothing was.
 *
 * @module
 */
import {
  type CancellationToken,
  type Clock,
  type OptionNames,
  requireFunction,
  requireMs,
  requireOneOf,
  requireOptions,
  show,
  tokenOf,
} from '../../core/inside.ts';
import type { TerminalInput } from '../internal/keyboard/key-reader.ts';
import { reportKeyError } from '../internal/keyboard/key-stack.ts';
import type { TerminalWishes, TerminalWriter } from '../internal/keyboard/mode/terminal-switches.ts';
import { defaultEscTimeoutMs, isRemote } from '../internal/presses/escape-timeout.ts';
import type { EscapeMode, NextEscape } from '../internal/presses/press-machine.ts';
import {
  defaultLeaveMs,
  escapeModes,
  requireFunctions,
  requireSwitch,
  resolvePressOptions,
  type ResolvedPressOptions,
} from '../internal/presses/press-options.ts';
import type { FrontSession } from '../internal/presses/press-target.ts';
import type { InjectionOptions } from './injection/watch-injection.ts';
import type { PromptEscape, PromptOptions } from './terminal-watcher.ts';

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
  /**
   * Where the terminal is asked for what some options need; default `process.stdout`. Nothing is written to what
   * is no terminal, and nothing without one of them.
   */
  readonly output?: TerminalWriter | undefined;
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
  /**
   * Whether the terminal is asked for a sign when an ESC may be the begin of a key: what it had sent before comes before
   * its answer, however slow the line is. A terminal that does not answer within a second is not asked again. `auto`: over SSH.
   * Default `auto`.
   */
  readonly fence?: boolean | 'auto' | undefined;
  /** Asks for the Kitty keyboard protocol, in which an ESC is one without any wait. Default `false`. */
  readonly kitty?: boolean | undefined;
  /** Asks for xterm's `modifyOtherKeys`, in which keys tell their modifiers. Default `false`. */
  readonly modifyOtherKeys?: boolean | undefined;
  /** Asks the terminal to mark what is pasted, so that several lines stay one text. Default: `true` with `inject`. */
  readonly paste?: boolean | undefined;
  /** Asks the terminal to tell when its window gains or loses the focus: `focused`, and an event. Default `false`. */
  readonly focus?: boolean | undefined;
  /** `cancel`: Ctrl+C and SIGINT stop the run, a second one leaves. `false`: neither is touched. Default `cancel`. */
  readonly ctrlC?: 'cancel' | false | undefined;
  /** Two Ctrl+C within so many milliseconds leave the program. Default 2,000. */
  readonly leaveMs?: number | undefined;
  /** Leaves the program, after the second Ctrl+C. Default: restores the terminal and exits with the code it is called with, 130. */
  readonly onLeave?: ((exitCode: number) => void) | undefined;
  /**
   * Told, once, what makes the keyboard slow and can be changed: tmux that holds each ESC back. Without it nobody asks
   * tmux.
   */
  readonly onHint?: ((hint: string) => void) | undefined;
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
  /**
   * Whether a small process beside ours puts the terminal back after SIGKILL, an abort or a crash; the watcher's `crashGuard` says
   * whether it is there. Default `false`.
   */
  readonly crashGuard?: boolean | undefined;
  /** Whether watching alone keeps the process alive. Default `false`. */
  readonly keepAlive?: boolean | undefined;
  /** Measures all of this. Default the system's. */
  readonly clock?: Clock | undefined;
}

/** Every mode there is. */
const typeAheadModes: readonly TypeAheadMode[] = ['replay', 'hold', 'discard'];

/** The options as the watcher uses them: checked, and nothing left out. */
export interface ResolvedOptions extends ResolvedPressOptions {
  readonly input: TerminalInput;
  readonly wishes: TerminalWishes;
  readonly escapes: boolean;
  readonly escape: EscapeMode;
  readonly idleEscape: boolean;
  readonly interrupts: boolean;
  readonly suspends: boolean;
  readonly leaveMs: number;
  readonly escTimeoutMs: number;
  readonly typeAhead: TypeAheadMode;
  readonly keepAlive: boolean;
  readonly crashGuard: boolean;
  readonly leave: () => void;
  readonly onLeaveArmed: ((armed: boolean) => void) | undefined;
  readonly onIdleDoubleEscape: (() => void) | undefined;
  readonly onHint: ((hint: string) => void) | undefined;
}

/** Every option there is; one more is a mistake. */
const optionNames: OptionNames<WatchTerminalOptions> = {
  input: 1,
  output: 1,
  escape: 1,
  doubleMs: 1,
  onEscapeArmed: 1,
  onIdleDoubleEscape: 1,
  front: 1,
  escTimeoutMs: 1,
  fence: 1,
  kitty: 1,
  modifyOtherKeys: 1,
  paste: 1,
  focus: 1,
  ctrlC: 1,
  ctrlZ: 1,
  leaveMs: 1,
  onLeave: 1,
  onLeaveArmed: 1,
  onHint: 1,
  typeAhead: 1,
  inject: 1,
  keepAlive: 1,
  crashGuard: 1,
  clock: 1,
};

/** What a shell reports for a program that SIGINT ended. */
const EXIT_INTERRUPTED = 130;

/** The exit hooks restore the terminal on the way out. */
function exitProcess(code: number): void {
  process.exit(code);
}

function requireBoolean(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new TypeError(`${name} must be true or false, got ${show(value)}`);
  return value;
}

/** What the watcher wants of the terminal beyond its keys. */
function wishesOf(options: WatchTerminalOptions): TerminalWishes {
  const { output = process.stdout, fence = 'auto' } = options;
  requireFunction('output.write', (output as Partial<TerminalWriter> | null)?.write);
  if (fence !== 'auto' && typeof fence !== 'boolean') {
    throw new TypeError(`fence must be 'auto', true or false, got ${show(fence)}`);
  }
  const isDumb = process.env['TERM'] === 'dumb'; // it would show what it is asked
  return {
    output,
    fence: !isDumb && (fence === 'auto' ? isRemote(process.env) : fence),
    switches: (['kitty', 'modifyOtherKeys', 'paste', 'focus'] as const)
      .filter((name) => requireBoolean(name, options[name] ?? (name === 'paste' && options.inject !== undefined)))
      .filter(() => !isDumb),
  };
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws TypeError – an option of the wrong type, or one that there is not. RangeError – a negative or infinite duration.
 */
export function resolveOptions(options: WatchTerminalOptions): ResolvedOptions {
  requireOptions(options, optionNames);
  const { input = process.stdin, onLeave = exitProcess, onLeaveArmed, onIdleDoubleEscape, onHint } = options;
  requireFunction('input.on', (input as Partial<TerminalInput> | null)?.on);
  requireFunction('onLeave', onLeave);
  requireFunctions({ onLeaveArmed, onIdleDoubleEscape, onHint });
  const escape = requireSwitch('escape', options.escape, escapeModes);
  return {
    ...resolvePressOptions({ ...options, armed: ['onEscapeArmed', options.onEscapeArmed] }),
    input,
    wishes: wishesOf(options),
    escapes: escape !== false,
    escape: escape === false ? 'single' : escape,
    idleEscape: onIdleDoubleEscape !== undefined,
    interrupts: requireSwitch('ctrlC', options.ctrlC, ['cancel']) !== false,
    suspends: requireSwitch('ctrlZ', options.ctrlZ, ['suspend']) !== false,
    leaveMs: requireMs('leaveMs', options.leaveMs ?? defaultLeaveMs, 'finite'),
    escTimeoutMs: requireMs('escTimeoutMs', options.escTimeoutMs ?? defaultEscTimeoutMs(process.env), 'finite'),
    typeAhead: requireOneOf('typeAhead', options.typeAhead ?? 'replay', typeAheadModes),
    keepAlive: requireBoolean('keepAlive', options.keepAlive ?? false),
    crashGuard: requireBoolean('crashGuard', options.crashGuard ?? false),
    leave: () => {
      onLeave(EXIT_INTERRUPTED);
    },
    onLeaveArmed,
    onIdleDoubleEscape,
    onHint,
  };
}

/** The options of one prompt as it uses them. */
export interface ResolvedPromptOptions {
  readonly typeAhead: TypeAheadMode;
  readonly token: CancellationToken;
  readonly timeoutMs: number | undefined;
  readonly escape: () => PromptEscape;
}

const promptEscapes: readonly PromptEscape[] = ['prompt', 'cancel-turn'];

/** At each ESC; of a function that is theirs a wrong word, or a throw, is told and leaves the key to the prompt. */
function resolveEscape(escape: PromptOptions['escape'] = 'prompt'): () => PromptEscape {
  if (typeof escape !== 'function') {
    const word = requireOneOf('escape', escape, promptEscapes);
    return () => word;
  }
  return () => {
    try {
      return requireOneOf('escape()', escape(), promptEscapes);
    } catch (error) {
      reportKeyError(error);
      return 'prompt';
    }
  };
}

const promptNames: OptionNames<PromptOptions> = { typeAhead: 1, token: 1, timeoutMs: 1, escape: 1 };

/**
 * Checks the options of a prompt.
 *
 * @param usual What holds for all prompts of this watcher.
 * @throws TypeError, RangeError – as for the options of the watcher.
 */
export function resolvePromptOptions(options: PromptOptions, usual: TypeAheadMode): ResolvedPromptOptions {
  requireOptions(options, promptNames);
  const { typeAhead = usual, token, timeoutMs, escape } = options;
  return {
    typeAhead: requireOneOf('typeAhead', typeAhead, typeAheadModes),
    token: tokenOf(token),
    timeoutMs: timeoutMs === undefined ? undefined : requireMs('timeoutMs', timeoutMs, 'infinity-allowed'),
    escape: resolveEscape(escape),
  };
}
