/**
 * What a watched terminal offers to the program.
 *
 * @module
 */
import type { CancellableWork, Releasable, TokenLike, OptionsOnly } from '../../core/inside.ts';
import type { GuardStatus } from '../internal/guardian/guard-status.ts';
import type { KeyHandler } from '../internal/keyboard/key-stack.ts';
import type { Degradation } from '../internal/keyboard/stdin-owner.ts';
import type { TypeAheadMode } from './options.ts';

/**
 * What ESC means at a prompt.
 *
 * `prompt` it is the prompt's own key · `cancel-turn` it stops what runs, as ESC does while no prompt is open – the first one, also
 * with `escape: 'double'` –, and the prompt rejects.
 *
 * @since 0.1.0
 */
export type PromptEscape = 'prompt' | 'cancel-turn';

/**
 * Options of {@link TerminalWatcher.prompt}.
 *
 * @since 0.1.0
 */
export interface PromptOptions extends OptionsOnly {
  /** What this prompt does with text typed before it opened; `hold` suits a question about permission. */
  readonly typeAhead?: TypeAheadMode | undefined;
  /** Whose stop ends the prompt, and its waiting for another one: a question of a turn is over with the turn. */
  readonly token?: TokenLike | null | undefined;
  /** Milliseconds for the answer, from the moment the prompt has the keyboard; by default there is no limit. */
  readonly timeoutMs?: number | undefined;
  /**
   * Whose key ESC is while this prompt is open; a function is asked at each ESC. Default `prompt`: nothing is stopped. Where nothing
   * runs, it is the prompt's in any case.
   */
  readonly escape?: PromptEscape | (() => PromptEscape) | undefined;
}

/**
 * Options of {@link TerminalWatcher.handle}.
 *
 * @since 0.1.0
 */
export interface HandleOptions {
  /** Higher goes first: 50 dismisses something on the screen, 0 is the cancel, −100 is for keys nobody wanted. Default 50. */
  readonly priority?: number | undefined;
}

/**
 * Says whether a prompt waits for the person; while it does, ESC is the prompt's.
 *
 * @since 0.1.0
 */
export interface TerminalGate {
  /** `true` exactly while at least one prompt is open. */
  readonly isWaitingInput: boolean;
  /** Counts a prompt in that reads the keyboard in raw mode beside the watcher, such as one drawn by Ink. */
  enter(): void;
  /**
   * Counts it out.
   *
   * @throws RangeError – called more often than `enter()`.
   */
  exit(): void;
}

/**
 * A watched terminal, until it is closed. Every function may be taken off the object.
 *
 * @cleanup `close()` puts the terminal back as it was found and leaves no listener, timer or handle.
 * @since 0.1.0
 */
export interface TerminalWatcher {
  /**
   * Why there are no keys, or `false`: the input never was a terminal (a pipe, CI), refuses raw mode, or has gone, also
   * behind a program that left it to nobody. Then nothing is written, nothing kept alive; signals still work.
   */
  readonly degraded: Degradation | false;
  /**
   * Whether the terminal's window has the focus, as it said itself; `undefined` without the option `focus`, and until it
   * has said something.
   */
  readonly focused: boolean | undefined;
  /** Whether the terminal is put back even after a SIGKILL, as the option `crashGuard` asks for, and why not. */
  readonly crashGuard: GuardStatus;
  /** Shared by everything that watches the same input. */
  readonly gate: TerminalGate;
  /**
   * Lends the keyboard to `fn` – cooked, as a program without a watcher would find it – and takes it back when `fn`
   * returns, throws or rejects. readline and its like work inside.
   *
   * While another prompt of the same keyboard is open, or a line for the running turn, it waits; inside another prompt it
   * does not.
   *
   * Without `token` and `timeoutMs` nothing but `fn` ends it. With them `fn` is told by what it is given: hand the `signal`
   * to its library. If `fn` does not hear it, the keyboard is taken back a second later all the same.
   *
   * Whatever `fn` makes of the signal – clack resolves with a symbol –, a prompt that was stopped, or whose limit has passed,
   * rejects: an answer that nobody gave is none.
   *
   * @checkpoint always, before and after, with a token
   * @fairness A cancel beats an answer of the same tick.
   * @param fn Asks the person; gets the token and the signal of this prompt.
   * @param options What becomes of text typed before, and what ends the prompt.
   * @returns What `fn` returns.
   * @throws TypeError – `fn` is no function, an unknown mode, or an option that is not known.
   * @throws RangeError – a negative `timeoutMs`.
   * @throws CancelledError – `token` was cancelled. DeadlineExceededError – `timeoutMs` passed. What `fn` throws, unchanged.
   */
  prompt<T>(fn: CancellableWork<T>, options?: PromptOptions): Promise<T>;
  /**
   * Lends the terminal to another program that `fn` starts on it – an editor, a pager, ssh – and takes it back when `fn`
   * returns, throws or rejects. Until then nothing is read here, SIGINT and SIGQUIT, which the terminal sends to us as
   * well, are that program's, and prompts that `fn` does not open wait.
   *
   * A run of `desist/child-process` with inherited stdin is lent the terminal without it.
   *
   * The settings are put back with `stty`. After a shell that was killed in front the terminal is taken back with `perl` or `python3`;
   * without them the job stops, until `fg`, and where no shell can do that `degraded` is `terminal lost`.
   *
   * @checkpoint never
   * @cleanup The terminal is watched again, with the settings that were found; nothing that was typed is replayed.
   * @param fn Runs the program, with inherited stdin.
   * @returns What `fn` returns.
   * @throws TypeError – `fn` is no function. What `fn` throws, unchanged.
   */
  handOver<T>(fn: () => T | PromiseLike<T>): Promise<T>;
  /**
   * Sees keys before or after the cancel; the first handler that returns `true` keeps the key.
   *
   * @fairness Higher priority first, then newest first.
   * @param fn Called with the key and the instant its bytes arrived; a throw counts as "not mine" and is reported.
   * @param options Where in the order it stands.
   * @returns Takes the handler off again; `close()` does so too.
   * @throws TypeError – no function, or a priority that is no number.
   */
  handle(fn: KeyHandler, options?: HandleOptions): Releasable;
  /** Text typed while no prompt was open, all of it; it is not replayed afterwards. */
  takeTypeAhead(): string;
  /** Stops watching. Closing twice is harmless; an open prompt keeps the keyboard until it ends. */
  close(): Promise<void>;
  /** The same as `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}
