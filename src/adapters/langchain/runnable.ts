/**
 * What a runnable of LangChain is, as far as a stop concerns it, and a copy of one with other ways to run.
 * In the adapter's room; typed by structure: `invoke` and a config with a signal are all it takes.
 *
 * Invariant: the copy is the runnable to everybody else – same class, same fields – and whatever it makes of itself
 * (`bindTools`, `withConfig`, `pipe`, `batch`) runs in the new way too.
 *
 * @module
 */
import { show } from '../../core/foundation/check.ts';
import type { TokenLike } from '../../core/token/handles.ts';
import { CancellationToken } from '../../core/token/token.ts';

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
}

/** The ways to run that replace a runnable's own. */
export interface Ways {
  readonly invoke: (input: unknown, config?: RunConfig) => Promise<unknown>;
  readonly _streamIterator: (input: unknown, config?: RunConfig) => AsyncGenerator<unknown, void>;
}

/** @throws TypeError – nothing in it can be invoked. */
export function requireRunnable(what: string, value: unknown): void {
  const { invoke } = (typeof value === 'object' && value !== null ? value : {}) as { readonly invoke?: unknown };
  if (typeof invoke !== 'function') throw new TypeError(`${what} must be a runnable of LangChain, got ${show(value)}`);
}

/** What one run hears: the turn, and the signal of its config. */
export function tokenOfRun(turn: TokenLike | undefined, config: RunConfig | undefined): CancellationToken {
  return CancellationToken.any(turn, config?.signal);
}

/** The copy; methods are called on it, so that what they call is replaced as well. */
export function withWays<R extends object>(runnable: R, ways: Ways): R {
  const batch = (
    inputs: readonly unknown[],
    options?: RunConfig | readonly RunConfig[],
    settings?: BatchSettings,
  ): Promise<unknown[]> => batchOf(ways, inputs, options, settings);
  const own = { ...ways, batch };
  return new Proxy(runnable, {
    get: (target, name, self): unknown =>
      Object.hasOwn(own, name) ? Reflect.get(own, name) : Reflect.get(target, name, self),
  });
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
