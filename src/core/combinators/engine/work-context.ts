/**
 * What a piece of work is handed: its token, and the four things it may say while it runs.
 *
 * @module
 */
import { isObject, requireFunction, requireMs } from '../../foundation/check.ts';
import type { CancellationToken } from '../../token/cancellation-token.ts';
import type { Token } from '../../token/token.ts';
import { checkpoint } from '../checkpoint.ts';

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
  /** Says that something moved: feeds the idle limit. With `idleMs` it sets the limit from here on; `Infinity` for none. */
  readonly progress: {
    (options?: { readonly idleMs?: number | undefined }): void;
    /** Hand it over as a listener: what an event brings is not looked at. */
    (...event: readonly unknown[]): void;
  };
  /**
   * Runs what must not be cut in half: refuses to start once cancelled, and once inside runs to its end, also while the
   * stop waits. The stop waits for it at most `limitMs`, 30,000 by default; then, and after a kill, the work is left
   * behind and its effect is unknown.
   *
   * @checkpoint always, before; never after
   */
  readonly commit: <T>(fn: () => T | Promise<T>, options?: { readonly limitMs?: number | undefined }) => Promise<T>;
}

/** What the context needs of the work it belongs to. */
export interface ContextHost {
  readonly token: Token;
  graceToken(): CancellationToken;
  progress(idleMs?: number): void;
  enterCommit(limitMs?: number): void;
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

  get progress(): CancelContext['progress'] {
    const host = this.#host;
    return (options?: unknown) => {
      // Not everything that calls it means to hand something over: `stream.on('data', progress)`.
      const idleMs: unknown = isObject(options) ? (options as { readonly idleMs?: unknown }).idleMs : undefined;
      host.progress(idleMs === undefined ? undefined : requireMs('idleMs', idleMs, 'infinity-allowed'));
    };
  }

  get commit(): CancelContext['commit'] {
    const host = this.#host;
    return (fn, options) => commit(host, fn, options);
  }
}

const workMembers = /* @__PURE__ */ WorkContext.members(WorkContext);

/** What a piece of work is handed. */
export function workContext(host: ContextHost): CancelContext {
  return new Proxy<CancelContext>(new WorkContext(host), workMembers);
}

/** How long a stop waits for a commit that was given no limit. */
const COMMIT_LIMIT_MS = 30_000;

async function commit<T>(
  host: ContextHost,
  fn: () => T | Promise<T>,
  options: { readonly limitMs?: number | undefined } = {},
): Promise<T> {
  requireFunction('commit(fn)', fn);
  const limitMs = requireMs('limitMs', options.limitMs ?? COMMIT_LIMIT_MS, 'infinity-allowed');
  // Also a limit that no timer could report yet: a loop that never yields must not commit after its end.
  checkpoint(host.token);
  host.enterCommit(limitMs);
  let done: { readonly value: T } | undefined;
  try {
    done = { value: await fn() };
    return done.value;
  } finally {
    host.leaveCommit(done);
  }
}
