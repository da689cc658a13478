/**
 * Puts the rules of one watcher among the handlers of its keyboard: ESC, Ctrl+C, SIGINT, Ctrl+Z.
 *
 * Invariant: of several watchers of one keyboard a stop is for the one in front, and a prompt keeps its ESC.
 *
 * @module
 */
import type { Clock, Releasable } from '../../../core/inside.ts';
import { isEscape, type KeyEvent, type KeyPress } from '../keyboard/decoder/key-event.ts';
import { priorities, type KeyHandler } from '../keyboard/key-stack.ts';
import type { StdinOwner } from '../keyboard/stdin-owner.ts';
import { claimSignal } from '../process/process-hooks.ts';
import type { PressRunner } from './press-runner.ts';

/** Which keys are watched. */
export interface WatchedPresses {
  readonly clock: Clock;
  readonly escapes: boolean;
  /** Ctrl+C, the key and the signal. */
  readonly interrupts: boolean;
  /** Ctrl+Z. */
  readonly suspends: boolean;
}

function isControl(event: KeyEvent, name: string): event is KeyPress {
  return event.type === 'key' && event.name === name && event.ctrl && !event.alt && !event.shift && !event.super;
}

function isCtrlC(event: KeyEvent): event is KeyPress {
  return isControl(event, 'c');
}

/** Any key but Ctrl+C ends a pair that has begun, whoever it is for. */
export function endPairs(rules: PressRunner, event: KeyEvent): void {
  if ((event.type !== 'key' && event.type !== 'paste') || isCtrlC(event)) return;
  if (isEscape(event)) rules.disarmLeave();
  else rules.disarm();
}

/** Watches until it is released. */
export function watchPresses(
  owner: StdinOwner,
  rules: PressRunner,
  { clock, escapes, interrupts, suspends }: WatchedPresses,
): Releasable {
  // Seen by us even where a popup takes the key: it still was another key.
  const watchOthers: KeyHandler = (event) => {
    endPairs(rules, event);
  };
  const stop: KeyHandler = (event, at) => {
    if (suspends && isControl(event, 'z')) return owner.suspend();
    if (interrupts && isCtrlC(event)) {
      if (!owner.front.interrupt.isInFront(rules)) return false;
      if (!event.repeat) rules.interrupt(at);
      return true;
    }
    if (!escapes || !isEscape(event) || owner.isPromptsKey || !owner.front.escape.isInFront(rules)) return false;
    return rules.escape(at, event.repeat, owner.keys.arrival?.at);
  };
  const claim = (): boolean => {
    // Without a terminal nobody can see that a first Ctrl+C only armed something: with nothing to stop, it ends us.
    if (!owner.front.interrupt.isInFront(rules) || (owner.degraded && rules.isIdle)) return false;
    rules.interrupt(clock.now());
    return true;
  };
  const held = [owner.keys.handle(stop, priorities.cancel), owner.keys.handle(watchOthers, Infinity)];
  if (escapes) held.push(owner.front.escape.add(rules));
  if (interrupts) held.push(owner.front.interrupt.add(rules), claimSignal('SIGINT', claim, 'terminal'));
  return {
    release: () => {
      for (const releasable of held) releasable.release();
    },
  };
}
