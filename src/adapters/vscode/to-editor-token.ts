/**
 * From us to the editor: a token of ours, in the shape that editors and JSON-RPC connections take.
 *
 * Invariants: a listener hears at most once, and never inside the call that registers it; after `dispose()` none does,
 * and nothing is left on the token.
 *
 * Prior art: VS Code's `CancellationTokenSource`, whose token of a finished cancel calls back in a timer.
 *
 * @module
 */
import {
  callSafely,
  type CancellationToken,
  type CancellationTokenSource,
  clockOf,
  type Releasable,
  requireFunction,
  type TokenLike,
  tokenOf,
} from '../../core/inside.ts';

/**
 * Something to let go of, as editors have it.
 *
 * @since 0.1.0
 */
export interface EditorDisposable {
  /** Lets go of it. */
  dispose(): unknown;
}

/**
 * Subscribes to an editor's event; an editor's `disposables` list takes the subscription too.
 *
 * @since 0.1.0
 */
export type EditorEvent = (
  listener: (event?: undefined) => unknown,
  thisArgs?: unknown,
  disposables?: EditorDisposable[],
) => EditorDisposable;

/**
 * The `CancellationToken` of `vscode`, `vscode-jsonrpc` and `vscode-languageserver`.
 *
 * @source VS Code `CancellationToken`
 * @since 0.1.0
 */
export interface EditorToken {
  /** Whether a stop was asked for. */
  readonly isCancellationRequested: boolean;
  /** Fires once, when it is. */
  readonly onCancellationRequested: EditorEvent;
}

/**
 * An editor's token that follows one of ours, until it is disposed.
 *
 * @since 0.1.0
 */
export interface EditorTokenHandle extends EditorToken, EditorDisposable {
  /** Takes every listener off. The state stays as it is: disposing is not cancelling. */
  dispose(): void;
  /** The same as `dispose()`, for `using`. */
  [Symbol.dispose](): void;
}

/** The tokens behind the handles of this copy of the package: what comes back keeps its reason. */
const homes = new WeakMap<EditorToken, CancellationToken>();

/** The token behind an editor's token, if it is one of ours. */
export function homeOf(editor: EditorToken): CancellationToken | undefined {
  return homes.get(editor);
}

class Handle implements EditorTokenHandle {
  readonly #source: CancellationTokenSource;
  readonly #timers = new Set<Releasable>();

  constructor(token: TokenLike | null | undefined) {
    this.#source = tokenOf(token).child();
    homes.set(this, this.#source.token);
  }

  get isCancellationRequested(): boolean {
    return this.#source.isCancelled;
  }

  /** A property, because it is handed around by itself. */
  readonly onCancellationRequested = (
    listener: (event?: undefined) => unknown,
    thisArgs?: unknown,
    disposables?: EditorDisposable[],
  ): EditorDisposable => {
    requireFunction('listener', listener);
    // An editor's event has no payload; our reasons stay on this side.
    const fire = (): void => {
      listener.call(thisArgs, undefined);
    };
    const subscription = this.#source.isCancelled ? this.#later(fire) : this.#onCancelled(fire);
    disposables?.push(subscription);
    return subscription;
  };

  readonly dispose = (): void => {
    this.#source.release();
    for (const timer of this.#timers) timer.release();
    this.#timers.clear();
  };

  [Symbol.dispose](): void {
    this.dispose();
  }

  #onCancelled(fire: () => void): EditorDisposable {
    const registration = this.#source.token.onCancelled(fire);
    return {
      dispose: () => {
        registration.unregister();
      },
    };
  }

  /** As editors do it: a sender that registers first and sends then would otherwise send its cancel first. */
  #later(fire: () => void): EditorDisposable {
    const token = tokenOf(this.#source.token);
    const run = (): void => {
      this.#timers.delete(timer);
      callSafely(token, fire);
    };
    const timer = clockOf(token).setTimer(run, 0, { ref: true });
    this.#timers.add(timer);
    return {
      dispose: () => {
        this.#timers.delete(timer);
        timer.release();
      },
    };
  }
}

/**
 * An editor's token for a token of ours: for `connection.sendRequest`, `vscode.lm`, `workspace.findFiles`, and whatever
 * else takes one.
 *
 * @checkpoint never: a cancelled token gives a cancelled one
 * @fairness Listeners hear in the tick of the cancel, in the order in which they registered. One that registers after it
 * hears a timer later, as with an editor's own.
 * @cleanup `dispose()`, or `using`, when what it was given to has ended: connections keep their listeners until then.
 * @param token Whose stop; nothing gives an editor's token that never fires.
 * @returns The token, which is also an editor's disposable.
 * @throws TypeError – not a token.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { toEditorToken } from 'desist/vscode'
 *
 * const stop = new CancellationTokenSource()
 * const editorToken = toEditorToken(stop.token)
 * const heard: string[] = []
 * editorToken.onCancellationRequested(() => heard.push('cancel'))
 * stop.cancel('user')
 * editorToken.isCancellationRequested // => true
 * heard // => ['cancel']
 * editorToken.dispose()
 * ```
 * @source VS Code `CancellationTokenSource`
 * @since 0.1.0
 */
export function toEditorToken(token: TokenLike | null | undefined): EditorTokenHandle {
  return new Handle(token);
}
