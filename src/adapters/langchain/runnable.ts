/**
 * What a runnable of LangChain is, as far as a stop concerns it, and a copy of one with other ways to run.
 *
 * Invariant: the copy is the runnable to everybody else – same class, same fields – and whatever it makes of itself
 * (`bindTools`, `withConfig`, `pipe`, `batch`) runs in the new way too.
 *
 * @module
 */
import { CancellationToken, show, type TokenLike } from '../../core/inside.ts';

/**
 * A runnable of LangChain: a model, a chain, a tool, a compiled graph.
 *
 * @since 0.1.0
 */
export interface LangChainRunnable {
  /** Runs it once. */
  invoke(input: never, config?: never): PromiseLike<unknown>;
}

/** A config, as far as a stop concerns it. */
export interface RunConfig {
  readonly signal?: AbortSignal | undefined;
  readonly maxConcurrency?: number | undefined;
  readonly callbacks?: unknown;
}

/** How LangChain runs it. */
export interface Runs {
  invoke(input: unknown, config?: RunConfig): PromiseLike<unknown>;
  _streamIterator(input: unknown, config?: RunConfig): AsyncIterable<unknown>;
  transform(input: AsyncIterable<unknown>, config?: RunConfig): AsyncIterable<unknown>;
}

/** How LangChain runs a chat model where it takes neither of the two ways of a runnable. */
export interface ModelRuns extends Runs {
  generate(messages: unknown[][], options?: RunConfig, callbacks?: unknown): PromiseLike<unknown>;
  _streamChatModelEvents(messages: unknown[], options: RunConfig, ...rest: unknown[]): AsyncIterable<unknown>;
}

/** The ways to run that replace a runnable's own. */
export interface Ways {
  readonly invoke: (input: unknown, config?: RunConfig) => Promise<unknown>;
  readonly _streamIterator: (input: unknown, config?: RunConfig) => AsyncIterableIterator<unknown, void>;
  /** By default a runnable reads all of its input, and then streams as it does anyway. */
  readonly transform?: (input: AsyncIterable<unknown>, config?: RunConfig) => AsyncIterableIterator<unknown, void>;
  /** Of a chat model, in the newest major. */
  readonly _streamChatModelEvents?: ModelRuns['_streamChatModelEvents'];
}

/** Makes the ways to run of one runnable; called again for each copy that the runnable makes of itself. */
export type WaysOf = (original: object) => Ways;

/** Told of each method that is called and may make a copy. */
export type Heard = (name: string, args: readonly unknown[]) => void;

type Method = (...args: unknown[]) => unknown;

/** @throws TypeError – nothing in it can be invoked. */
export function requireRunnable(what: string, value: unknown): void {
  const { invoke } = (typeof value === 'object' && value !== null ? value : {}) as { readonly invoke?: unknown };
  if (typeof invoke !== 'function') throw new TypeError(`${what} must be a runnable of LangChain, got ${show(value)}`);
}

/** What one run hears: the turn, and the signal of its config. */
export function tokenOfRun(turn: TokenLike | undefined, config: RunConfig | undefined): CancellationToken {
  return CancellationToken.any(turn, config?.signal);
}

/** What asks a model: its class says so by this method, in both majors. */
export function isChatModel(value: unknown): boolean {
  return typeof (value as { readonly _generate?: unknown } | null | undefined)?._generate === 'function';
}

/** What a binding runs: a runnable with arguments that are given to each of its runs. */
export function boundOf(runnable: object): object | undefined {
  const { bound } = runnable as { readonly bound?: unknown };
  return typeof bound === 'object' && bound !== null && 'invoke' in bound ? bound : undefined;
}

/**
 * The copy; methods are called on it, so that what they call is replaced as well. A model that builds a new one from its
 * own settings, as `ChatOpenAI` does for `bindTools`, hands back a copy of that one.
 *
 * @param mark What the copy, and whatever it makes of itself, is known by; a field that is true.
 */
export function withWays<R extends object>(runnable: R, waysOf: WaysOf, heard?: Heard, mark?: symbol): R {
  return new Family(waysOf, heard, mark).member(runnable);
}

