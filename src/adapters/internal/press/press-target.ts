/**
 * What the keyboard stops: one controller, or the session in front of a registry. Never everything at once.
 *
 * @module
 */
import { isObject, isThenable, requireFunction, show } from '../../../core/inside.ts';
import { reportKeyError } from '../keyboard/key-stack.ts';
import type { Doing } from './press-machine.ts';

/**
 * What the keyboard may stop. An `InterruptController` is one, and so is anything with `cancel` and `kill`.
 *
 * @since 0.1.0
 */
export interface TerminalController {
  /** What it does. Without it, it counts as running, and for a moment after each cancel as cancelling. */
  readonly state?: 'idle' | 'running' | 'interjecting' | 'cancelling' | 'killing' | undefined;
  /** Asks the run to stop; called with `{ kind: 'user' }`. */
  cancel(reason?: { readonly kind: 'user' }): unknown;
  /** Asks more forcefully; called with `{ kind: 'user' }`. */
  kill(reason?: { readonly kind: 'user' }): unknown;
  /** Tells of changes of `state`. Without it an ESC pressed just as a run ends is not recognised as late. */
  onEvent?(listener: () => void): { unregister(): unknown };
}

/**
 * Sessions that are stopped by id. A `SessionRegistry` is one.
 *
 * @since 0.1.0
 */
export interface TerminalSessions {
  /** Asks one session to stop. */
  cancel(id: string, reason?: { readonly kind: 'user' }): unknown;
  /** Asks it more forcefully. */
  kill(id: string, reason?: { readonly kind: 'user' }): unknown;
}

/**
 * The session that the person looks at: its id, or the session itself, whose controller says whether it is busy.
 *
 * @since 0.1.0
 */
export type FrontSession = string | { readonly id: string; readonly controller: TerminalController };

/** A target, whichever of these it is. */
export interface PressTarget {
  /** Changes when something else is in front. */
  readonly id: unknown;
  readonly doing: Doing;
  readonly cancel: () => void;
  readonly kill: () => void;
  /** Only where it can tell. */
  readonly onChange: ((listener: () => void) => { unregister(): unknown }) | undefined;
}

const reason = { kind: 'user' } as const;

/** A rejection has no caller to go to, and must not end the program. */
function run(work: () => unknown): void {
  const result = work();
  if (isThenable(result)) void Promise.resolve(result).then(undefined, reportKeyError);
}

function ofController(controller: TerminalController): PressTarget {
  return {
    id: controller,
    get doing() {
      return controller.state ?? 'unknown';
    },
    cancel: () => {
      run(() => controller.cancel(reason));
    },
    kill: () => {
      run(() => controller.kill(reason));
    },
    onChange: controller.onEvent === undefined ? undefined : controller.onEvent.bind(controller),
  };
}

const nobody: PressTarget = {
  id: undefined,
  doing: 'idle',
  cancel: () => undefined,
  kill: () => undefined,
  onChange: undefined,
};

function inFront(sessions: TerminalSessions, front: FrontSession | undefined): PressTarget {
  if (front === undefined) return nobody;
  if (isObject(front)) return ofController(front.controller);
  if (typeof front !== 'string') throw new TypeError(`front() must give a session or its id, got ${show(front)}`);
  return {
    id: front,
    doing: 'unknown',
    cancel: () => {
      run(() => sessions.cancel(front, reason));
    },
    kill: () => {
      run(() => sessions.kill(front, reason));
    },
    onChange: undefined,
  };
}

/**
 * Checks what is to be stopped.
 *
 * @param front Asked at each press; without it `target` is a controller.
 * @returns What a press is for at this moment.
 * @throws TypeError – nothing that can be stopped, or a registry without `front`.
 */
export function targetOf(
  target: TerminalController | TerminalSessions,
  front: (() => FrontSession | undefined) | undefined,
): () => PressTarget {
  if (!isObject(target)) throw new TypeError(`target must be an object, got ${show(target)}`);
  requireFunction('target.cancel', Reflect.get(target, 'cancel'));
  requireFunction('target.kill', Reflect.get(target, 'kill'));
  if (front !== undefined) return () => inFront(target as TerminalSessions, front());
  if (typeof Reflect.get(target, 'open') === 'function') {
    throw new TypeError('a session registry is watched with the option front, which names the session to stop');
  }
  const one = ofController(target as TerminalController);
  return () => one;
}
