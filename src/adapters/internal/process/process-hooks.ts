/**
 * What must happen when this process ends, and who may keep a signal from ending it.
 *
 * The only file that listens to `process`. One registry per thread, under a registered symbol, so a second copy of
 * the package joins it.
 *
 * Invariants:
 * - **H1** Listening follows need: no listener on `process` while there is neither a hook nor a claim. One of a signal is
 *   taken off a turn of the event loop later: a signal that has come is told after whatever else has, and would be told to
 *   nobody. So a terminal that hangs up ends the process, though its keyboard is lost first.
 * - **H2** A hook runs at most once, synchronously, in the order terminal, drain, children; within one, newest first.
 * - **H3** A throwing hook or claim stops nobody.
 * - **H4** A signal that nobody takes ends the process as it would have without us: hooks, then the same signal again,
 *   so the parent sees 128+n. Where the program listens to that signal itself, it decides and we only watch.
 *
 * Prior art: signal-exit (which is recognised: both installed must not wait for each other), Go `signal.Notify`.
 *
 * @module
 */
import { type Releasable, requireFunction, requireOneOf, show } from '../../../core/inside.ts';
import { nodeModule } from '../node-module.ts';

/** The signals that end a process and can be caught. */
export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT';

/** The signals with which a shell moves jobs about. */
export type JobSignal = 'SIGTSTP' | 'SIGCONT';

/** When a hook's turn comes: first the screen is made readable, then work is drained, then children are killed. */
export type EndOrder = 'terminal' | 'drain' | 'children';

/** Asked when a signal comes; `true` means "mine, the process lives on". */
export type SignalClaim = (signal: EndSignal) => boolean;

