/**
 * Objects whose members are made when they are read, each once, and count as fields of their own all the same. Contexts
 * and turns are made for every call and read in one or two members; but people take them apart, copy them, and hand them
 * as a whole to a client that looks for a `signal` among its options.
 *
 * A proxy, because defining two accessors on an object takes as long as everything else that a call needs.
 *
 * @module
 */

/** One function for each member: makes it from what the object stands for. */
export type MemberTable<H, C extends object> = { readonly [K in keyof C]-?: (host: H) => C[K] };

/** One function that was read; a list of them, because few are and a table costs more than all of them. */
interface Made {
  readonly name: PropertyKey;
  readonly value: unknown;
  readonly next: Made | undefined;
}

interface Lazy<H> {
  readonly host: H;
  made: Made | undefined;
}

/**
 * Turns a table of members into a function that makes such an object for a host. A member that is a function is bound by
 * its table and keeps its identity; every other member is read anew each time. The table is a function, because a
 * bundler keeps an object that is spread into another, and with it all that its members use.
 */
export function lazyMembers<H, C extends object>(table: () => MemberTable<H, C>): (host: H) => C {
  const members = table();
  const makers: ReadonlyMap<PropertyKey, (host: H) => unknown> = new Map(
    (Reflect.ownKeys(members) as (keyof C)[]).map((name) => [name, members[name]]),
  );
  const read = (lazy: Lazy<H>, name: PropertyKey): unknown => {
    for (let made = lazy.made; made !== undefined; made = made.next) if (made.name === name) return made.value;
    const make = makers.get(name);
    if (make === undefined) return (Object.prototype as unknown as Record<PropertyKey, unknown>)[name];
    const value = make(lazy.host);
    if (typeof value === 'function') lazy.made = { name, value, next: lazy.made };
    return value;
  };
  const handler: ProxyHandler<Lazy<H>> = {
    get: read,
    has: (_lazy, name) => makers.has(name) || name in Object.prototype,
    ownKeys: () => [...makers.keys()] as string[],
    getOwnPropertyDescriptor: (lazy, name) =>
      makers.has(name) ? { get: () => read(lazy, name), enumerable: true, configurable: true } : undefined,
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
    preventExtensions: () => false,
  };
  return (host) => new Proxy<Lazy<H>>({ host, made: undefined }, handler) as unknown as C;
}
