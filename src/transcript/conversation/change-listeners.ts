/**
 * Who hears of the changes of a conversation.
 *
 * @module
 */

interface ErrorHost {
  readonly reportError?: ((error: unknown) => void) | undefined;
  readonly console?: { error(...args: readonly unknown[]): void } | undefined;
}

/** The listeners of one conversation; what one throws is reported to the host, and the others hear of the change. */
export class ChangeListeners<M> {
  readonly #listeners = new Set<{ readonly tell: (messages: M[]) => void }>();

  add(tell: (messages: M[]) => void): () => void {
    const own = { tell };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** @param messages Asked for where somebody listens. */
  changed(messages: () => M[]): void {
    if (this.#listeners.size === 0) return;
    for (const { tell } of [...this.#listeners]) {
      try {
        tell(messages());
      } catch (error) {
        report(error);
      }
    }
  }
}

function report(error: unknown): void {
  const host = globalThis as ErrorHost;
  if (host.reportError !== undefined) host.reportError(error);
  else host.console?.error('Error reported by a listener of a conversation:', error);
}
