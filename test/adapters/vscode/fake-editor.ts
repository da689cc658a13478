import type { EditorToken } from '../../../src/adapters/vscode/index.ts';

/** An editor's source: its token, who listens, and its Stop button. */
export class FakeEditor {
  readonly listeners: Set<() => unknown> = new Set();
  isCancelled = false;
  readonly token: EditorToken;

  constructor() {
    const { listeners } = this;
    const isCancelled = (): boolean => this.isCancelled;
    this.token = {
      get isCancellationRequested() {
        return isCancelled();
      },
      onCancellationRequested: (listener, thisArgs) => {
        const bound = listener.bind(thisArgs, undefined);
        listeners.add(bound);
        return { dispose: () => listeners.delete(bound) };
      },
    };
  }

  stop(): void {
    this.isCancelled = true;
    for (const listener of this.listeners) listener();
  }
}

/** A token over shared memory, as `vscode-jsonrpc` makes them: it can be asked, and throws for an event. */
export function sharedMemoryToken(): { readonly token: EditorToken; stop(): void } {
  let isCancelled = false;
  const token = {
    get isCancellationRequested() {
      return isCancelled;
    },
    get onCancellationRequested(): never {
      throw new Error("Cancellation over SharedArrayBuffer doesn't support cancellation events");
    },
  };
  return {
    token,
    stop: () => {
      isCancelled = true;
    },
  };
}
