/**
 * Door `desist/terminal`: the person at the keyboard. ESC stops the run, Ctrl+C stops it and then leaves, prompts keep
 * their keys, and the terminal is given back as it was found.
 *
 * Prior art: the agents people use in a terminal; ncurses; Node's readline.
 *
 * @module desist/terminal
 */
import {
  type CancellableWork,
  CancellationTokenSource,
  type OptionNames,
  type Releasable,
  requireFunction,
  requireOptions,
  withCancellation,
} from '../../core/inside.ts';
import { asAnswer } from '../internal/as-answer.ts';
import { statusOf } from '../internal/guardian/guard-status.ts';
import { priorities, type KeyHandler } from '../internal/keyboard/key-stack.ts';
import { afterSignals } from '../internal/process/process-hooks.ts';
import { isEscape } from '../internal/keyboard/decoder/key-event.ts';
import type { HearKey } from '../internal/keyboard/prompts/prompt-ear.ts';
import { acquireStdin } from '../internal/keyboard/stdin-registry.ts';
import { watchInjection, type InjectionTarget } from './injection/watch-injection.ts';
import { noteTurns } from './injection/line-turns.ts';
import {
  resolveOptions,
  resolvePromptOptions,
  type ResolvedPromptOptions,
  type TypeAheadMode,
  type WatchTerminalOptions,
} from './options.ts';
import { endPairs, watchPresses } from '../internal/presses/watch-presses.ts';
import { PressRunner } from '../internal/presses/press-runner.ts';
import {
  targetOf,
  type FrontSession,
  type TerminalController,
  type TerminalSessions,
} from '../internal/presses/press-target.ts';
import type { HandleOptions, PromptOptions, TerminalWatcher } from './terminal-watcher.ts';
import { hintAtTmux } from './tmux-hint.ts';
import { TypeAhead } from './type-ahead.ts';
export type { WatchTerminalOptions } from './options.ts';
export { createOutputGate, type OutputFooter, type OutputGate, type OutputGateOptions } from './output/output-gate.ts';
export { watchInjection, type Injection, type InjectionOptions } from './injection/watch-injection.ts';
export { suspendOnCtrlZ } from './suspend-on-ctrl-z.ts';
export { openStatusLine, type StatusLine, type StatusLineOptions } from './status/status-line.ts';
export type { Progress } from '../internal/status/work-status.ts';
export type { TerminalWatcher } from './terminal-watcher.ts';
export type { KeyEvent } from '../internal/keyboard/decoder/key-event.ts';

const handleNames: OptionNames<HandleOptions> = { priority: 1 };

/**
 * Watches the keyboard for the person who wants a run to stop.
 *
 * ESC cancels the running turn; again within half a second, it kills. Ctrl+C – the key or the signal – cancels, kills
 * where a cancel is already on its way, and leaves with exit code 130 when it comes twice within two seconds; any other
 * key in between starts the count anew, and so does a turn that begins, but for a third. ESC with nothing running does
 * nothing. Without a terminal only signals work.
 *
 * Of several watchers of one terminal the stop is for one: the one whose first Ctrl+C waits for a second, else the newest
 * whose target is busy, else the newest.
 *
 * The terminal is in raw mode from the call on, except inside `prompt` and `handOver`, and while the program is stopped by
 * Ctrl+Z or runs in the background: Enter is `\r`, nothing is echoed, and Ctrl+\ is a key like any other.
 *
 * @fairness Your handlers above priority 0 see a key first; within one instant keys go in the order of their bytes.
 * @cleanup The mode found is restored by `close()`, and on return, throw, `process.exit`, SIGINT, SIGTERM, SIGHUP and
 * SIGQUIT; after SIGKILL only with `crashGuard`.
 * @param target What to stop: an `InterruptController`, anything with `cancel` and `kill`, or a `SessionRegistry`, for
 * which the option `front` names the session. Never more than one session is stopped.
 * @param options All optional; durations in milliseconds.
 * @returns The watcher; close it when the program no longer wants keys.
 * @throws TypeError – a controller without `cancel` and `kill`, or an option of the wrong type.
 * @throws RangeError – a negative or infinite duration.
 * @example Stop a turn with ESC
 * ```ts
 * import { InterruptController } from 'desist'
 * import { watchTerminal } from 'desist/terminal'
 * import { PassThrough } from 'node:stream'
 *
 * const agent = new InterruptController({ name: 'main' })
 * const terminal = watchTerminal(agent, { input: new PassThrough() }) // leave `input` out in a program
 * terminal.degraded // => 'no terminal'
 * await terminal.prompt(async () => 'yes') // => 'yes'
 * await terminal.close()
 * ```
 * @source ncurses `ESCDELAY`; Node `readline`; the double Ctrl+C of shells and REPLs
 * @since 0.1.0
 */