/** The slice of `process` that is used. */
export interface ProcessHost {
  readonly pid: number;
  readonly platform: string;
  prependListener(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
  listenerCount(event: string): number;
  kill(pid: number, signal: string): unknown;
  exit(code: number): unknown;
}

/** The registry itself; the functions of this module speak to the one of this process. */
export interface ProcessHooks {
  onProcessEnd(name: string, fn: () => unknown, order: EndOrder): Releasable;
  claimSignal(signal: EndSignal, claim: SignalClaim, order: EndOrder): Releasable;
  endProcess(signal: EndSignal): void;
  onJobSignal(signal: JobSignal, fn: () => void): Releasable;
}

const orders = ['terminal', 'drain', 'children'] as const satisfies readonly EndOrder[];
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const satisfies readonly EndSignal[];

interface Entry<F> {
  readonly name: string;
  readonly fn: F;
  readonly rank: number;
}

/**
 * How many listeners of a signal belong to signal-exit (4 and 3): like ours they only want to see the end and re-raise,
 * so they do not count as a program that handles the signal itself.
 */
function watchersOfOthers(): number {
  const modern = (globalThis as Record<symbol, unknown>)[Symbol.for('signal-exit emitter')];
  const legacy = (process as { readonly __signal_exit_emitter__?: unknown }).__signal_exit_emitter__;
  let count = 0;
  for (const emitter of [modern, legacy]) {
    const known = (emitter as { readonly count?: unknown } | undefined)?.count;
    if (typeof known === 'number') count += known;
  }
  return count;
}

/** When the event loop has polled once more, and told of every signal that had come; listeners that nobody needs are gone then. */
export function afterSignals(fn: () => void): void {
  setImmediate(() => {
    setImmediate(fn);
  });
}

/**
 * Makes a registry over a process, or over something that looks like one.
 *
 * @param defer Calls back when every signal that had come was told.
 */
export function createProcessHooks(host: ProcessHost, defer: (fn: () => void) => void = afterSignals): ProcessHooks {
  const hooks = new Set<Entry<() => unknown>>();
  const afterwards: Pick<Entry<() => unknown>, 'name' | 'fn'>[] = [];
  const claims = new Map<EndSignal, Set<Entry<SignalClaim>>>();
  const listeners = new Map<string, () => void>();
  const jobs = new Map<JobSignal, Set<{ readonly fn: () => void }>>();
  let isLeaving = false;

  // Windows knows no SIGQUIT; asking for it there throws.
  const wanted = endSignals.filter((signal) => signal !== 'SIGQUIT' || host.platform !== 'win32');

  /** Whether somebody waits for this signal. */
  const isWanted = (signal: EndSignal): boolean => hooks.size > 0 || claims.has(signal);

  /** H1: brings the listeners in line with what is registered. */
  function sync(): void {
    if (hooks.size > 0) listen('exit', runHooks);
    else forget('exit');
    for (const signal of wanted) {
      if (isWanted(signal)) listen(signal, () => receive(signal));
      else if (listeners.has(signal)) leaveLater();
    }
  }

  function leaveLater(): void {
    if (isLeaving) return;
    isLeaving = true;
    defer(() => {
      isLeaving = false;
      leave();
    });
  }

  /** Stops listening to signals that nobody waits for. */
  function leave(): void {
    for (const signal of wanted) if (!isWanted(signal)) forget(signal);
  }

  function listen(event: string, listener: () => void): void {
    if (listeners.has(event)) return;
    listeners.set(event, listener);
    host.prependListener(event, listener); // H4: a `once` of the program's is off the list when it is called
  }

  function forget(event: string): void {
    const installed = listeners.get(event);
    if (installed === undefined) return;
    listeners.delete(event);
    host.removeListener(event, installed);
  }

  function guarded<T>(entry: { readonly name: string }, fn: () => T): T | undefined {
    try {
      return fn();
    } catch (error) {
      // eslint-disable-next-line no-console -- H3: there is no caller to tell, and soon no process
      console.error(`desist: the process-end hook ${show(entry.name)} failed:`, error);
      return undefined;
    }
  }

  function inOrder<F>(entries: Iterable<Entry<F>>): Entry<F>[] {
    return [...entries].reverse().sort((a, b) => a.rank - b.rank); // stable: newest first within one rank (H2)
  }

  function runHooks(): void {
    const due = inOrder(hooks);
    for (const entry of due) {
      // Forgotten before it runs: a hook that calls `process.exit` comes back here for the rest, not for itself. One
      // that an earlier hook released is not run.
      if (!hooks.delete(entry)) continue;
      const fn = guarded(entry, entry.fn);
      if (typeof fn === 'function') afterwards.push({ name: entry.name, fn: fn as () => unknown });
    }
    for (let entry = afterwards.shift(); entry !== undefined; entry = afterwards.shift()) guarded(entry, entry.fn);
    sync();
  }

  function receive(signal: EndSignal): void {
    const takes = (entry: Entry<SignalClaim>): boolean =>
      claims.get(signal)?.has(entry) === true && guarded(entry, () => entry.fn(signal)) === true;
    const asked = inOrder(claims.get(signal) ?? []);
    const taker = asked.find(takes);
    const fellows = taker?.rank === orders.indexOf('drain') ? asked.slice(asked.indexOf(taker) + 1) : [];
    for (const entry of fellows) if (entry.rank === taker?.rank) takes(entry);
    if (taker !== undefined) return;
    const own = listeners.has(signal) ? 1 : 0;
    if (host.listenerCount(signal) > own + watchersOfOthers()) return; // H4: the program decides
    endProcess(signal);
  }

  function endProcess(signal: EndSignal): void {
    runHooks();
    claims.clear();
    sync();
    leave(); // or the signal would come back to us
    // A re-raised signal that Windows cannot express would end the process with another code.
    if (host.platform === 'win32') host.exit(128 + nodeModule('node:os').constants.signals[signal]);
    else host.kill(host.pid, signal);
  }

  function onProcessEnd(name: string, fn: () => unknown, order: EndOrder): Releasable {
    if (typeof name !== 'string') throw new TypeError(`name must be a string, got ${show(name)}`);
    requireFunction('fn', fn);
    const rank = orders.indexOf(requireOneOf('order', order, orders));
    const entry: Entry<() => unknown> = { name, fn, rank };
    hooks.add(entry);
    sync();
    return {
      release: () => {
        if (hooks.delete(entry)) sync();
      },
    };
  }

  function claimSignal(signal: EndSignal, claim: SignalClaim, order: EndOrder): Releasable {
    requireOneOf('signal', signal, endSignals);
    requireFunction('claim', claim);
    const rank = orders.indexOf(requireOneOf('order', order, orders));
    const entry: Entry<SignalClaim> = { name: signal, fn: claim, rank };
    const known = claims.get(signal) ?? new Set();
    claims.set(signal, known.add(entry));
    sync();
    return {
      release: () => {
        const current = claims.get(signal);
        if (current?.delete(entry) !== true) return;
        if (current.size === 0) claims.delete(signal);
        sync();
      },
    };
  }

  function onJobSignal(signal: JobSignal, fn: () => void): Releasable {
    if (host.platform === 'win32') return { release: () => undefined };
    const told = jobs.get(signal) ?? new Set();
    const entry = { fn };
    jobs.set(signal, told.add(entry));
    listen(signal, () => {
      for (const each of [...told]) if (told.has(each)) guarded({ name: signal }, each.fn);
    });
    return {
      release: () => {
        if (!told.delete(entry) || told.size > 0) return;
        jobs.delete(signal);
        forget(signal);
      },
    };
  }

  return { onProcessEnd, claimSignal, endProcess, onJobSignal };
}

const key = Symbol.for('desist.process-hooks.v1');

/** Made on first use, not on import: importing a door has no effect on the process. */
function ofThisProcess(): ProcessHooks {
  const home = globalThis as { [key]?: ProcessHooks | undefined };
  const known: ProcessHooks | undefined = home[key];
  return known ?? (home[key] = createProcessHooks(process));
}

/**
 * Has `fn` called once when this process ends: on `exit` – so after a return, a throw, `process.exit` – and on SIGINT,
 * SIGTERM, SIGHUP and SIGQUIT before the signal is raised again. Not on SIGKILL, an abort or a crash of the engine.
 *
 * @param name Shown when the hook fails.
 * @param fn Synchronous: nothing asynchronous survives `exit`. What it returns is called when all hooks have run.
 * @param order Whose turn it is: `terminal` before `drain` before `children`.
 * @returns Forgets the hook; with the last one the listeners go too.
 * @throws TypeError – an argument of the wrong type.
 */
export function onProcessEnd(name: string, fn: () => unknown, order: EndOrder): Releasable {
  return ofThisProcess().onProcessEnd(name, fn, order);
}

/**
 * Lets `claim` decide first when a signal comes. Claims are asked in the order terminal, drain, children, newest first;
 * the first `true` keeps the process alive, asks nobody but its fellow drains, and makes its owner responsible for the
 * exit code.
 *
 * @param signal Which signal.
 * @param claim Returns whether it took the signal.
 * @param order Whose turn it is.
 * @returns Gives the claim back.
 * @throws TypeError – an argument of the wrong type.
 */
export function claimSignal(signal: EndSignal, claim: SignalClaim, order: EndOrder): Releasable {
  return ofThisProcess().claimSignal(signal, claim, order);
}

/**
 * Ends this process the way the signal would have: every hook, then the signal again, so the exit code is 128+n. For an
 * owner of a claim that has finished what it kept the process alive for.
 *
 * @param signal The signal that was claimed.
 */
export function endProcess(signal: EndSignal): void {
  ofThisProcess().endProcess(signal);
}

/**
 * Hears a signal of job control. Who listens to SIGTSTP keeps it from stopping the process.
 *
 * @param signal Which one; none of them comes on Windows.
 * @param fn Called for each.
 * @returns Takes the listener off.
 */
export function onJobSignal(signal: JobSignal, fn: () => void): Releasable {
  return ofThisProcess().onJobSignal(signal, fn);
}
