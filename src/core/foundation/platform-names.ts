/**
 * Names of the platform behind constants of ours. A bundler that cannot know whether reading a global does something keeps
 * a class that reads one in its head or in a key, and with it everything that the class mentions, used or not.
 *
 * @module
 */

/** `Error`, to extend. */
export const BaseError: ErrorConstructor = Error;

/** `Symbol.dispose`, as the name of a method. */
export const disposeKey: typeof Symbol.dispose = Symbol.dispose;

/** `Symbol.asyncDispose`, as the name of a method. */
export const asyncDisposeKey: typeof Symbol.asyncDispose = Symbol.asyncDispose;
