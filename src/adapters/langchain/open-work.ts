/**
 * The functions that a runnable is made of, heard while they run. LangChain races them against the signal and leaves them
 * with the stop: to whoever called the runnable they look as if they had ended.
 *
 * Invariants: none begins after the stop; what LangChain left is waited for here, and an iterator that it left is closed.
 *
 * @module
 */
import { isObject, isThenable, type CancellationToken } from '../../core/inside.ts';
import { isGuarded } from './runnable.ts';

/** LangChain's own classes that are made of functions and of other runnables, by the names that it traces them by. */
const composed = new Set([
  'RunnableLambda',
  'RunnableSequence',
  'RunnableMap',
  'RunnableBinding',
  'RunnableRetry',
  'RunnableEach',
  'RunnableAssign',
  'RunnableBranch',
  'RunnableWithFallbacks',
]);

type Call = (...args: unknown[]) => unknown;

/** What the functions of one run still do. */
export class OpenWork {
  readonly #token: CancellationToken;
  readonly #pending = new Set<PromiseLike<unknown>>();
  readonly #iterators = new Set<AsyncIterator<unknown>>();

  /** @param token Of the run. */
  constructor(token: CancellationToken) {
    this.#token = token;
  }

  /** The same runnable, of which each function is heard; itself if it is not made of any. */
  heard<R>(runnable: R): R {
    if (!isObject(runnable) || !isComposed(runnable)) return runnable;
    const fields = Object.getOwnPropertyDescriptors(runnable) as Record<string, PropertyDescriptor>;
    for (const [name, field] of Object.entries(fields)) {
      if ('value' in field) fields[name] = { ...field, value: this.#heardField(name, field.value) };
    }
    return Object.create(Object.getPrototypeOf(runnable) as object, fields) as R;
  }

  /** Resolves once nothing runs any more that was told to stop. */
  async ended(): Promise<void> {
    while (this.#token.isCancelled) {
      for (const iterator of this.#iterators) void this.#add(iterator.return?.());
      this.#iterators.clear();
      if (this.#pending.size === 0) return;
      await Promise.allSettled(this.#pending);
    }
  }

  #heardField(name: string, value: unknown): unknown {
    if (name === 'func' && typeof value === 'function') return this.#heardFunction(value as Call);
    return this.#heardParts(value);
  }

  /** Steps are in lists, in lists of pairs, or by name. */
  #heardParts(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((part: unknown) => this.#heardParts(part));
    if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return this.heard(value);
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, this.heard(part as unknown)]));
  }

  #heardFunction(call: Call): Call {
    return (...args) => {
      this.#token.throwIfCancelled();
      const result = call(...args);
      if (!isThenable(result)) return this.#heardResult(result);
      return this.#add(result.then((value) => this.#heardResult(value)));
    };
  }

  /** A function may return another runnable, which is run, or an iterable, which is read. */
  #heardResult(result: unknown): unknown {
    const { [Symbol.asyncIterator]: open } = (isObject(result) ? result : {}) as Partial<AsyncIterable<unknown>>;
    if (open === undefined) return this.heard(result);
    const iterator = open.call(result);
    this.#iterators.add(iterator);
    const heard: AsyncIterableIterator<unknown> = {
      next: () => this.#add(iterator.next()),
      return: () => {
        this.#iterators.delete(iterator);
        return this.#add(iterator.return?.() ?? { done: true as const, value: undefined });
      },
      [Symbol.asyncIterator]: () => heard,
    };
    return heard;
  }

  #add<T>(begun: T | PromiseLike<T>): Promise<T> {
    const work = Promise.resolve(begun);
    this.#pending.add(work);
    const end = (): void => {
      this.#pending.delete(work);
    };
    work.then(end, end);
    return work;
  }
}

/** Whether it is of one of those classes itself: what a subclass keeps to itself does not come along in a copy. */
function isComposed(runnable: object): boolean {
  const made = runnable.constructor as { lc_name?: () => unknown };
  return Object.hasOwn(made, 'lc_name') && composed.has(String(made.lc_name?.())) && !isGuarded(runnable);
}
