/**
 * What is used of React and of Ink, so that neither is imported: whoever has them hands them in.
 *
 * @module
 */
import type { TerminalInput } from '../internal/keyboard/key-reader.ts';
import type { TerminalWriter } from '../internal/keyboard/mode/terminal-switches.ts';

/**
 * What of React is used; the module `react` fits.
 *
 * @since 0.1.0
 */
export interface ReactLike<Element> {
  /** Makes an element. */
  createElement(type: never, props: never, ...children: never[]): Element;
  /** Makes a context. */
  createContext(value: never): unknown;
  /** Reads one. */
  useContext(context: never): unknown;
  /** State of a component. */
  useState(initial: never): readonly [unknown, (next: never) => void];
  /** Work with a clean-up. */
  useEffect(effect: () => undefined | (() => void), dependencies?: readonly unknown[]): void;
  /** The same, in the commit that draws. */
  useLayoutEffect(effect: () => undefined | (() => void), dependencies?: readonly unknown[]): void;
  /** A value that is kept. */
  useMemo(make: () => never, dependencies: readonly unknown[]): unknown;
  /** A box that is kept. */
  useRef(initial: never): { current: unknown };
  /** Follows what changes outside React. */
  useSyncExternalStore(subscribe: (changed: () => void) => () => void, get: () => never): unknown;
}

/**
 * What of Ink is used; the module `ink` fits, from version 6 on.
 *
 * @since 0.1.0
 */
export interface InkLike {
  /** The component for text. */
  readonly Text: unknown;
  /** The keyboard that Ink reads. */
  useStdin(): {
    readonly stdin: unknown;
    readonly isRawModeSupported: boolean;
    /** Ink counts who wants it. */
    setRawMode(raw: boolean): void;
  };
  /** The program; from Ink 7.1 on it can hand the terminal over. */
  useApp(): object;
}

type Context = object;

/** React as it is, with the types that the hooks here need. */
export interface React {
  createElement(type: unknown, props: object | null, ...children: unknown[]): unknown;
  createContext<T>(value: T): Context & { readonly Provider: unknown; readonly ofType?: T };
  useContext<T>(context: Context & { readonly ofType?: T }): T;
  useState<T>(initial: T): readonly [T, (next: T) => void];
  useEffect(effect: () => undefined | (() => void), dependencies?: readonly unknown[]): void;
  useLayoutEffect(effect: () => undefined | (() => void), dependencies?: readonly unknown[]): void;
  useMemo<T>(make: () => T, dependencies: readonly unknown[]): T;
  useRef<T>(initial: T): { current: T };
  useSyncExternalStore<T>(subscribe: (changed: () => void) => () => void, get: () => T): T;
}

/** Ink as it is. */
export interface Ink {
  readonly Text: unknown;
  useStdin(): {
    readonly stdin: TerminalInput;
    readonly isRawModeSupported: boolean;
    readonly setRawMode: (raw: boolean) => void;
  };
  /** A module that a test hands in may be without. */
  useStdout?(): { readonly stdout: TerminalWriter };
  useApp(): { suspendTerminal?(run: () => Promise<void>): Promise<void> };
}
