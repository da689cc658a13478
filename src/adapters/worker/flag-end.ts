/**
 * One end of a shared token: the flag, the token over it, and the wire to the other end.
 *
 * Invariant: after `release()` no listener, no port and no registration of the end is left; its token stays as it is.
 *
 * @module
 */
import { type CancelReason, type CancelReasonInit, createReason, releaseNode } from '../../core/inside.ts';
import type { CancelFlag, FlagSide } from './cancel-flag.ts';
import type { Endpoint, EndpointHandlers, Message } from './endpoint.ts';
import { FlagSignal, FlagToken } from './flag-token.ts';

/** One end. */
export class FlagEnd {
  readonly token: FlagToken;
  readonly #flag: CancelFlag;
  readonly #side: FlagSide;
  readonly #signal: FlagSignal;
  #endpoint: Endpoint | undefined;
  #onGone: (() => void) | undefined;

  /**
   * @param flag In common with the other end, or this end's copy.
   * @param side Which end this is.
   * @param open Opens the wire.
   * @param onGone The other end is gone.
   */
  constructor(flag: CancelFlag, side: FlagSide, open: (handlers: EndpointHandlers) => Endpoint, onGone: () => void) {
    this.#flag = flag;
    this.#side = side;
    this.#signal = new FlagSignal(flag);
    this.token = new FlagToken(this.#signal, flag);
    this.#onGone = onGone;
    this.#endpoint = open({ onMessage: (message) => this.#hear(message), onGone: () => this.#lose() });
    this.#endpoint.send({ kind: 'ready' });
  }

  /** Cancels both ends; `false` if that had happened, or this end is released. */
  cancel(init?: CancelReasonInit | string): boolean {
    const reason = createReason(init);
    if (this.#endpoint === undefined || !this.#flag.claim(this.#side, reason)) {
      this.#signal.fire(); // the other side may have won a moment ago, and its message be on the way
      return false;
    }
    this.#endpoint.send({ kind: 'cancelled', reason });
    this.#signal.fire();
    return true;
  }

  release(): void {
    const endpoint = this.#endpoint;
    this.#endpoint = undefined;
    this.#onGone = undefined;
    endpoint?.close();
    releaseNode(this.token);
  }

  #lose(): void {
    this.#signal.fire(); // a thread that was terminated may have set the flag, and not have come to say so
    this.#onGone?.();
  }

  #hear(message: Message): void {
    if (message.kind === 'cancelled') {
      // In common memory this changes nothing: the other side has claimed it already.
      this.#flag.claim(this.#side === 'owner' ? 'receiver' : 'owner', message.reason);
      this.#signal.fire();
      return;
    }
    const reason: CancelReason | undefined = this.#flag.reason;
    if (reason !== undefined) this.#endpoint?.send({ kind: 'cancelled', reason });
  }
}
