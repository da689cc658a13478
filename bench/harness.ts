/**
 * Measures ways of doing one thing against each other, in one process, round by round.
 *
 * Only ratios of the same round are compared, so that a busy machine or a warm turbo slows both sides alike. Time is
 * the CPU time of the process, collector threads included: garbage is paid for by whoever makes it.
 *
 * @module
 */
import { debuglog } from 'node:util';

/** `NODE_DEBUG=bench` shows what the ratios are made of. */
const trace = debuglog('bench');

/** One way of doing the thing that is measured. */
export interface Contender<S = unknown> {
  /** Builds what `count` operations need; not measured. What it builds survives a full collection before the batch. */
  readonly prepare?: ((count: number) => S) | undefined;
  /** Does the thing `count` times. */
  readonly run: (count: number, state: S) => void | Promise<void>;
  /** The most operations in one batch, where each leaves something behind. */
  readonly most?: number | undefined;
}

/** How much patience a run has. */
export interface Effort {
  readonly rounds: number;
  /** CPU time of one batch in milliseconds. */
  readonly batchMs: number;
  /** Scales the workloads whose size is part of the claim; 1 for the sizes of the table. */
  readonly scale: number;
}

export const fullEffort: Effort = { rounds: 9, batchMs: 30, scale: 1 };
export const quickEffort: Effort = { rounds: 5, batchMs: 5, scale: 0.1 };

/** Types a contender by what it prepares. */
export function contender<S>(of: Contender<S>): Contender {
  return of as Contender;
}

/** The middle one, or the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const sink: { value: unknown } = { value: undefined };

/** Lets a value escape, so that the compiler cannot leave out what made it. */
export function keep(value: unknown): void {
  sink.value = value;
}

function collect(type: 'major' | 'minor'): void {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('run node with --expose-gc');
  gc({ type });
}

/** Collects everything, and lets finalizers and late events run. */
export async function settle(): Promise<void> {
  collect('major');
  await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Between two batches. A full collection would do more than clear the table: compiled code dies with the last instance
 * of what it was compiled for, and each batch would pay for compiling again.
 */
async function sweep(): Promise<void> {
  collect('minor');
  await new Promise((resolve) => setImmediate(resolve));
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** What a comparison found. */
export class Timings<K extends string> {
  readonly #nanos: Readonly<Record<K, readonly number[]>>;

  constructor(nanos: Readonly<Record<K, readonly number[]>>) {
    this.#nanos = nanos;
  }

  /** Nanoseconds of one operation. */
  nanos(name: K): number {
    return median(this.#nanos[name]);
  }

  /** How many times as long `name` takes as `than` does. */
  ratio(name: K, than: K): number {
    const others = this.#nanos[than];
    return median(this.#nanos[name].map((nanos, round) => nanos / others[round]!));
  }

  /** Nanoseconds that `name` takes beyond the sum of the others. */
  beyond(name: K, ...others: readonly K[]): number {
    return median(
      this.#nanos[name].map((nanos, round) => others.reduce((left, other) => left - this.#nanos[other][round]!, nanos)),
    );
  }
}

async function batch(one: Contender, count: number): Promise<number> {
  const state = one.prepare?.(count);
  if (one.prepare === undefined) await sweep();
  else await settle();
  const before = cpuMicros();
  const pending = one.run(count, state);
  if (pending !== undefined) await pending;
  return cpuMicros() - before;
}

/** Finds how many operations fill a batch, and warms the code up on the way: twice, for cold code counts too few. */
async function calibrate(one: Contender, batchMs: number): Promise<number> {
  const most = one.most ?? Infinity;
  // From one, for one operation may fill more than a batch.
  let count = 1;
  let filled = 0;
  for (;;) {
    const micros = await batch(one, count);
    if (micros >= batchMs * 900 && ++filled === 3) return count;
    if (count >= most && ++filled >= 3) return most;
    const wanted = micros < 200 ? count * 8 : (count * batchMs * 1000) / micros;
    count = Math.min(most, Math.max(count, Math.ceil(Math.min(wanted, count * 8))));
  }
}

/** Runs the contenders against each other; the first of a round changes from round to round. */
export async function compare<K extends string>(
  effort: Effort,
  contenders: Readonly<Record<K, Contender>>,
): Promise<Timings<K>> {
  const names = Object.keys(contenders) as K[];
  const counts = {} as Record<K, number>;
  const nanos = {} as Record<K, number[]>;
  await settle();
  for (const name of names) {
    nanos[name] = [];
    counts[name] = await calibrate(contenders[name], effort.batchMs);
  }
  for (let round = -1; round < effort.rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + 1) % names.length]!;
      const micros = await batch(contenders[name], counts[name]);
      if (round >= 0) nanos[name].push((micros * 1000) / counts[name]);
    }
  }
  for (const name of names) {
    trace('%s %s ns, %d a batch', name, nanos[name].map((value) => value.toFixed(1)).join(' '), counts[name]);
  }
  return new Timings(nanos);
}

/** Bytes on the heap, when everything that can go has gone. */
export async function heapUsed(): Promise<number> {
  await settle();
  await settle();
  return process.memoryUsage().heapUsed;
}

/** Bytes that one operation allocates, whether they stay or not; few enough operations that nothing is collected between. */
export async function allocatedEach(one: Contender, count = 50): Promise<number> {
  const found: number[] = [];
  for (let round = 0; round < 30; round++) {
    const state = one.prepare?.(count);
    await sweep();
    const before = process.memoryUsage().heapUsed;
    await one.run(count, state);
    found.push((process.memoryUsage().heapUsed - before) / count);
  }
  // A collection in the middle shows as too little.
  return Math.round(median(found));
}

/** Bytes on the heap that each of many values holds, as long as they are held. */
export async function bytesEach(make: (index: number) => unknown, count = 100_000): Promise<number> {
  const found: number[] = [];
  for (let round = 0; round < 5; round++) {
    // What the last round left in the sink would be collected in the middle of this one.
    keep(undefined);
    const held = new Array<unknown>(count).fill(undefined);
    const before = await heapUsed();
    for (let index = 0; index < count; index++) held[index] = make(index);
    found.push(((await heapUsed()) - before) / count);
    if (held.length !== count) throw new Error('held to the end');
  }
  trace('bytes %s', found.map((value) => value.toFixed(2)).join(' '));
  // An object is whole words of eight bytes; what is beside them is the collector's own book-keeping.
  return Math.round(median(found) / 8) * 8;
}
