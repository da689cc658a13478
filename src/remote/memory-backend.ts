/**
 * The engine inside this process: for one process, for tests, and as the meaning of the port.
 *
 * Invariants: what the port promises of an engine, to the letter; nobody is woken inside the call that wakes.
 *
 * @module
 */
import { requireMs, requireOptions, type OptionNames } from '../core/foundation/check.ts';
import { systemClock, type Clock } from '../core/foundation/clock.ts';
import type { StopBackend, StopBackendEvents, StopConnection, StopPull, StopReading, StopSwap } from './backend.ts';

/**
 * Options of {@link memoryBackend}.
 *
 * @since 0.1.0
 */
export interface MemoryBackendOptions {
  /** Whose time records and leases are kept by; the computer's by default. */
  readonly clock?: Clock | undefined;
  /** The shortest lease, in milliseconds; 1,000 by default. */
  readonly minLeaseMs?: number | undefined;
}

const names: OptionNames<MemoryBackendOptions> = { clock: 1, minLeaseMs: 1 };

interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

/** How many swaps go by before what has expired is looked for. */
const SWEEP_EVERY = 1_000;

/** What all nodes share. */
class MemoryEngine {
  readonly #clock: Clock;
  readonly #records = new Map<string, Kept<string>>();
  readonly #leases = new Map<string, Kept<string>>();
  readonly inboxes = new Map<string, Set<string>>();
  readonly groups = new Map<string, Set<string>>();
  readonly listeners = new Map<string, StopBackendEvents>();
  #swaps = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  read(runId: string): string | undefined {
    return this.#get(this.#records, runId);
  }

  lease(node: string): string | undefined {
    return this.#get(this.#leases, node);
  }

  hold(node: string, mark: string, ms: number): void {
    this.#leases.set(node, { value: mark, until: this.now() + ms });
  }

  write(runId: string, value: string, ms: number): void {
    this.#records.set(runId, { value, until: this.now() + ms });
    if (++this.#swaps % SWEEP_EVERY === 0) for (const id of this.#records.keys()) this.read(id);
  }

  /** A lease and what was to be told to its node. */
  drop(node: string): void {
    this.#leases.delete(node);
    this.inboxes.delete(node);
  }

  /** The runs of an inbox or of a group, with their records; those that have none any more leave it. */
  listed(lists: Map<string, Set<string>>, name: string): StopPull['pending'] {
    const found: { runId: string; value: string }[] = [];
    for (const runId of lists.get(name) ?? []) {
      const value = this.read(runId);
      if (value === undefined) unlist(lists, name, runId);
      else found.push({ runId, value });
    }
    return found;
  }

  wake(nodes: readonly string[], runId: string, value: string): void {
    for (const node of nodes) {
      queueMicrotask(() => this.listeners.get(node)?.wake(runId, value));
    }
  }

  #get(map: Map<string, Kept<string>>, key: string): string | undefined {
    const kept = map.get(key);
    if (kept === undefined || kept.until > this.now()) return kept?.value;
    map.delete(key);
    return undefined;
  }
}

function list(lists: Map<string, Set<string>>, name: string, runId: string): void {
  lists.set(name, (lists.get(name) ?? new Set()).add(runId));
}

function unlist(lists: Map<string, Set<string>>, name: string, runId: string): void {
  const listed = lists.get(name);
  listed?.delete(runId);
  if (listed?.size === 0) lists.delete(name);
}

class MemoryConnection implements StopConnection {
  readonly #engine: MemoryEngine;
  readonly #node: string;
  readonly #events: StopBackendEvents;

  constructor(engine: MemoryEngine, node: string, events: StopBackendEvents) {
    this.#engine = engine;
    this.#node = node;
    this.#events = events;
  }

  read(runId: string): Promise<StopReading> {
    return Promise.resolve({ value: this.#engine.read(runId), now: this.#engine.now() });
  }

  swap(change: StopSwap): ReturnType<StopConnection['swap']> {
    const { runId, from, to, ttlMs, inboxes, hints, handled, joins = [], leaves = [] } = change;
    const engine = this.#engine;
    const value = engine.read(runId);
    if (value !== from) return Promise.resolve({ swapped: false, value, now: engine.now() });
    engine.write(runId, to, ttlMs);
    if (handled) unlist(engine.inboxes, this.#node, runId);
    for (const group of leaves) unlist(engine.groups, group, runId);
    for (const group of joins) list(engine.groups, group, runId);
    for (const node of inboxes) list(engine.inboxes, node, runId);
    engine.wake([...new Set([...inboxes, ...hints])], runId, to);
    return Promise.resolve({ swapped: true });
  }

  pull(leaseMs: number, mark: string): Promise<StopPull> {
    const engine = this.#engine;
    const previous = engine.lease(this.#node);
    engine.hold(this.#node, mark, leaseMs);
    const pending = engine.listed(engine.inboxes, this.#node);
    return Promise.resolve({ previous, pending, now: engine.now() });
  }

  renew(runIds: readonly string[], ttlMs: number): Promise<readonly (string | undefined)[]> {
    const values = runIds.map((runId) => {
      const value = this.#engine.read(runId);
      if (value !== undefined) this.#engine.write(runId, value, ttlMs);
      return value;
    });
    return Promise.resolve(values);
  }

  list(group: string): ReturnType<StopConnection['list']> {
    return Promise.resolve({ runs: this.#engine.listed(this.#engine.groups, group), ageMs: Infinity });
  }

  alive(nodes: readonly string[]): Promise<readonly boolean[]> {
    return Promise.resolve(nodes.map((node) => this.#engine.lease(node) !== undefined));
  }

  listen(): Promise<void> {
    this.#engine.listeners.set(this.#node, this.#events);
    return Promise.resolve();
  }

  reset(): void {
    queueMicrotask(() => this.#events.resync());
  }

  close(release: boolean): Promise<void> {
    this.#engine.listeners.delete(this.#node);
    if (release) this.#engine.drop(this.#node);
    return Promise.resolve();
  }
}

/**
 * Carries stops inside this process: every bus that is opened on the same backend shares its records. For one process, and
 * for tests of what runs on several.
 *
 * @cleanup Nothing to release: it holds no timer.
 * @param options Whose time to keep; the shortest lease in milliseconds.
 * @returns A backend for `openStopBus`.
 * @throws TypeError, RangeError – a time that is none.
 * @example
 * ```ts
 * import { memoryBackend, openStopBus } from 'desist/remote'
 * import { SessionRegistry } from 'desist/sessions'
 *
 * const backend = memoryBackend()
 * const [a, b] = [await openStopBus(backend), await openStopBus(backend)]
 * const [front, worker] = [new SessionRegistry({ bus: a }), new SessionRegistry({ bus: b })]
 * const turn = worker.open('chat-7').controller.runTurn(({ token }) => token.whenCancelled())
 * const { status } = await front.cancel('chat-7', 'user', { wait: 'settled' })
 * status // => 'settled'
 * await Promise.all([a.close(), b.close()])
 * ```
 * @since 0.1.0
 */
export function memoryBackend(options: MemoryBackendOptions = {}): StopBackend {
  requireOptions(options, names);
  const minLeaseMs = requireMs('minLeaseMs', options.minLeaseMs ?? 1_000, 'finite');
  const engine = new MemoryEngine(options.clock ?? systemClock);
  return {
    name: 'memory',
    caps: { durability: 'process', push: true, minLeaseMs },
    connect: (node, events) => Promise.resolve(new MemoryConnection(engine, node, events)),
  };
}
