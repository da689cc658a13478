/**
 * What a node tells of the engine's health, each change once.
 *
 * @module
 */
import type { Releasable } from '../../../core/foundation/disposable.ts';
import { never } from '../../../core/token/bridge/linked-tokens.ts';
import { reportCallbackError } from '../../../core/token/tree/environment.ts';

/**
 * What a bus tells of itself.
 *
 * @since 0.1.0
 */
export type StopBusEvent =
  /** The engine does not answer: stops from other processes do not arrive. */
  | { readonly type: 'degraded'; readonly error: unknown }
  /** The engine answers again. */
  | { readonly type: 'recovered' }
  /** The lease has lapsed: the work of these sessions was stopped with kind `lease-lost`. */
  | { readonly type: 'lease-lost'; readonly sessionIds: readonly string[] }
  /** A session here was told of a stop, so many milliseconds after that had been written; 0 for one that was asked for here. */
  | { readonly type: 'told'; readonly sessionId: string; readonly ms: number };

/** The engine's health, as one node sees it. */
export class Health {
  readonly #listeners = new Set<(event: StopBusEvent) => void>();
  #degraded: Extract<StopBusEvent, { readonly type: 'degraded' }> | undefined;

  get isDegraded(): boolean {
    return this.#degraded !== undefined;
  }

  /** Who begins to listen while the engine is away is told so at once: nobody can listen before the bus is open. */
  onEvent(listener: (event: StopBusEvent) => void): Releasable {
    this.#listeners.add(listener);
    if (this.#degraded !== undefined) tellOne(listener, this.#degraded);
    return { release: () => void this.#listeners.delete(listener) };
  }

  failed(error: unknown): void {
    if (this.#degraded !== undefined) return;
    this.#degraded = { type: 'degraded', error };
    this.tell(this.#degraded);
  }

  /** Returns whether it was degraded. */
  recovered(): boolean {
    if (this.#degraded === undefined) return false;
    this.#degraded = undefined;
    this.tell({ type: 'recovered' });
    return true;
  }

  tell(event: StopBusEvent): void {
    for (const listener of [...this.#listeners]) tellOne(listener, event);
  }
}

function tellOne(listener: (event: StopBusEvent) => void, event: StopBusEvent): void {
  try {
    listener(event);
  } catch (error) {
    reportCallbackError(never, error);
  }
}
