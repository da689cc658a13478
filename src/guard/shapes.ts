/**
 * The same object with some of its methods replaced: its type, prototype, fields and getters stay.
 *
 * @module
 */
import { isObject } from '../core/foundation/check.ts';

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
  return new Proxy(fn, { apply: (_target, self, args) => around(fn, args, self) });
}

/** An object whose named methods go through `around`; `undefined` if it has none of them. */
export function replaceMethods<T extends object>(object: T, names: readonly string[], around: Around): T | undefined {
  const replaced = new Map<PropertyKey, Method>();
  const replace = (name: PropertyKey, method: Method, make: Around): Method => {
    const own = function (this: unknown, ...args: unknown[]): unknown {
      return make(method, args, this === copy ? object : this);
    };
    replaced.set(name, own);
    return own;
  };
  for (const name of names) {
    const method = (object as Record<string, unknown>)[name];
    if (typeof method === 'function') replace(name, method as Method, around);
  }
  if (replaced.size === 0) return undefined;
  const isOwn = [...replaced.keys()].every((name) => Object.hasOwn(object, name));
  const copy: T =
    isOwn && isPlain(object)
      ? plainCopy(object, replaced)
      : new Proxy<T>(object, { get: getter(replaced, hasPrivateState(object) ? replace : undefined) });
  return copy;
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

/** Can be spread, frozen and compared like the object itself, which may be frozen. */
export function plainCopy<T extends object>(object: T, replaced: ReadonlyMap<PropertyKey, unknown>): T {
  const fields: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(object);
  for (const [name, value] of replaced) {
    fields[name] = { value, enumerable: fields[name]?.enumerable === true, writable: true, configurable: true };
  }
  return Object.create(Object.getPrototypeOf(object) as object | null, fields) as T;
}

/** Getters run on the object itself, and so do – where `bind` is given – the methods of its class. */
function getter(
  replaced: ReadonlyMap<PropertyKey, Method>,
  bind: ((name: PropertyKey, method: Method, make: Around) => Method) | undefined,
): (object: object, name: PropertyKey) => unknown {
  return (object, name) => {
    const method = replaced.get(name);
    if (method !== undefined) return method;
    const value: unknown = Reflect.get(object, name, object);
    const isMethod = typeof value === 'function' && name !== 'constructor' && !Object.hasOwn(object, name);
    return bind !== undefined && isMethod ? bind(name, value as Method, plainly) : value;
  };
}

function plainly(method: Method, args: readonly unknown[], self: unknown): unknown {
  return Reflect.apply(method, self, args);
}

/** Whether a class in the chain – the platform's, or one with private fields – has a state that no proxy can read for it. */
function hasPrivateState(object: object): boolean {
  for (let proto: unknown = Object.getPrototypeOf(object); hasFields(proto); proto = Object.getPrototypeOf(proto)) {
    if (isRoot(proto)) return false;
    const type: unknown = Object.getOwnPropertyDescriptor(proto, 'constructor')?.value;
    const source = typeof type === 'function' ? Function.prototype.toString.call(type) : '';
    if (/#\w|_classPrivate|\[native code\]/.test(source)) return true;
  }
  return false;
}

/**
 * The same object with one field answered otherwise: whatever else it holds, and what it is, stays, and what is written goes
 * to it. What has a private state is itself: to `fetch` only a real `Request` is one.
 */
export function withField(object: object, field: string, value: unknown): object {
  if (hasPrivateState(object)) return object;
  const replaced = new Map<PropertyKey, unknown>([[field, value]]);
  // It could not be written either, and a proxy must tell it as it is.
  if (Object.getOwnPropertyDescriptor(object, field)?.configurable === false) {
    const fields = { [field]: { value, enumerable: true, writable: true, configurable: true } };
    return isPlain(object) ? plainCopy(object, replaced) : (Object.create(object, fields) as object);
  }
  return new Proxy(object, {
    get: (target, name, self) =>
      replaced.has(name) ? replaced.get(name) : (Reflect.get(target, name, self) as unknown),
    getOwnPropertyDescriptor: (target, name) => {
      const own = Reflect.getOwnPropertyDescriptor(target, name);
      if (own === undefined || !replaced.has(name)) return own;
      return { value: replaced.get(name), enumerable: own.enumerable === true, writable: true, configurable: true };
    },
    defineProperty: (target, name, own) => {
      replaced.delete(name);
      return Reflect.defineProperty(target, name, own);
    },
    deleteProperty: (target, name) => {
      replaced.delete(name);
      return Reflect.deleteProperty(target, name);
    },
  });
}

/** The fields of a plain object that hold plain objects: `mcpReq` of MCP, `agent` of Mastra. No getter is asked. */
export function plainParts(value: unknown): Map<string, object> {
  const parts = new Map<string, object>();
  if (!isObject(value) || !isPlain(value)) return parts;
  for (const [name, field] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    const part: unknown = field.value;
    if (isObject(part) && isPlain(part)) parts.set(name, part);
  }
  return parts;
}

/** The same value, where it and its parts are what `change` makes of them. */
export function changed(value: unknown, change: (each: object) => object): unknown {
  if (!isObject(value)) return value;
  let own = change(value);
  for (const [name, part] of plainParts(value)) {
    const other = change(part);
    if (other !== part) own = withField(own, name, other);
  }
  return own;
}
