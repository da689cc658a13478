/**
 * Marks on classes by which every copy of the package recognises what another one made: an application may load the
 * package twice, as ES module and as CommonJS or in two versions.
 *
 * @module
 */
import { isObject } from './check.ts';

/** Where a turn keeps what records the loop of a framework in its conversation. */
export const recorderKey: unique symbol = Symbol.for('desist.loopRecorder') as never;

/** Where the context of a model call keeps how no message cuts it. */
export const holdKey: unique symbol = Symbol.for('desist.holdMessages') as never;

/** A class, as far as it matters here. */
interface Class {
  readonly prototype: object;
}

/** Whether a value bears a mark with this value; what cannot be read, such as a revoked proxy, bears none. */
export function hasBrand(value: unknown, brand: symbol, wanted: unknown = true): boolean {
  try {
    return isObject(value) && (value as Readonly<Record<symbol, unknown>>)[brand] === wanted;
  } catch {
    return false;
  }
}

/**
 * Puts members on the prototype of a class that are not enumerable, such as its mark, and returns the class. Pairs, and a
 * call of its own: bundlers keep a class whose body computes a key, and esbuild also one beside an object that does.
 */
export function defineHidden<T extends Class>(type: T, members: readonly (readonly [PropertyKey, unknown])[]): T {
  for (const [key, value] of members) {
    // Writable, as a class's own members are: some libraries write over the name of an error.
    Object.defineProperty(type.prototype, key, { value, writable: true, configurable: true });
  }
  return type;
}

/** Makes `instanceof` go by a mark. Of a subclass it asks in the ordinary way: the mark does not tell them apart. */
export function recognise<T extends Class>(type: T, isInstance: (value: unknown) => boolean): T {
  const ordinary = Function.prototype[Symbol.hasInstance];
  return Object.defineProperty(type, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      return this === type ? isInstance(value) : ordinary.call(this as () => void, value);
    },
  });
}

/**
 * State that all copies of the package in a process share whose nodes have the same layout, under a registered symbol
 * of the global object.
 *
 * @throws TypeError – something else stands there, so that nothing could be cancelled safely.
 */
export function shared<T extends object>(
  what: string,
  layout: number,
  make: () => T,
  isRight: (found: Partial<T>) => boolean,
): T {
  const name = `desist.${what}.${String(layout)}`;
  const key = Symbol.for(name) as unknown as 'shared';
  const host = globalThis as { shared?: Partial<T> };
  const found: unknown = (host[key] ??= make());
  if (isObject(found) && isRight(found)) return found as T;
  throw new TypeError(`globalThis[Symbol.for('${name}')] belongs to desist, and holds something else`);
}
