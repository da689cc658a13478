/**
 * Door `desist/ink`: the person at the keyboard of a program that is drawn with Ink. ESC stops the run unless something
 * on the screen wants it first, and the status line is a component.
 *
 * Prior art: the coding agents that are drawn with Ink; VS Code's keybinding contexts.
 *
 * @module desist/ink
 */
import {
  isObject,
  type OptionNames,
  type Releasable,
  requireFunction,
  requireMs,
  requireOptions,
  show,
  systemClock,
} from '../../core/inside.ts';
import type { TerminalInput } from '../internal/keyboard/key-reader.ts';
import type { KeyHandler } from '../internal/keyboard/key-stack.ts';
import { priorities } from '../internal/keyboard/key-stack.ts';
import { acquireStdin, findStdin } from '../internal/keyboard/stdin-registry.ts';
import type { StdinOwner } from '../internal/keyboard/stdin-owner.ts';
import { defaultEscTimeoutMs } from '../internal/presses/escape-timeout.ts';
import type { Progress, ProgressOptions } from '../internal/status/work-status.ts';
import type { Ink, InkLike, React, ReactLike } from './ink-like.ts';
import { resolveInterruptOptions, type UseInterruptOptions } from './interrupt-options.ts';
import { InterruptStore, type InkController, type InterruptView } from './interrupt-store.ts';

/**
 * An agent as `useInterrupt` shows it; a new object whenever something in it has changed.
 *
 * @since 0.1.0
 */
export interface Interrupt {
  /** What the agent does. */
  readonly state: 'idle' | 'running' | 'interjecting' | 'cancelling' | 'killing';
  /** The status line; `''` while nothing runs. */
  readonly text: string;
  /** `Interrupted. Tell … what to do instead.` after a person's stop, until the next turn begins. */
  readonly line: string;
  /** What the last stop did, until the next turn begins. */
  readonly receipt: string;
  /** What the next press would do; `''` for nothing. */
  readonly hint: string;
  /** Shows how far something is that the person waits for; its token's cancel takes it away. */
  readonly progress: (label: string, options?: ProgressOptions) => Progress;
}

/**
 * Properties of the provider.
 *
 * @since 0.1.0
 */
interface InterruptProviderProps {
  readonly children?: unknown;
  /** Silence after which an ESC is a key and not the begin of one; milliseconds. Default `ESCDELAY`, else 100 over SSH, else 50. */
  readonly escTimeoutMs?: number | undefined;
}

/**
 * Properties of the status line; all but `of` go to Ink's `Text`.
 *
 * @since 0.1.0
 */
interface StatusLineProps {
  /** What `useInterrupt` gave. */
  readonly of: Interrupt;
  readonly [property: string]: unknown;
}

/**
 * The components and hooks, made with your React and your Ink.
 *
 * @since 0.1.0
 */
export interface InkInterrupts<Element> {
  /** Reads the keyboard for everything below it; one per program, at the root. */
  readonly InterruptProvider: (props: InterruptProviderProps) => Element;
  /**
   * Stops an agent by ESC and Ctrl+C, and shows it. Of several agents below one provider the stop is for one: the newest
   * that is busy.
   *
   * @throws TypeError – outside the provider, no controller, an option that is not known or of the wrong type.
   */
  readonly useInterrupt: (controller: InkController, options?: UseInterruptOptions) => Interrupt;
  /**
   * Sees keys while the component is mounted; the handler that returns `true` keeps the key. 50 and more is before the
   * stop (a list of completions), less than 0 after it (what ESC does while nothing runs).
   */
  readonly useKey: (handler: KeyHandler, options?: { readonly priority?: number; readonly isActive?: boolean }) => void;
  /** While `isOpen`, ESC is a prompt's key and stops nothing, here and in every other watcher of this keyboard. */
  readonly usePrompt: (isOpen: boolean) => void;
  /** Lends the terminal to another program, an editor for instance; needs Ink 7.1 or newer. */
  readonly useHandOver: () => (run: () => Promise<void>) => Promise<void>;
  /** The status line as Ink's `Text`: what runs, else the interruption and the hint. */
  readonly StatusLine: (props: StatusLineProps) => Element;
}

