/**
 * Argument checks that name the value they refuse.
 *
 * @module
 */

/** What a value looks like in an error message: short, and never the whole object. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  if (typeof value === 'function') return value.name === '' ? 'a function' : `function ${value.name}`;
  if (typeof value === 'bigint') return `${value.toString()}n`;
  if (!isObject(value)) return String(value);
  if (Array.isArray(value)) return `an array of ${String(value.length)}`;
  const name: unknown = (Object.getPrototypeOf(value) as { constructor?: { name?: unknown } } | null)?.constructor
    ?.name;
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an object';
}

/**
 * Somebody's text with its control characters escaped: in a terminal they could clear the screen, in a log forge a line.
 *
 * @param lines `keep` leaves line breaks and tabs as they are.
 */
export function printable(text: string, lines: 'escape' | 'keep' = 'escape'): string {
  return text.replace(lines === 'keep' ? /(?![\n\t])[\p{Cc}\u2028\u2029]/gu : /[\p{Cc}\u2028\u2029]/gu, escape);
}

/** The same in quotation marks, as a name is shown. */
export function quoted(text: string): string {
  return printable(JSON.stringify(text));
}

/**
 * The stack of an error, safe to print; its first line if it has none. A line break in the message would look like a line
 * of the stack, or of a log.
 */
export function printableStack({ name, message, stack = '' }: Error, firstLine: string): string {
  const head = `${name}: ${message}`;
  if (stack.startsWith(head)) return firstLine + printable(stack.slice(head.length), 'keep');
  return stack === '' ? firstLine : printable(stack, 'keep');
}

function escape(character: string): string {
  if (character === '\n') return '\\n';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Whether a value is an object, of any realm; functions are not meant. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * Fields that no options have, for the compiler: what else people hold – a token, a source, a signal, an agent, a turn or a
 * context – has one of them, and would pass for options with which it shares another name.
 */
export interface OptionsOnly {
  readonly isCancelled?: undefined;
  readonly aborted?: undefined;
  readonly abort?: undefined;
  readonly cancel?: undefined;
  readonly checkpoint?: undefined;
}

/** The same at run time. An agent and a source have `kill`, where `cancel` is an option. */
const notOptions = [
  'isCancelled',
  'aborted',
  'abort',
  'cancel',
  'kill',
  'checkpoint',
] as const satisfies readonly string[];
const writeToken = 'write { token: token }';

/** A table of the options that there are, which the compiler compares with their type. */
export type OptionNames<O> = { readonly [K in keyof O as O[K] extends undefined ? never : K]-?: 1 };

/** The options of a call that was given none, which need no look. */
export const noOptions: Readonly<Record<string, never>> = /* @__PURE__ */ Object.freeze({});

/**
 * Refuses anything but an object for the options of a call, a token, a source, a signal or a controller in their place, and
 * an option of a name that there is not: nothing would read it, and nobody would hear of that.
 *
 * @param instead Where a token belongs that was given in their place.
 */
export function requireOptions(options: unknown, known: Readonly<Record<string, 1>>, instead?: string): void {
  if (options !== noOptions) requireOptionsOf('options', options, known, instead);
}

/** The same of options that are a field of others, or go by another name. */
export function requireOptionsOf(
  what: string,
  options: unknown,
  known: Readonly<Record<string, 1>>,
  instead: string = known['token'] === 1 ? writeToken : 'a token is an argument of its own',
): void {
  // Of a plain object its names are all there is to ask; what others inherit may be a method of a token or of its kind.
  if (isObject(options) && options.constructor === Object && unknownName(options, known) === undefined) return;
  refuseInPlaceOf(what, options, instead, known);
  requireNames(what, options, known);
}

/**
 * Refuses what is no options, and what people hold while they write some. It is all that can be asked where somebody else reads
 * them too, and has names of his own.
 */
export function refuseInPlaceOf(
  what: string,
  options: unknown,
  instead: string = writeToken,
  known: Readonly<Record<string, 1>> = noOptions,
): void {
  if (!isObject(options)) throw wrongType(what, 'an object', options);
  for (const name of notOptions)
    if (name in options && known[name] !== 1) throw wrongType(what, `an object of options (${instead})`, options);
  requireRecord(what, options);
}

/** Refuses an array, a promise, an error or another of the language's own kinds: none has anything to read by name. */
export function requireRecord(what: string, given: object): void {
  const isRecord = Object.prototype.toString.call(given) === '[object Object]' && !isThenable(given);
  if (!isRecord) throw wrongType(what, 'an object of options', given);
}

/** Refuses a field that there is not, and what has none. */
export function requireNames(what: string, given: unknown, known: Readonly<Record<string, 1>>): void {
  if (!isObject(given)) throw wrongType(what, 'an object', given);
  const name = unknownName(given, known);
  if (name !== undefined)
    throw new TypeError(`${what}.${name} is no option: there are ${Object.keys(known).join(', ')}`);
}

function unknownName(given: object, known: Readonly<Record<string, 1>>): string | undefined {
  for (const name in given) if (known[name] !== 1) return name;
  return undefined;
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

/**
 * Refuses anything but a whole number from `least` on, as an id that is counted is.
 *
 * @throws TypeError – not a number. RangeError – not whole, or too small.
 */
export function requireWhole(name: string, value: unknown, least: number): number {
  const wanted = `a whole number from ${String(least)}`;
  if (typeof value !== 'number') throw wrongType(name, wanted, value);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RangeError(`${name} must be ${wanted}, got ${String(value)}`);
}

/** Refuses anything but a string, or nothing. */
export function optionalText(name: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw wrongType(name, 'a string', value);
}

/** Refuses anything but a string. */
export function requireText(name: string, value: unknown): void {
  if (typeof value !== 'string') throw wrongType(name, 'a string', value);
}

/** Refuses anything but `true`, `false`, or nothing, which means `false`. */
export function optionalFlag(name: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true;
  throw wrongType(name, 'a boolean', value);
}

type Opener = (...args: never[]) => unknown;

/** What every async function of this realm has in common. */
const asyncKind: unknown = /* @__PURE__ */ Object.getPrototypeOf(async () => {
  await Promise.resolve();
});

/** Refuses anything but a function that runs when it is called. A generator function does not, and who calls it hears nothing of that. */
export function requireFunction(name: string, value: unknown): void {
  requireOpener(name, value);
  // Asked of each listener: a tag takes longer to read than a listener to add.
  if (value.constructor === Function || Object.getPrototypeOf(value) === asyncKind) return;
  if (/GeneratorF/.test(Object.prototype.toString.call(value)))
    throw wrongType(name, 'an async function instead of a generator', value);
}

/** Refuses anything but a function; one that opens what is read afterwards may be a generator function. */
export function requireOpener(name: string, value: unknown): asserts value is Opener {
  if (typeof value !== 'function') throw wrongType(name, 'a function', value);
}

/** Refuses anything but a text that is not empty. */
export function requireName(name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') throw wrongType(name, 'a string that is not empty', value);
}

/** Whether a value is to be awaited. Reading `then` may throw, as any getter may. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (isObject(value) || typeof value === 'function') && typeof (value as { then?: unknown }).then === 'function';
}

/** Refuses anything but one of the listed words. */
export function requireOneOf<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  if (typeof value === 'string' && (allowed as readonly string[]).includes(value)) return value as T;
  throw wrongType(name, `one of '${allowed.join("', '")}'`, value);
}
