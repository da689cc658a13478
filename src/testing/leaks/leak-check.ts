/**
 * Says what a piece of work left behind: abort listeners on living signals, what hangs on tokens, child processes, threads, and
 * handles that keep the process alive.
 *
 * Invariants: while no check is open, `AbortController` and `AbortSignal` are untouched; a signal is only ever held
 * weakly, for what nobody can reach is no leak.
 * Prior art: VS Code `ensureNoDisposablesAreLeakedInTestSuite`, Go `goleak`.
 *
 * @module
 */
import { requireOptions, type OptionNames } from '../../core/inside.ts';
import { getEventListeners } from 'node:events';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';

import type { CancellationToken } from '../../index.ts';
import { childProcesses } from './child-processes.ts';
import { watchWorkers } from './worker-threads.ts';

/** Something that is still there. */
export interface Leak {
  /**
   * `'abort listener'`, `'child process'`, `'worker thread'`, `'attached to NAME'` for a token that was given, or the kind of handle as Node
   * calls it: `'Timeout'`, `'TCPSocketWrap'`, …
   */
  readonly name: string;
  /** How many more than at the start. */
  readonly count: number;
}

/** Options of {@link leakCheck}. */
export interface LeakCheckOptions {
  /** Tokens that outlive the work: listeners and children that hang on them afterwards, and did not before, are leaks. */
  readonly tokens?: readonly CancellationToken[] | undefined;
}

/** Options of {@link LeakCheck.finish}. */
export interface LeakFinishOptions {
  /** How long to wait for what is already closing, in milliseconds; 100 by default. It costs time only if something leaks. */
  readonly settleMs?: number | undefined;
}

/** An open check; see {@link leakCheck}. */
export interface LeakCheck {
  /**
   * Ends the check and says what is left.
   *
   * @param options How patient to be.
   * @returns One entry per kind of leak; empty is clean. The same answer when asked again.
   * @throws RangeError – `settleMs` is no time.
   */
  finish(options?: LeakFinishOptions): Promise<Leak[]>;
}

type Reporter = (signal: AbortSignal) => void;

const reporters = new Set<Reporter>();
const restorers: (() => void)[] = [];

/** Where a signal was first asked for: put into words, which is what costs, only of one that is left behind. */
const traces = new WeakMap<AbortSignal, { readonly stack?: string }>();

function report(signal: unknown, maker: (...args: never[]) => unknown): void {
  if (!(signal instanceof AbortSignal)) return;
  if (!traces.has(signal)) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 1;
    const trace = {};
    Error.captureStackTrace(trace, maker);
    Error.stackTraceLimit = limit;
    traces.set(signal, trace);
  }
  for (const reporter of reporters) reporter(signal);
}

/** Replaces one property by one that reports its result; puts the original back unless somebody else replaced it since. */
function patch(owner: object, key: string, wrap: (original: PropertyDescriptor) => PropertyDescriptor): void {
  const original = Object.getOwnPropertyDescriptor(owner, key);
  if (original === undefined) return;
  const ours = { ...original, ...wrap(original) };
  Object.defineProperty(owner, key, ours);
  restorers.push(() => {
    const current = Object.getOwnPropertyDescriptor(owner, key);
    if (current?.get === ours.get && current?.value === ours.value) Object.defineProperty(owner, key, original);
  });
}

function startReporting(reporter: Reporter): void {
  reporters.add(reporter);
  if (reporters.size > 1) return;
  patch(AbortController.prototype, 'signal', (original) => {
    function get(this: AbortController): unknown {
      const signal: unknown = original.get?.call(this);
      report(signal, get);
      return signal;
    }
    return { get };
  });
  for (const maker of ['any', 'timeout']) {
    patch(AbortSignal, maker, (original) => {
      function value(this: unknown, ...args: unknown[]): unknown {
        const signal: unknown = Reflect.apply(original.value as (...given: unknown[]) => unknown, this, args);
        report(signal, value);
        return signal;
      }
      return { value };
    });
  }
}

function stopReporting(reporter: Reporter): void {
  reporters.delete(reporter);
  if (reporters.size === 0) for (const restore of restorers.splice(0)) restore();
}

/** Kinds that come and go with every turn of the event loop, and child processes, which are counted one by one. */
const passing = /^(?:ProcessWrap|Immediate|TickObject|Microtask|FSReq.*|GetAddrInfoReqWrap|RandomBytesRequest)$/;

