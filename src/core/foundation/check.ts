/**
 * Argument checks that name the value they refuse.
 * On the ground floor because bad input is refused at the call, on every storey, in the same words.
 *
 * @module
 */

/** What a value looks like in an error message: short, and never the whole object. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  if (typeof value === 'function') return value.name === '' ? 'a function' : `function ${value.name}`;
  if (typeof value === 'bigint') return `${value.toString()}n`;
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `an array of ${String(value.length)}`;
  const name: unknown = (Object.getPrototypeOf(value) as { constructor?: { name?: unknown } } | null)?.constructor
    ?.name;
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an object';
}

/** What to throw at a value of the wrong type. */
export function wrongType(name: string, wanted: string, value: unknown): TypeError {
  return new TypeError(`${name} must be ${wanted}, got ${show(value)}`);
}

/**
 * Refuses anything but milliseconds: a number, 0 or more; `Infinity` means "no limit" where it is allowed.
 *
 * @throws TypeError – not a number. RangeError – NaN, negative, or infinite where that means nothing.
 */
export function requireMs(name: string, value: unknown, infinite: 'infinity-allowed' | 'finite'): number {
  const finite = infinite === 'finite';
  if (typeof value !== 'number') throw wrongType(name, 'a number of milliseconds', value);
  if (value >= 0 && !(finite && value === Infinity)) return value;
  const range = finite ? 'a finite number of milliseconds, 0 or more' : '0 or more milliseconds';
  throw new RangeError(`${name} must be ${range}, got ${String(value)}`);
}

/** Refuses anything but a string, or nothing. */
export function optionalText(name: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw wrongType(name, 'a string', value);
}

/** Refuses anything but a function. */
export function requireFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw wrongType(name, 'a function', value);
}

/** Whether a value is to be awaited. Reading `then` may throw, as any getter may. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/** Refuses anything but one of the listed words. */
export function requireOneOf<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  if (typeof value === 'string' && (allowed as readonly string[]).includes(value)) return value as T;
  throw wrongType(name, `one of '${allowed.join("', '")}'`, value);
}
