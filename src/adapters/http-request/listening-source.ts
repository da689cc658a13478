/**
 * A source that something outside cancels: it listens as long as that can matter, and to nothing afterwards.
 *
 * Invariant: once it is cancelled, by whomever, or released, no listener of it is left anywhere.
 *
 * Prior art: .NET `CancellationTokenSource` with a registration that it owns; RxJS `takeUntil`.
 *
 * @module
 */
import {
  callSafely,
  CancellationTokenSource,
  type CancelReasonInit,
  type TokenLike,
  tokenOf,
  type OptionsOnly,
} from '../../core/inside.ts';

/**
 * What every source of this door takes.
 *
 * @since 0.1.0
 */
export interface OutsideSourceOptions extends OptionsOnly {
  /** Whose stop is this one's too, for example the server's own. */
  readonly token?: TokenLike | null | undefined;
  /** Milliseconds after which it is cancelled with kind `deadline`. */
  readonly timeoutMs?: number | undefined;
  /** Names the scope in reasons. */
  readonly name?: string | undefined;
}

/** A source with listeners of its own. */
export class ListeningSource extends CancellationTokenSource {
  #unlisten: (() => void)[] = [];

  constructor({ token, timeoutMs, name }: OutsideSourceOptions) {
    super({ parent: token, timeoutMs, name });
    this.token.onCancelled(() => {
      this.stopListening();
    });
  }

  /** Listens, unless it is cancelled already; `listen` returns how to stop. */
  listen(listen: () => () => void): void {
    if (this.isCancelled) return;
    this.#unlisten.push(listen());
    // A listener may be called at once.
    if (this.reason !== undefined) this.stopListening();
  }

  stopListening(): void {
    for (const unlisten of this.#unlisten.splice(0)) unlisten();
  }

  /** Asks a caller's function what to cancel with; what it throws is reported like a callback's error. */
  cancelWith<A extends unknown[]>(
    reasonOf: (...args: A) => CancelReasonInit | string | boolean | null | undefined,
    ...args: A
  ): void {
    callSafely(tokenOf(this.token), () => {
      const reason = reasonOf(...args);
      if (reason === undefined || reason === null || reason === false) return;
      this.cancel(reason === true ? 'user' : reason);
    });
  }

  override release(): void {
    this.stopListening();
    super.release();
  }

  override [Symbol.dispose](): void {
    this.release();
  }
}