/** Handles and timers that keep the process alive, by kind; nothing where the runtime cannot tell. */
function countHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  const host = globalThis as { readonly process?: { getActiveResourcesInfo?(): string[] } };
  for (const name of host.process?.getActiveResourcesInfo?.() ?? []) {
    if (!passing.test(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** How many listeners and children hang on a token: the field is shared by all copies of the package. */
export function attachedTo(token: CancellationToken): number {
  const { flags, extra } = token as unknown as {
    readonly flags?: unknown;
    readonly extra?: { readonly watch?: number };
  };
  if (typeof flags !== 'number')
    throw new TypeError(`leakCheck({ tokens }) takes tokens of this package, got ${typeof token}`);
  return extra?.watch ?? 0;
}

/** How many abort listeners there are on a signal; a handler that was taken off leaves an empty wrapper, which is none. */
export function listenersOf(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').filter((one) => (one as { handler?: unknown }).handler !== null).length;
}

/** How long what is closing may take before the process is made to collect, in milliseconds. */
const CLOSING_MS = 20;

/** A collection costs as much as the heap is large: of the time that a check waits, collecting takes one part in so many. */
const COLLECTING_PARTS = 10;

const optionNames: OptionNames<LeakCheckOptions> = { tokens: 1 };

const finishNames: OptionNames<LeakFinishOptions> = { settleMs: 1 };

/**
 * Opens a check: from here on every `AbortSignal` that is made is watched, and handles, child processes and worker threads are counted.
 *
 * Run Node with `--expose-gc` for exact counts: what fetch leaves on a signal goes only with the garbage collector.
 * Anything else the process does meanwhile is counted as well, so keep to one check at a time.
 *
 * Child processes are those of this process that still run; one that left for a parent of its own (a daemon) is none. Without
 * `/proc` only those that keep this process alive are seen.
 *
 * @param options Tokens to look at as well.
 * @returns The open check; `finish()` ends it.
 * @throws TypeError – `tokens` holds something else than tokens of this package.
 * @cleanup `finish()` puts the platform's classes back.
 * @example A listener that stayed
 * ```ts
 * import { leakCheck } from 'desist/testing'
 *
 * const check = leakCheck()
 * const session = new AbortController()
 * session.signal.addEventListener('abort', () => {})
 * const leaks = await check.finish()
 * leaks // => [{ name: 'abort listener', count: 1 }]
 * session.signal.aborted // => false
 * ```
 * @source VS Code `ensureNoDisposablesAreLeakedInTestSuite`
 * @since 0.1.0
 */
export function leakCheck(options: LeakCheckOptions = {}): LeakCheck {
  requireOptions(options, optionNames);
  const { tokens = [] } = options;
  if (!Array.isArray(tokens)) throw new TypeError(`options.tokens must be a list, got ${typeof tokens}`);
  const attached = (tokens as readonly CancellationToken[]).map((token) => ({ token, before: attachedTo(token) }));
  const children = new Set(childProcesses());
  const signals = new Set<WeakRef<AbortSignal>>();
  const seen = new WeakSet<AbortSignal>();
  const before = countHandles();
  const reporter: Reporter = (signal) => {
    if (seen.has(signal)) return;
    seen.add(signal);
    signals.add(new WeakRef(signal));
  };
  startReporting(reporter);
  const threads = watchWorkers();

  function measure(): Leak[] {
    const leaks: Leak[] = [];
    let listeners = 0;
    for (const ref of signals) {
      const signal = ref.deref();
      if (signal === undefined || signal.aborted) continue;
      const count = listenersOf(signal);
      // Node's own test runner listens to a signal of each test that runs.
      if (count > 0 && traces.get(signal)?.stack?.includes('node:internal/test_runner/') !== true) listeners += count;
    }
    if (listeners > 0) leaks.push({ name: 'abort listener', count: listeners });
    for (const { token, before } of attached) {
      const more = attachedTo(token) - before;
      if (more > 0) leaks.push({ name: `attached to ${token.name ?? 'a token'}`, count: more });
    }
    const started = childProcesses().filter((pid) => !children.has(pid)).length;
    if (started > 0) leaks.push({ name: 'child process', count: started });
    const running = threads.running();
    if (running > 0) leaks.push({ name: 'worker thread', count: running });
    for (const [name, count] of countHandles()) {
      const more = count - (before.get(name) ?? 0);
      if (more > 0) leaks.push({ name, count: more });
    }
    return leaks;
  }

  async function finish({ settleMs }: { readonly settleMs: number }): Promise<Leak[]> {
    stopReporting(reporter);
    threads.stop();
    const { gc } = globalThis as { readonly gc?: () => unknown };
    const startedAt = performance.now();
    await turn();
    for (let collectAt = startedAt + CLOSING_MS; ;) {
      let leaks = measure();
      const now = performance.now();
      const isLast = now >= startedAt + settleMs;
      if (isLast || now >= collectAt) {
        // Twice at most: what a finalizer lets go of goes with the next one. What has been looked at lives to the end of its turn.
        for (let round = 0; round < 2 && leaks.length > 0; round += 1) {
          await turn();
          gc?.();
          await turn();
          leaks = measure();
        }
        const collectedAt = performance.now();
        collectAt = collectedAt + COLLECTING_PARTS * (collectedAt - now);
      }
      if (leaks.length === 0 || isLast) return leaks;
      await sleep(5);
    }
  }

  let finished: Promise<Leak[]> | undefined;
  return {
    finish: (given = {}) => {
      requireOptions(given, finishNames);
      const { settleMs = 100 } = given;
      if (!(settleMs >= 0 && settleMs < Infinity))
        throw new RangeError(`options.settleMs must be a time in ms, got ${String(settleMs)}`);
      return (finished ??= finish({ settleMs }));
    },
  };
}
