/**
 * The context of one operation of a turn: that of work, and a way to stop the turn.
 * In the interrupt room below the contexts of model and tool calls, which add what is theirs.
 *
 * Invariants: every member is bound, and made when it is read, once: most work reads one or two of a dozen. Each counts
 * as a field of the context's own all the same, so that a context can be spread into a framework's options.
 *
 * @module
 */
import { checkpoint } from '../combinators/checkpoint.ts';
import { commit, type CancelContext, type ContextHost } from '../combinators/context.ts';
import type { CancellationToken } from '../token/handles.ts';
import type { CancelTurn } from './run-operation.ts';

/** Subclasses add getters. */
export class OperationContext implements CancelContext {
  static readonly #read = (context: OperationContext, name: PropertyKey): unknown => {
    const known = context.#bound?.get(name);
    if (known !== undefined) return known;
    const value = (context as unknown as Readonly<Record<PropertyKey, unknown>>)[name];
    if (typeof value === 'function') (context.#bound ??= new Map()).set(name, value);
    return value;
  };
  readonly #host: ContextHost;
  readonly #cancelTurn: CancelTurn;
  /** The functions that were read. */
  #bound: Map<PropertyKey, unknown> | undefined;

  constructor(host: ContextHost, cancelTurn: CancelTurn) {
    this.#host = host;
    this.#cancelTurn = cancelTurn;
  }

  /**
   * Shows the getters of a class of contexts as fields of each context. For a proxy, because to define two accessors on
   * an object takes longer than everything else about it.
   */
  static members(type: { readonly prototype: OperationContext }): ProxyHandler<object> {
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
    const read = OperationContext.#read;
    return {
      get: read,
      ownKeys: (context) => [...names, ...Reflect.ownKeys(context)] as string[],
      getOwnPropertyDescriptor: (context: OperationContext, name) =>
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

  get cancelTurn(): CancelTurn {
    return this.#cancelTurn;
  }
}