/** The copy of a binding whose runnable, rather than the binding itself, runs in the new ways. */
export function withBoundWays<R extends object>(
  binding: R,
  bound: object,
  waysOf: WaysOf,
  heard?: Heard,
  mark?: symbol,
): R {
  const family = new Family(waysOf, heard, mark);
  return family.copyOf(binding, { bound: family.member(bound) });
}

const guarded = new WeakSet();

/** Whether it is a copy with other ways to run. */
export function isGuarded(runnable: object): boolean {
  return guarded.has(runnable);
}

/** All copies that come of one: what is one of them already, also behind copies of other families, is not made one again. */
class Family {
  readonly #waysOf: WaysOf;
  readonly #heard: Heard | undefined;
  readonly #mark: symbol;

  constructor(waysOf: WaysOf, heard: Heard | undefined, mark = Symbol('family')) {
    this.#waysOf = waysOf;
    this.#heard = heard;
    this.#mark = mark;
  }

  /** The copy of a runnable with the new ways to run. */
  member<R extends object>(runnable: R): R {
    const ways = this.#waysOf(runnable);
    const batch = (
      inputs: readonly unknown[],
      options?: RunConfig | readonly RunConfig[],
      settings?: BatchSettings,
    ): Promise<unknown[]> => batchOf(ways, inputs, options, settings);
    return this.copyOf(runnable, { ...ways, batch });
  }

  /** A copy with some fields of its own. */
  copyOf<R extends object>(runnable: R, own: object): R {
    const makers = new Map<Method, Method>();
    const [heard, mark] = [this.#heard, this.#mark];
    const makerOf = (method: Method, name: string): Method => {
      const known = makers.get(method);
      if (known !== undefined) return known;
      const join = (made: object): object => this.member(made);
      const maker = function (this: unknown, ...args: unknown[]): unknown {
        heard?.(name, args);
        const made: unknown = Reflect.apply(method, this, args);
        return isCopyOf(made, runnable) && Reflect.get(made, mark) !== true ? join(made) : made;
      };
      makers.set(method, maker);
      return maker;
    };
    const copy = new Proxy(runnable, {
      get: (target, name, self): unknown => {
        if (name === mark) return true;
        if (Object.hasOwn(own, name)) return Reflect.get(own, name);
        const value: unknown = Reflect.get(target, name, self);
        // What begins with an underscore is compared by identity in the SDK, and makes no runnables.
        if (typeof value !== 'function' || typeof name !== 'string' || name.startsWith('_') || name === 'constructor')
          return value;
        return makerOf(value as Method, name);
      },
    });
    guarded.add(copy);
    return copy;
  }
}

/** Whether a method returned its own kind again: the same class, or a chat model of any. */
function isCopyOf(made: unknown, runnable: object): made is object {
  if (typeof made !== 'object' || made === null || typeof (made as Partial<Runs>).invoke !== 'function') return false;
  return made.constructor === runnable.constructor || (isChatModel(made) && isChatModel(runnable));
}

interface BatchSettings {
  readonly maxConcurrency?: number | undefined;
  readonly returnExceptions?: boolean | undefined;
}

/** LangChain's own hands the whole batch to a queue, which goes on starting after the stop. Here each item checks. */
async function batchOf(
  ways: Ways,
  inputs: readonly unknown[],
  options: RunConfig | readonly RunConfig[] | undefined,
  settings: BatchSettings = {},
): Promise<unknown[]> {
  const configOf = (index: number): RunConfig | undefined =>
    isList(options) ? (options[index] ?? options[0]) : options;
  const limit = configOf(0)?.maxConcurrency ?? settings.maxConcurrency ?? Infinity;
  const outputs: unknown[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < inputs.length) {
      const index = next++;
      const output = ways.invoke(inputs[index], configOf(index));
      outputs[index] =
        settings.returnExceptions === true ? await output.catch((error: unknown) => error) : await output;
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, inputs.length)) }, lane));
  return outputs;
}

function isList(options: RunConfig | readonly RunConfig[] | undefined): options is readonly RunConfig[] {
  return Array.isArray(options);
}
