/**
 * Door `desist/global-hotkey`: a key that stops the run although no terminal of ours reads it, as long as the person looks
 * at our window. The keys are heard by `uiohook-napi`, an optional peer, in a process of its own.
 *
 * @module desist/global-hotkey
 */
import { findStdin } from '../internal/keyboard/stdin-registry.ts';
import { PressRunner } from '../internal/presses/press-runner.ts';
import {
  targetOf,
  type FrontSession,
  type TerminalController,
  type TerminalSessions,
} from '../internal/presses/press-target.ts';
import { startHook } from './hook-process.ts';
import { watchHook, type HotkeyWatcher } from './hotkey-watcher.ts';
import { resolveHotkeyOptions, type GlobalHotkeyOptions } from './options.ts';
import { PressFilter } from './press-filter.ts';
import { delayOfTerminal } from './same-press.ts';
import { problemOfHost } from './unavailable.ts';
export type { FocusProbe } from './focus-probe.ts';
export type { HotkeyWatcher } from './hotkey-watcher.ts';
export type { GlobalHotkeyOptions } from './options.ts';

/**
 * Watches one key everywhere, for the person who wants a run to stop and is not in a terminal that this program reads.
 *
 * A press counts only while the window of the agent is in front and no prompt waits. If a terminal is watched by
 * `watchTerminal` as well, what it hears is the terminal's business, and one press counts once.
 *
 * Where keys cannot be heard – the package is not installed, there is no display, it is Wayland, the person has not
 * allowed it – nothing throws: `state` is `'unavailable'`, and `unavailable.message` is one line that says what to do.
 *
 * @fairness A watched terminal comes first.
 * @cleanup `stop()` ends the process that hears the keys; it ends too when ours does, however that happens. It is started
 * again if it ends by itself, three times a minute at most. It keeps the program alive only while `ready` is waited for.
 * @param target What to stop: an `InterruptController`, anything with `cancel` and `kill`, or a `SessionRegistry`, for
 * which the option `front` names the session. Never more than one session is stopped.
 * @param options All optional; durations in milliseconds.
 * @returns The watcher; stop it when the program no longer wants the key.
 * @throws TypeError – a target without `cancel` and `kill`, an unknown key, or an option of the wrong type.
 * @throws RangeError – a negative or infinite duration.
 * @example ESC in the window of the agent
 * ```ts
 * import { InterruptController } from 'desist'
 * import { watchGlobalHotkey } from 'desist/global-hotkey'
 *
 * const agent = new InterruptController({ name: 'main' })
 * const hotkey = watchGlobalHotkey(agent, { key: 'escape' })
 * if ((await hotkey.ready) === 'unavailable') console.log(hotkey.unavailable?.message)
 * await hotkey.stop()
 * hotkey.state // => 'stopped'
 * ```
 * @source uiohook; xdotool; the global monitors of coding agents
 * @since 0.1.0
 */
export function watchGlobalHotkey(target: TerminalController, options?: GlobalHotkeyOptions): HotkeyWatcher;
export function watchGlobalHotkey(
  target: TerminalSessions,
  options: GlobalHotkeyOptions & { readonly front: () => FrontSession | undefined },
): HotkeyWatcher;
export function watchGlobalHotkey(
  target: TerminalController | TerminalSessions,
  options: GlobalHotkeyOptions = {},
): HotkeyWatcher {
  const { combination, mode, doubleMs, onEscapeArmed, front, input, places, clock, ...judged } =
    resolveHotkeyOptions(options);
  const rules = new PressRunner(targetOf(target, front), {
    clock,
    escape: mode,
    doubleMs,
    leaveMs: 0,
    idleEscape: false,
    leave: () => undefined,
    onLeaveArmed: undefined,
    onEscapeArmed,
    onIdleDoubleEscape: undefined,
  });
  const filter = new PressFilter({
    ...judged,
    clock,
    delayMs: delayOfTerminal(process.env),
    keyboard: () => findStdin(input ?? process.stdin),
    press: (at) => {
      if (watcher.state !== 'stopped') rules.escape(at, false);
    },
  });
  const watcher = watchHook({
    clock,
    problem: problemOfHost(process.platform, process.env),
    start: (events) => startHook({ clock, combination, places, env: process.env }, events),
    down: () => {
      filter.down();
    },
    close: () => {
      rules.close();
    },
  });
  return watcher;
}
