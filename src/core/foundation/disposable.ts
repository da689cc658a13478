/**
 * The handles that give something back: a timer, a registration, a guard. Prior art: ECMAScript explicit resource
 * management; VS Code's `IDisposable`.
 *
 * @module
 */

/**
 * Something that is held until it is released; releasing twice is harmless.
 *
 * @cleanup `release()` gives back what the handle stands for; it never throws.
 * @source Go `context.CancelFunc`; .NET `CancellationTokenRegistration`.
 * @since 0.1.0
 */
export interface Releasable {
  /** Gives back what is held. The second call does nothing. */
  release(): void;
}

/** `Symbol.dispose`, as the name of a method: a class that reads it by itself stays in every bundle, as with `BaseError`. */
export const disposeKey: typeof Symbol.dispose = Symbol.dispose;

/** `Symbol.asyncDispose`, likewise. */
export const asyncDisposeKey: typeof Symbol.asyncDispose = Symbol.asyncDispose;