export function watchTerminal(target: TerminalController, options?: WatchTerminalOptions): TerminalWatcher;
export function watchTerminal(
  target: TerminalSessions,
  options: WatchTerminalOptions & { readonly front: () => FrontSession | undefined },
): TerminalWatcher;
export function watchTerminal(
  target: TerminalController | TerminalSessions,
  options: WatchTerminalOptions = {},
): TerminalWatcher {
  const {
    front,
    input,
    wishes,
    clock,
    escapes,
    interrupts,
    suspends,
    escTimeoutMs,
    keepAlive: isKeptAlive,
    crashGuard,
    onHint,
    typeAhead: usual,
    ...presses
  } = resolveOptions(options);

  const rules = new PressRunner(targetOf(target, front), { clock, ...presses });
  const typed = new TypeAhead();
  const held = new Set<Releasable>();
  const lease = acquireStdin(input, { clock, escTimeoutMs }, isKeptAlive, wishes);
  const { owner } = lease;
  if (onHint !== undefined && owner.degraded === undefined) hintAtTmux(onHint);
  const guardProblem = crashGuard ? owner.guardCrash() : (): undefined => undefined;
  let closed = false;

  function hold(releasable: Releasable): Releasable {
    const own: Releasable = {
      release: () => {
        if (held.delete(own)) releasable.release();
      },
    };
    held.add(own);
    return own;
  }

  // A prompt beside us reads the same bytes itself; one that has the stream never sees what came before it.
  const collect: KeyHandler = (event) => (!owner.isPromptsKey || owner.isLent) && typed.push(event);

  hold(owner.keys.handle(collect, -Infinity));
  hold(watchPresses(owner, rules, { clock, escapes, interrupts, suspends }));

  function typedFor(mode: TypeAheadMode): string {
    if (mode === 'hold') return '';
    if (mode === 'replay') return typed.takeLine();
    typed.takeAll();
    return '';
  }

  /** Ends at once, unless the terminal was asked for a sign: the next reader would take its answer for keys. */
  function answered(): Promise<void> {
    return new Promise((resolve) => {
      owner.fence.whenClosed(resolve);
    });
  }

  async function ask<T>(fn: CancellableWork<T>, asked: ResolvedPromptOptions): Promise<T> {
    const { typeAhead, token, timeoutMs, escape } = asked;
    if (owner.reader.isUndecided) await owner.reader.decided(); // an ESC from before is no key of the prompt, and may be the end of it
    if (owner.fence.isOpen) await answered();
    // What lies in the terminal unread was typed before, too.
    if (typeAhead !== 'replay' && owner.degraded === undefined) await new Promise<void>(afterSignals);
    token.throwIfCancelled(); // before what was typed is given to nobody
    const stop = new CancellationTokenSource({ parent: token, name: 'prompt' });
    let isByEscape = false as boolean; // set below
    const hear: HearKey = (event, at) => {
      endPairs(rules, event);
      if (!isEscape(event) || escape() !== 'cancel-turn' || !rules.escapeAtPrompt(at, event.repeat)) return;
      isByEscape = true;
      stop.cancel({ kind: 'user' });
    };
    const loan = owner.prompts.lend(typedFor(typeAhead), hear);
    let answer: T;
    try {
      answer = await withCancellation(stop.token, asAnswer(fn), { name: 'prompt', timeoutMs, clock });
    } catch (error) {
      loan.release(); // an ESC that the library took for its end before it was decided is the stop
      if (isByEscape) stop.token.throwIfCancelled();
      throw error;
    } finally {
      loan.release();
      options.inject?.output.atNewLine();
      await owner.reader.caughtUp();
      stop.release();
    }
    stop.token.throwIfCancelled(); // the person has pressed ESC, or somebody has stopped, before anything came of the answer
    return answer;
  }

  async function prompt<T>(fn: CancellableWork<T>, promptOptions: PromptOptions = {}): Promise<T> {
    requireFunction('fn', fn);
    const asked = resolvePromptOptions(promptOptions, usual);
    const alive = owner.prompts.keepAlive(); // while it waits for its turn as well
    try {
      return await owner.turns.run(() => ask(fn, asked), asked.token);
    } finally {
      alive.release();
    }
  }

  async function handOver<T>(fn: () => T | PromiseLike<T>): Promise<T> {
    requireFunction('fn', fn);
    const alive = owner.prompts.keepAlive();
    if (owner.reader.isUndecided) await owner.reader.decided();
    if (owner.fence.isOpen) await answered();
    const loan = owner.programs.lend();
    try {
      return await loan.within(fn);
    } finally {
      alive.release();
      loan.release();
      await new Promise<void>(afterSignals); // who goes on hears every signal
      await owner.reader.caughtUp();
    }
  }

  async function close(): Promise<void> {
    if (!closed) {
      closed = true;
      rules.close();
      for (const releasable of [...held]) releasable.release();
      owner.fence.whenClosed(() => {
        lease.release();
      });
    }
    await answered();
    await new Promise<void>(afterSignals);
  }

  const watcher: TerminalWatcher = {
    crashGuard: statusOf(crashGuard, guardProblem),
    get degraded() {
      return owner.degraded ?? false;
    },
    get focused() {
      return owner.focused;
    },
    gate: {
      get isWaitingInput() {
        return owner.isWaitingInput;
      },
      enter: () => {
        owner.enterGate();
      },
      exit: () => {
        owner.exitGate();
      },
    },
    prompt,
    handOver,
    handle: (fn, handleOptions = {}) => {
      requireOptions(handleOptions, handleNames);
      requireFunction('handler', fn);
      const own: KeyHandler = (event, at) => !closed && fn(event, at);
      return hold(owner.keys.handle(own, handleOptions.priority ?? priorities.dismissal, true));
    },
    takeTypeAhead: () => typed.takeAll(),
    close,
    [Symbol.asyncDispose]: close,
  };
  const keep = (text: string): unknown => typed.push({ type: 'paste', text, truncated: false });
  hold(noteTurns(watcher.gate, owner, keep));
  if (options.inject === undefined) return watcher;
  const { output } = options.inject;
  try {
    hold(watchInjection(watcher, target as TerminalController & InjectionTarget<string>, options.inject));
    hold(owner.programs.onReturn(() => output.atNewLine()));
    return watcher;
  } catch (error) {
    void close(); // refused: the keyboard is given back
    throw error;
  }
}
