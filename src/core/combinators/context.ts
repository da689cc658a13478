/**
 * What a piece of work is handed: its token, and the four things it may say while it runs.
 * On storey 1b beside `work.ts`, which it talks to through a port.
 *
 * @module
 */
import { requireFunction } from '../foundation/check.ts';
import type { CancellationToken } from '../token/handles.ts';
import type { Token } from '../token/source.ts';
import { checkpoint } from './checkpoint.ts';

/**
 * What work under a token is given. Every function is bound and every member a field of its own: take the object apart,
 * copy it, or hand it as a whole to a client that looks for a `signal` in its options.
 *
 * @since 0.1.0
 */
export interface CancelContext {
  /** A fresh child of the caller's token, released when the work ends. */
  readonly token: CancellationToken;
  /** `token.signal`, made when first read. */
  readonly signal: AbortSignal;
  /** Live while clean-up is allowed: cancelled when the grace is over. Give it to what must still happen after a stop. */
  readonly graceToken: CancellationToken;
  /**
   * Throws if it is time to stop; also when a deadline has passed that no timer could report yet.
   *
   * @checkpoint always
   */
  readonly checkpoint: () => void;
  /** Says that something moved: feeds the idle limit. */
  readonly progress: () => void;
  /**
   * Runs what must not be cut in half: refuses to start once cancelled, and once inside runs to its end, however long
   * the stop has to wait. Only a kill waits no longer than one grace more.
   *
   * @checkpoint always, before; never after
   */
  readonly commit: <T>(fn: () => T | Promise<T>) => Promise<T>;
}

/** What the context needs of the work it belongs to. */
export interface ContextHost {
  readonly token: Token;
  graceToken(): CancellationToken;
  progress(): void;
  enterCommit(): void;
  leaveCommit(value: { readonly value: unknown } | undefined): void;
}

/**
 * Every member is made when it is read, once: most work reads one or two. Each counts as a field of the context's own
 * all the same ({@link WorkContext.members}), for a context is handed on: a client that copies the options it is given
 * must find the signal among them. Subclasses add getters.
 */
export class WorkContext implements CancelContext {
  static readonly #read = (context: WorkContext, name: PropertyKey): unknown => {
    const known = context.#bound?.get(name);
    if (known !== undefined) return known;
    const value = (context as unknown as Readonly<Record<PropertyKey, unknown>>)[name];
    if (typeof value === 'function') (context.#bound ??= new Map()).set(name, value);
    return value;
  };
  readonly #host: ContextHost;
  /** The functions that were read. */
  #bound: Map<PropertyKey, unknown> | undefined;

  constructor(host: ContextHost) {
    this.#host = host;
  }

  /**
   * Shows the getters of a class of contexts as fields of each context. For a proxy, because to define two accessors on
   * an object takes as long as all else that a call needs.
   */
  static members(type: { readonly prototype: WorkContext }): ProxyHandler<object> {
    const names = new Set<PropertyKey>();
    for (
      let proto: object = type.prototype;
      proto !== Object.prototype;
      proto = Object.getPrototypeOf(proto) as object
    ) {
      // Nothing but getters, and the class itself.
      for (const name of Object.getOwnPropertyNames(proto)) if (name !== 'constructor') names.add(name);
    }
    // Never with the proxy for `this`: it has no private fields.
    const read = WorkContext.#read;
    return {
      get: read,
      ownKeys: (context) => [...names, ...Reflect.ownKeys(context)] as string[],
      getOwnPropertyDescriptor: (context: WorkContext, name) =>
        names.has(name)
          ? { get: () => read(context, name), enumerable: true, configurable: true }
          : Reflect.getOwnPropertyDescriptor(context, name),
    };
  }

  get token(): CancellationToken {
    return this.#host.token;
  }

  get signal(): AbortSignal {
    return this.#host.token.signal;
  }

  get graceToken(): CancellationToken {
    return this.#host.graceToken();
  }

  get checkpoint(): () => void {
    const { token } = this.#host;
    return () => {
      checkpoint(token);
    };
  }

  get progress(): () => void {
    const host = this.#host;
    return () => {
      host.progress();
    };
  }

  get commit(): CancelContext['commit'] {
    const host = this.#host;
    return (fn) => commit(host, fn);
  }
}

const workMembers = WorkContext.members(WorkContext);

/** What a piece of work is handed. */
export function workContext(host: ContextHost): CancelContext {
  return new Proxy<CancelContext>(new WorkContext(host), workMembers);
}

async function commit<T>(host: ContextHost, fn: () => T | Promise<T>): Promise<T> {
  requireFunction('commit(fn)', fn);
  // Also a limit that no timer could report yet: a loop that never yields must not commit after its end.
  checkpoint(host.token);
  host.enterCommit();
  let done: { readonly value: T } | undefined;
  try {
    done = { value: await fn() };
    return done.value;
  } finally {
    host.leaveCommit(done);
  }
}
