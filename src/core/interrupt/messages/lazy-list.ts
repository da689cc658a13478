/**
 * A list that is read when somebody looks into it: reading it means something, and whoever copies the object that it
 * stands in has not looked.
 *
 * @module
 */

/** An array that is filled, once, before anybody sees what is in it. */
export function lazyList<T>(read: () => readonly T[]): readonly T[] {
  let isRead = false;
  const look = (target: T[]): T[] => {
    if (!isRead) {
      isRead = true;
      target.push(...read());
    }
    return target;
  };
  const list: T[] = [];
  // Node prints what a proxy stands before without asking it: a list that nobody has read would look empty.
  Object.defineProperty(list, Symbol.for('nodejs.util.inspect.custom'), { value: () => [...look(list)] });
  return new Proxy<T[]>(list, {
    get: (target, name) => Reflect.get(look(target), name) as unknown,
    has: (target, name) => Reflect.has(look(target), name),
    ownKeys: (target) => Reflect.ownKeys(look(target)),
    getOwnPropertyDescriptor: (target, name) => Reflect.getOwnPropertyDescriptor(look(target), name),
    set: (target, name, value) => Reflect.set(look(target), name, value),
  });
}
