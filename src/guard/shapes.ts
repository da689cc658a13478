/**
 * The same object with some of its methods replaced: its type, prototype, fields and getters stay.
 *
 * @module
 */
import { isObject } from '../core/foundation/check.ts';
import { madeOf } from './originals.ts';

/** Any method. */
export type Method = (...args: unknown[]) => unknown;

/** Calls in a method's place; `self` is the real object when it was called on the copy. */
export type Around = (method: Method, args: readonly unknown[], self: unknown) => unknown;

/** Whether a value has fields, functions included. */
export function hasFields(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** A function that goes through `around`, with whatever else hangs on it. */
export function replaceFunction<T extends Method>(fn: T, around: Around): T {
  return madeOf(new Proxy(fn, { apply: (_target, self, args) => around(fn, args, self) }), fn);
}

/**
 * An object whose named methods go through what is called in their place; `undefined` if it has none of them. Inside them, and
 * inside every other method and getter of an instance, `this` is the object itself: only it has its private fields.
 */
export function replaceMethods<T extends object>(
  object: T,
  arounds: Readonly<Record<PropertyKey, Around>>,
): T | undefined {
  const onObject = (method: Method, make: Around): Method =>
    replaceFunction(method, (own, args, self) => make(own, args, self === copy ? object : self));
  const replaced = new Map<PropertyKey, Method>();
  for (const name of Reflect.ownKeys(arounds)) {
    const [method, around] = [(object as Record<PropertyKey, unknown>)[name], arounds[name]];
    if (typeof method !== 'function' || around === undefined) continue;
    const own = onObject(method as Method, around);
    replaced.set(name, isDisposer(name) ? asFunction(own) : own);
  }
  if (replaced.size === 0) return undefined;
  const others = new WeakMap<Method, Method>();
  const other = (method: Method, name: PropertyKey): Method => {
    const own = others.get(method) ?? onObject(method, (fn, args, self) => Reflect.apply(fn, self, args));
    const given = isDisposer(name) ? asFunction(own) : own;
    others.set(method, given);
    return given;
  };
  const get = (_target: T, name: PropertyKey): unknown => {
    const own = replaced.get(name);
    if (own !== undefined) return own;
    const value: unknown = Reflect.get(object, name, object);
    const isInherited = typeof value === 'function' && name !== 'constructor' && !Object.hasOwn(object, name);
    return isInherited ? other(value as Method, name) : value;
  };
  const names = [...replaced.keys()];
  const isLiteral = isPlain(object) && names.every((name) => Object.hasOwn(object, name));
  // A proxy must tell of its target what cannot be changed as it is.
  const target = isLiteral || names.some((name) => isFixed(object, name)) ? plainCopy(object, replaced) : object;
  const copy: T = isLiteral ? target : new Proxy<T>(target, { get });
  return madeOf(copy, object);
}

/** The same with a method that it may not have had. What is added to a literal is one of its fields. */
export function withMethod<T extends object>(object: T, name: string, method: Method): T {
  const fields = new Map([[name, method]]);
  const get = (_target: T, key: PropertyKey): unknown => (key === name ? method : Reflect.get(object, key, object));
  return madeOf(isPlain(object) ? plainCopy(object, fields) : new Proxy(object, { get }), object);
}

/** Whether `using` looks for it. */
export function isDisposer(name: PropertyKey): boolean {
  return name === Symbol.asyncDispose || name === Symbol.dispose;
}

/** A function of its own: V8 takes no proxy of one for a disposer, and no bound one. */
function asFunction(method: Method): Method {
  return function (this: unknown, ...args) {
    return Reflect.apply(method, this, args);
  };
}

/** Whether an object has a field of its own that cannot be changed. */
function isFixed(object: object, name: PropertyKey): boolean {
  return Object.getOwnPropertyDescriptor(object, name)?.configurable === false;
}

/** Whether it is an object literal, of this realm or another. */
export function isPlain(object: object): boolean {
  const proto: unknown = Object.getPrototypeOf(object);
  return proto === null || isRoot(proto as object);
}

/** Whether it is the `Object.prototype` of a realm. */
function isRoot(proto: object): boolean {
  return Object.getPrototypeOf(proto) === null && Object.hasOwn(proto, 'isPrototypeOf');
}

/** What an object and its classes have; no getter is asked. */
export function membersOf(object: object): PropertyDescriptorMap {
  const proto = Object.getPrototypeOf(object) as object | null;
  const inherited = proto === null || isRoot(proto) ? {} : membersOf(proto);
  const { constructor: _constructor, ...own } = Object.getOwnPropertyDescriptors(object);
  return { ...inherited, ...own };
}

/** Can be spread, frozen and compared like the object itself, which may be frozen. */
export function plainCopy<T extends object>(object: T, replaced: ReadonlyMap<PropertyKey, unknown>): T {
  const fields: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(object);
  for (const [name, value] of replaced) {
    fields[name] = { value, enumerable: fields[name]?.enumerable ?? true, writable: true, configurable: true };
  }
  return Object.create(Object.getPrototypeOf(object) as object | null, fields) as T;
}

/** What is answered in the place of some fields. */
export type Answers = ReadonlyMap<string, unknown>;

/** The same literal with some fields answered otherwise: whatever else it holds stays, and what is written goes to it. */
function withFields(object: object, answers: Answers): object {
  const replaced = new Map<PropertyKey, unknown>(answers);
  // A proxy must tell of its target what cannot be changed as it is.
  const target = [...answers.keys()].some((name) => isFixed(object, name)) ? plainCopy(object, replaced) : object;
  return new Proxy(target, {
    get: (_target, name, self) =>
      replaced.has(name) ? replaced.get(name) : (Reflect.get(object, name, self) as unknown),
    has: (_target, name) => Reflect.has(object, name),
    ownKeys: () => Reflect.ownKeys(object),
    getOwnPropertyDescriptor: (_target, name) => {
      const own = Reflect.getOwnPropertyDescriptor(object, name);
      if (own === undefined || !replaced.has(name)) return own;
      return { value: replaced.get(name), enumerable: own.enumerable === true, writable: true, configurable: true };
    },
    defineProperty: (_target, name, own) => {
      const isWritten = Reflect.defineProperty(object, name, own);
      if (isWritten) replaced.delete(name);
      return isWritten;
    },
    deleteProperty: (_target, name) => {
      const isDeleted = Reflect.deleteProperty(object, name);
      if (isDeleted) replaced.delete(name);
      return isDeleted;
    },
  });
}

/** The data in the fields of a literal, by name. */
export type Data = readonly (readonly [string, unknown])[];

/** No getter is asked. */
function dataOf(literal: object): Data {
  const data: [string, unknown][] = [];
  for (const name of Object.getOwnPropertyNames(literal)) {
    const value: unknown = Reflect.getOwnPropertyDescriptor(literal, name)?.value;
    if (value !== undefined) data.push([name, value]);
  }
  return data;
}

/** How many literals stand between an argument and what a framework hands over in it, at most. */
const depth = 2;

/** The literals among some values and those in their fields – `mcpReq` of MCP, `agent` of Mastra –, nearest first, with their data. */
export function literalsIn(values: readonly unknown[]): Map<object, Data> {
  const found = new Map<object, Data>();
  let level = values;
  for (let left = depth; left >= 0 && level.length > 0; left -= 1) {
    const below: unknown[] = [];
    for (const value of level) {
      if (!isObject(value) || found.has(value) || !isPlain(value)) continue;
      const data = dataOf(value);
      found.set(value, data);
      for (const [, part] of data) if (isObject(part)) below.push(part);
    }
    level = below;
  }
  return found;
}

/**
 * The same values; their literals, and the literals in these, with the fields that `otherwise` names. What is one object stays
 * one. An instance is itself: nobody can tell whether it has a state that only itself may read, as a `Request` has.
 */
export function changed(values: readonly unknown[], otherwise: (each: object, data: Data) => Answers): unknown[] {
  const literals = literalsIn(values);
  const made = new Map<unknown, unknown>();
  const own = (value: unknown): unknown => {
    const data = isObject(value) ? literals.get(value) : undefined;
    if (data === undefined) return value;
    if (made.has(value)) return made.get(value);
    // What leads back to itself leads to what it was.
    made.set(value, value);
    const answers = new Map(otherwise(value as object, data));
    for (const [name, part] of data) {
      const other = own(part);
      if (other !== part) answers.set(name, other);
    }
    if (answers.size > 0) made.set(value, withFields(value as object, answers));
    return made.get(value);
  };
  return values.map(own);
}
