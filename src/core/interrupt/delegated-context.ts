/**
 * The context of a piece of work, handed on by somebody who adds to it.
 * In the interrupt room below the contexts of model and tool calls.
 *
 * Invariants: every member is bound, and made when it is read: most work reads one or two of a dozen. Each counts as a
 * field of the context's own all the same, so that a context can be spread into a framework's options.
 *
 * @module
 */
import type { CancelContext } from '../combinators/context.ts';
import type { CancellationToken } from '../token/handles.ts';
import type { CancelTurn } from './run-operation.ts';

/** Passes everything on; subclasses add getters for what is theirs. */
export class DelegatedContext implements CancelContext {
  readonly #context: CancelContext;
  readonly #cancelTurn: CancelTurn;

  constructor(context: CancelContext, cancelTurn: CancelTurn) {
    this.#context = context;
    this.#cancelTurn = cancelTurn;
  }

  get token(): CancellationToken {
    return this.#context.token;
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }

  get graceToken(): CancellationToken {
    return this.#context.graceToken;
  }

  get checkpoint(): () => void {
    return this.#context.checkpoint;
  }

  get progress(): () => void {
    return this.#context.progress;
  }

  get commit(): CancelContext['commit'] {
    return this.#context.commit;
  }

  get cancelTurn(): CancelTurn {
    return this.#cancelTurn;
  }
}

/**
 * Shows the getters of a class of contexts as fields of each context. For a proxy, because to define two accessors on
 * an object takes longer than everything else about it.
 */
export function membersOf(type: { readonly prototype: DelegatedContext }): ProxyHandler<object> {
  const names = new Set<PropertyKey>();
  for (let proto: object = type.prototype; proto !== Object.prototype; proto = Object.getPrototypeOf(proto) as object) {
    const members = Object.entries(Object.getOwnPropertyDescriptors(proto));
    for (const [name, member] of members) if ('get' in member) names.add(name);
  }
  // Not with the proxy for `this`: it has no private fields.
  const read = (context: object, name: PropertyKey): unknown => (context as Record<PropertyKey, unknown>)[name];
  return {
    get: read,
    ownKeys: (context) => [...names, ...Reflect.ownKeys(context)] as string[],
    getOwnPropertyDescriptor: (context, name) =>
      names.has(name)
        ? { get: () => read(context, name), enumerable: true, configurable: true }
        : Reflect.getOwnPropertyDescriptor(context, name),
  };
}
