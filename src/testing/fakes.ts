/**
 * Stand-ins that tests of cancellation need again and again: a promise settled by hand, a tool that does not listen,
 * a process that receives signals.
 *
 * @module
 */

/** A promise and the two ways to settle it; see {@link deferred}. */
export interface Deferred<T> {
  /** Settles when the test says so. */
  readonly promise: Promise<T>;
  /** Fulfils the promise. */
  readonly resolve: (value: T | PromiseLike<T>) => void;
  /** Rejects the promise. */
  readonly reject: (error: unknown) => void;
}

/**
 * Makes a promise that the test settles: the way to fix an order without sleeping.
 *
 * @returns The promise with its `resolve` and `reject`.
 * @example
 * ```ts
 * import { deferred } from 'desist/testing'
 *
 * const answer = deferred<number>()
 * answer.resolve(42)
 * await answer.promise // => 42
 * ```
 * @source `Promise.withResolvers`
 * @since 0.1.0
 */
export function deferred<T = void>(): Deferred<T> {
  let resolve!: Deferred<T>['resolve'];
  let reject!: Deferred<T>['reject'];
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** One call that a {@link DeafTool} got. */
export interface DeafCall<I, T> {
  /** What it was called with. */
  readonly input: I;
  /** The signal it was given, and ignores. */
  readonly signal: AbortSignal | undefined;
  /** Ends the call. */
  readonly finish: (value: T) => void;
  /** Fails the call. */
  readonly fail: (error: unknown) => void;
}

/** A tool that ignores its signal; see {@link deafTool}. */
export interface DeafTool<I, T> {
  /** The shape agent frameworks call: input first, the signal under either of its two usual names. */
  readonly execute: (
    input: I,
    options?: { readonly signal?: AbortSignal | undefined; readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<T>;
  /** Every call so far, oldest first. */
  readonly calls: readonly DeafCall<I, T>[];
}

/**
 * Makes the tool that every agent has one of: it takes a signal and never looks at it. A call ends only when the test
 * ends it.
 *
 * @returns The tool, and its calls as data.
 * @example
 * ```ts
 * import { deafTool } from 'desist/testing'
 *
 * const stop = new AbortController()
 * const tool = deafTool<string, string>()
 * const result = tool.execute('slow query', { signal: stop.signal })
 * stop.abort()
 * tool.calls[0]?.signal?.aborted // => true
 * tool.calls[0]?.finish('rows, all the same')
 * await result // => 'rows, all the same'
 * ```
 * @since 0.1.0
 */
export function deafTool<I = unknown, T = unknown>(): DeafTool<I, T> {
  const calls: DeafCall<I, T>[] = [];
  return {
    calls,
    execute: (input, options) => {
      const { promise, resolve, reject } = deferred<T>();
      calls.push({ input, signal: options?.signal ?? options?.abortSignal, finish: resolve, fail: reject });
      return promise;
    },
  };
}

/** What a {@link FakeProcess} did to itself or others. */
export type FakeProcessAct =
  | { readonly act: 'kill'; readonly pid: number; readonly signal: string | number }
  | { readonly act: 'exit'; readonly code: number };

/** Options of {@link fakeProcess}. */
export interface FakeProcessOptions {
  /** Its process id; 4242 by default. */
  readonly pid?: number | undefined;
  /** As in `process.platform`; `'linux'` by default. */
  readonly platform?: string | undefined;
}

/** The part of `process` that signal handling uses, with nothing real behind it; see {@link fakeProcess}. */
export interface FakeProcess {
  /** Its process id. */
  readonly pid: number;
  /** As in `process.platform`. */
  readonly platform: string;
  /** Everything it did, oldest first. */
  readonly acts: readonly FakeProcessAct[];
  /** Adds a listener. */
  on(event: string, listener: (...args: unknown[]) => void): this;
  /** Removes a listener. */
  removeListener(event: string, listener: (...args: unknown[]) => void): this;
  /** How many listen. */
  listenerCount(event: string): number;
  /** Records a signal that was sent; nothing receives it. */
  kill(pid: number, signal?: string | number): true;
  /** Records an exit; the test goes on. */
  exit(code?: number): void;
  /**
   * Delivers a signal or another event to the listeners.
   *
   * @returns Whether anybody listened; for a signal, `false` means that a real process would have died.
   */
  raise(event: string, ...args: unknown[]): boolean;
}

/**
 * Makes a process that can be sent signals without anything dying.
 *
 * @param options Who it claims to be.
 * @returns The process, and what it did as data.
 * @since 0.1.0
 */
export function fakeProcess(options: FakeProcessOptions = {}): FakeProcess {
  const listeners = new Map<string, ((...args: unknown[]) => void)[]>();
  const acts: FakeProcessAct[] = [];
  return {
    pid: options.pid ?? 4242,
    platform: options.platform ?? 'linux',
    acts,
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
      return this;
    },
    removeListener(event, listener) {
      const left = [...(listeners.get(event) ?? [])];
      const index = left.lastIndexOf(listener);
      if (index !== -1) left.splice(index, 1);
      listeners.set(event, left);
      return this;
    },
    listenerCount: (event) => listeners.get(event)?.length ?? 0,
    kill(pid, signal = 'SIGTERM') {
      acts.push({ act: 'kill', pid, signal });
      return true;
    },
    exit(code = 0) {
      acts.push({ act: 'exit', code });
    },
    raise(event, ...args) {
      const current = listeners.get(event) ?? [];
      for (const listener of current) listener(...args);
      return current.length > 0;
    },
  };
}