const keyNames: OptionNames<NonNullable<Parameters<InkInterrupts<never>['useKey']>[1]>> = { priority: 1, isActive: 1 };

function exitProcess(code: number): void {
  process.exit(code);
}

/**
 * Makes the components and hooks. Call it once, in a module of its own.
 *
 * Ink goes on reading the keyboard: `useInput` works as before, and sees every key. What ESC means is decided from the
 * same bytes by a decoder that takes no arrow key cut in two for an ESC. Render with `exitOnCtrlC: false`, or Ink leaves
 * at the first Ctrl+C.
 *
 * @fairness Handlers of higher priority see a key first; the stop stands at 0.
 * @cleanup What a component listens to ends when it is unmounted; Ink restores the terminal.
 * @param libraries `react` and `ink`, as they were imported.
 * @returns The components and hooks.
 * @throws TypeError – something that is not React or not Ink.
 * @example Make them
 * ```ts
 * import { inkInterrupts } from 'desist/ink'
 *
 * inkInterrupts.length // => 1
 * ```
 * @source coding agents drawn with Ink
 * @since 0.1.0
 */
export function inkInterrupts<Element>(libraries: {
  readonly react: ReactLike<Element>;
  readonly ink: InkLike;
}): InkInterrupts<Element> {
  requireLibrary('react', Reflect.get(Object(libraries) as object, 'react'), 'useSyncExternalStore');
  requireLibrary('ink', Reflect.get(libraries, 'ink'), 'useStdin');
  const react = libraries.react as unknown as React;
  const ink = libraries.ink as unknown as Ink;
  const Keyboard = react.createContext<StdinOwner | 'opening' | undefined>(undefined);

  function useOwner(hook: string): StdinOwner | undefined {
    const owner = react.useContext(Keyboard);
    if (owner === undefined) throw new TypeError(`${hook} works inside InterruptProvider only`);
    return owner === 'opening' ? undefined : owner;
  }

  /** Calls what the component was rendered with last. */
  function useLatest<T>(value: T): { readonly current: T } {
    const box = react.useRef(value);
    react.useLayoutEffect(() => {
      box.current = value;
      return undefined;
    });
    return box;
  }

  /** Held from the commit that draws it, and no later: a key that answers what is on the screen finds it held or gone. */
  function useHeld(hold: () => Releasable | undefined, dependencies: readonly unknown[]): void {
    react.useLayoutEffect(() => {
      const held = hold();
      if (held === undefined) return undefined;
      return () => {
        held.release();
      };
    }, dependencies);
  }

  function InterruptProvider({ children, escTimeoutMs }: InterruptProviderProps): Element {
    const timeout = requireMs('escTimeoutMs', escTimeoutMs ?? defaultEscTimeoutMs(process.env), 'finite');
    const { stdin, isRawModeSupported, setRawMode } = ink.useStdin();
    const [owner, setOwner] = react.useState<StdinOwner | 'opening'>('opening');
    react.useEffect(() => {
      // First: a stream that only `data` is listened to would flow past Ink.
      if (isRawModeSupported) setRawMode(true);
      const lease = acquireStdin(stdin, { clock: systemClock, escTimeoutMs: timeout }, 'beside');
      setOwner(lease.owner);
      return () => {
        lease.release();
        if (isRawModeSupported) setRawMode(false);
      };
    }, [stdin, isRawModeSupported, setRawMode, timeout]);
    return react.createElement(Keyboard.Provider, { value: owner }, children) as Element;
  }

  function useInterrupt(controller: InkController, options: UseInterruptOptions = {}): Interrupt {
    const owner = useOwner('useInterrupt');
    const resolved = resolveInterruptOptions(options);
    const { escape, ctrlC, doubleMs, leaveMs, clock, idleEscape } = resolved;
    const callbacks = useLatest({
      onIdleDoubleEscape: options.onIdleDoubleEscape ?? ((): void => undefined),
      onLeave: options.onLeave ?? exitProcess,
    });
    const store = react.useMemo(
      () => new InterruptStore(controller, owner, resolved, () => callbacks.current),
      [controller, owner, escape, ctrlC, doubleMs, leaveMs, clock, idleEscape],
    );
    const view: InterruptView = react.useSyncExternalStore(store.subscribe, store.get);
    return react.useMemo(() => ({ ...view, progress: store.progress }), [view, store]);
  }

  const useKey: InkInterrupts<Element>['useKey'] = (handler, options = {}) => {
    requireFunction('handler', handler);
    requireOptions(options, keyNames);
    const { priority = priorities.dismissal, isActive = true } = options;
    const owner = useOwner('useKey');
    const latest = useLatest(handler);
    useHeld(
      () => (isActive ? owner?.keys.handle((event, at) => latest.current(event, at), priority, true) : undefined),
      [owner, priority, isActive],
    );
  };

  function usePrompt(isOpen: boolean): void {
    const owner = useOwner('usePrompt');
    useHeld(() => {
      if (owner === undefined || !isOpen) return undefined;
      owner.enterGate();
      return {
        release: () => {
          owner.exitGate();
        },
      };
    }, [owner, isOpen]);
  }

  function useHandOver(): (run: () => Promise<void>) => Promise<void> {
    const owner = useOwner('useHandOver');
    const { stdin } = ink.useStdin();
    const output = ink.useStdout?.().stdout;
    const app = ink.useApp();
    return async (run) => {
      requireFunction('run', run);
      if (app.suspendTerminal === undefined) throw new TypeError('this Ink lends the terminal to nobody; 7.1 does');
      // The effects of a component come before those of its provider.
      if (owner === undefined) await new Promise((resolve) => setImmediate(resolve));
      const held: Releasable[] = [];
      try {
        await app.suspendTerminal(async () => {
          // Not before: what Ink sets then is what the program finds. Where it draws nothing, in CI for instance, it sets nothing.
          const keyboard = owner ?? findStdin(stdin);
          if (keyboard === undefined) {
            await run();
            return;
          }
          held.push(silenced(stdin));
          const loan = keyboard.programs.lend();
          held.push(loan);
          // Only now: while Ink draws, what a program that was killed has left on may be Ink's own.
          if (output !== undefined) held.push(keyboard.lease('beside', { output, switches: [], fence: false }));
          await loan.quiet;
          try {
            await loan.within(run);
          } finally {
            loan.putBack(); // Ink takes what it finds now for what is to be restored at its end
          }
        });
      } finally {
        for (const loan of held) loan.release();
      }
    };
  }

  function StatusLine({ of: { text, line, hint }, ...rest }: StatusLineProps): Element {
    const idle = [line, hint].filter((part) => part !== '').join(' · ');
    // How it is stopped stands at the end, and is the last that may be missing.
    const wrap = hint !== '' && text.endsWith(hint) ? 'truncate-start' : 'truncate-end';
    return react.createElement(ink.Text, { wrap, ...rest }, text === '' ? idle : text) as Element;
  }

  return { InterruptProvider, useInterrupt, useKey, usePrompt, useHandOver, StatusLine };
}

/** Where Ink draws nothing, in CI for instance, it lets go of nothing either: what is typed meanwhile is none of its keys. */
function silenced(stdin: TerminalInput): Releasable {
  const { listeners } = stdin as { readonly listeners?: (event: string) => readonly (() => void)[] };
  const readers = listeners?.call(stdin, 'readable') ?? [];
  for (const reader of readers) stdin.removeListener('readable', reader);
  return {
    release: () => {
      for (const reader of readers) stdin.on('readable', reader);
    },
  };
}

function requireLibrary(name: string, value: unknown, part: string): void {
  // A module's namespace, or its default export where that is an object.
  if (!isObject(value)) throw new TypeError(`${name} must be the module, got ${show(value)}`);
  requireFunction(`${name}.${part}`, Reflect.get(value, part));
}
