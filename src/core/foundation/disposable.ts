/**
 * The handles that give something back: a timer, a registration, a guard.
 * On the ground floor because every storey hands them out.
 * Prior art: ECMAScript explicit resource management; VS Code's `IDisposable`.
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

/** `Symbol.dispose`, or the well-known fallback where the engine has none. */
const disposeSymbol: typeof Symbol.dispose =
  (Symbol as { readonly dispose?: typeof Symbol.dispose }).dispose ??
  (Symbol.for('Symbol.dispose') as typeof Symbol.dispose);

/** `Symbol.asyncDispose`, or the well-known fallback where the engine has none. */
const asyncDisposeSymbol: typeof Symbol.asyncDispose =
  (Symbol as { readonly asyncDispose?: typeof Symbol.asyncDispose }).asyncDispose ??
  (Symbol.for('Symbol.asyncDispose') as typeof Symbol.asyncDispose);

/**
 * Gives a class its dispose method also where the engine has no such symbol yet, under the name that polyfills use.
 * A class that names the method `[Symbol.dispose]` there has made it under the key "undefined".
 */
export function ensureDisposable(type: { readonly prototype: object }, dispose: (this: never) => void): void {
  ensure(type.prototype, disposeSymbol, dispose);
}

/** The same for `[Symbol.asyncDispose]`. */
export function ensureAsyncDisposable(
  type: { readonly prototype: object },
  dispose: (this: never) => Promise<void>,
): void {
  ensure(type.prototype, asyncDisposeSymbol, dispose);
}

function ensure(prototype: object, symbol: symbol, value: unknown): void {
  if (!(symbol in prototype)) Object.defineProperty(prototype, symbol, { value, writable: true, configurable: true });
}
